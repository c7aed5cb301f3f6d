// Writes a tree as text: one word to a line, and on the left the arcs of the drawing, turned by a quarter.
#include "draw/layout.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kirchhoff {
namespace {

using draw::arc_label;
using draw::columns;
using draw::lay_out;
using draw::Layout;
using draw::PlacedArc;

enum Side : unsigned { kUp = 1, kDown = 2, kLeft = 4, kRight = 8 };

/// A character cell, described by the sides that its lines touch.
constexpr std::string_view kBoxes[] = {" ", "╵", "╷", "│", "╴", "╯", "╮", "┤", "╶", "╰", "╭", "├", "─", "┴", "┬", "┼"};

/// The cells: a row for each word and a column for each level, the lowest at the right.
class Canvas {
 public:
  Canvas(int words, int levels)
      : levels_(static_cast<std::size_t>(levels)), cells_(static_cast<std::size_t>(words) * levels_, 0U) {}

  void add(const PlacedArc& arc) {
    const int top = std::min(arc.arc.head, arc.arc.dependent) - 1;
    const int bottom = std::max(arc.arc.head, arc.arc.dependent) - 1;
    const std::size_t column = levels_ - static_cast<std::size_t>(arc.level);
    for (int row = top + 1; row < bottom; ++row) cell(row, column) |= kUp | kDown;
    for (const int row : {top, bottom}) {
      cell(row, column) |= (row == top ? kDown : kUp) | kRight;
      for (std::size_t c = column + 1; c < levels_; ++c) cell(row, c) |= kLeft | kRight;
    }
  }

  std::string row(int word) {
    std::string out;
    for (std::size_t c = 0; c < levels_; ++c) out += kBoxes[cell(word - 1, c)];
    return out;
  }

 private:
  unsigned& cell(int row, std::size_t column) { return cells_[static_cast<std::size_t>(row) * levels_ + column]; }

  std::size_t levels_;
  std::vector<unsigned> cells_;
};

/// The root is no word and has no line, so its arcs are left out.
Layout arcs_between_words(Drawing drawing) {
  std::erase_if(drawing.arcs, [](const DrawnArc& arc) { return arc.head == 0; });
  return lay_out(drawing);
}

std::size_t widest(const std::vector<std::string>& texts, std::size_t least) {
  for (const std::string& text : texts) least = std::max(least, columns(text));
  return least;
}

}  // namespace

std::string tree_text(const Drawing& given) {
  const Drawing drawing = draw::printable(given);
  const Layout layout = arcs_between_words(drawing);
  Canvas canvas(drawing.n(), layout.levels);
  for (const PlacedArc& arc : layout.arcs) canvas.add(arc);
  std::string out = fmt::format("{}: {}\n", drawing.title, drawing.text);
  const std::size_t words = widest(drawing.words, 4);
  const std::size_t notes = widest(drawing.notes, 1);
  for (const DrawnArc& arc : drawing.arcs) {
    const auto word = static_cast<std::size_t>(arc.dependent);
    std::string line =
        fmt::format("  {}{} {:>3}  {:<{}}  {:<{}}  {:>4}  {}", canvas.row(arc.dependent), arc.head == 0 ? " " : "▸",
                    word, drawing.words[word], words, drawing.notes[word], notes, arc.head, arc_label(arc));
    while (line.back() == ' ') line.pop_back();
    out += line + "\n";
  }
  return out + "\n";
}

}  // namespace kirchhoff
