// Computes a layout: levels for arcs that overlap, and room between words for arcs and labels.
#include "draw/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace kirchhoff::draw {
namespace {

constexpr double kFontSize = 17.0;
constexpr double kGap = 44.0;        // The space between words.
constexpr double kFootWidth = 11.0;  // The room for one end of an arc.
constexpr double kMargin = 18.0;
constexpr double kSmallFont = 11.0;   // The size of labels and notes.
constexpr double kLabelMargin = 8.0;  // The space beside a label.

int left(const DrawnArc& a) { return std::min(a.head, a.dependent); }
int right(const DrawnArc& a) { return std::max(a.head, a.dependent); }

bool overlap(const DrawnArc& a, const DrawnArc& b) { return left(a) < right(b) && left(b) < right(a); }
bool contains(const DrawnArc& outer, const DrawnArc& inner) {
  return left(outer) <= left(inner) && right(inner) <= right(outer);
}

std::vector<PlacedArc> by_span(const Drawing& drawing) {
  std::vector<PlacedArc> arcs;
  for (const DrawnArc& arc : drawing.arcs) arcs.push_back({arc, 1, 0.0, 0.0});
  const auto span = [](const PlacedArc& a) { return right(a.arc) - left(a.arc); };
  std::stable_sort(arcs.begin(), arcs.end(), [&](const auto& a, const auto& b) { return span(a) < span(b); });
  return arcs;
}

/// Places shorter arcs first; an arc goes above all arcs inside it, and beside all that cross it.
int free_level(const std::vector<PlacedArc>& arcs, std::size_t count) {
  const DrawnArc& arc = arcs[count].arc;
  std::vector<bool> taken(count + 2, false);
  int lowest = 1;
  for (std::size_t i = 0; i < count; ++i) {
    if (!overlap(arcs[i].arc, arc)) continue;
    taken[static_cast<std::size_t>(arcs[i].level)] = true;
    if (contains(arc, arcs[i].arc)) lowest = std::max(lowest, arcs[i].level + 1);
  }
  while (taken[static_cast<std::size_t>(lowest)]) ++lowest;
  return lowest;
}

/// One end of an arc at a word. From left to right come the arcs to the left, the lowest first, then those to the
/// right, the highest first.
struct Foot {
  std::size_t arc = 0;
  bool at_head = false;
  int order = 0;
};

std::vector<std::vector<Foot>> feet_of(const std::vector<PlacedArc>& arcs, int n) {
  std::vector<std::vector<Foot>> feet(static_cast<std::size_t>(n) + 1);
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    const auto add = [&](int word, int far, bool at_head) {
      const int order = far < word ? arcs[i].level - 100000 : 100000 - arcs[i].level;
      feet[static_cast<std::size_t>(word)].push_back({i, at_head, order});
    };
    add(arcs[i].arc.head, arcs[i].arc.dependent, true);
    add(arcs[i].arc.dependent, arcs[i].arc.head, false);
  }
  for (auto& list : feet) {
    std::stable_sort(list.begin(), list.end(), [](const Foot& a, const Foot& b) { return a.order < b.order; });
  }
  return feet;
}

double advance_of(unsigned char lead, unsigned code) {
  if (lead >= 0xE0 && code >= 0x1100) return 1.0;  // East Asian characters and symbols are wide.
  if (std::string_view("iljtfrI.,:;'!|()[] ").find(static_cast<char>(lead)) != std::string_view::npos) return 0.34;
  if (std::string_view("mwMW@").find(static_cast<char>(lead)) != std::string_view::npos) return 0.9;
  return lead >= 'A' && lead <= 'Z' ? 0.68 : 0.56;
}

/// The rough width of a text, in units of the font size.
double text_width(std::string_view text) {
  double width = 0.0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if ((lead & 0xC0) == 0x80) continue;
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
    width += advance_of(lead, lead >= 0xE0 ? (lead & 0x0FU) << 12 | (next & 0x3FU) << 6 : lead);
  }
  return width;
}

/// The word's centre, far enough to the right of `centre` for the labels of arcs that end here.
double room_for_labels(const std::vector<Foot>& feet, int word, double centre, const std::vector<PlacedArc>& arcs) {
  double needed = centre;
  double offset = -kFootWidth * (static_cast<double>(feet.size()) - 1.0) / 2.0;
  for (const Foot& foot : feet) {
    const PlacedArc& arc = arcs[foot.arc];
    if (right(arc.arc) == word) {
      const double start = foot.at_head ? arc.to : arc.from;
      needed = std::max(needed, start + text_width(arc_label(arc.arc)) * kSmallFont + kLabelMargin - offset);
    }
    offset += kFootWidth;
  }
  return needed;
}

void place_feet(const std::vector<Foot>& feet, double centre, std::vector<PlacedArc>& arcs) {
  double x = centre - kFootWidth * (static_cast<double>(feet.size()) - 1.0) / 2.0;
  for (const Foot& foot : feet) {
    (foot.at_head ? arcs[foot.arc].from : arcs[foot.arc].to) = x;
    x += kFootWidth;
  }
}

}  // namespace

/// Writes 0.934 as "0.93", and never rounds to a certainty that is not there.
std::string arc_label(const DrawnArc& arc) {
  if (!arc.probability) return arc.label;
  const double p = *arc.probability;
  const std::string number = p > 0.995 && p < 1.0 ? ">0.99" : fmt::format("{:.2f}", p);
  return arc.label.empty() ? number : arc.label + " " + number;
}

Layout lay_out(const Drawing& drawing) {
  Layout out;
  out.arcs = by_span(drawing);
  for (std::size_t i = 0; i < out.arcs.size(); ++i) {
    out.arcs[i].level = free_level(out.arcs, i);
    out.levels = std::max(out.levels, out.arcs[i].level);
  }
  const auto feet = feet_of(out.arcs, drawing.n());
  double x = kMargin;
  for (std::size_t word = 0; word < drawing.words.size(); ++word) {
    const double need =
        std::max({text_width(drawing.words[word]) * kFontSize, text_width(drawing.notes[word]) * kSmallFont,
                  kFootWidth * static_cast<double>(feet[word].size())});
    out.word_x.push_back(room_for_labels(feet[word], static_cast<int>(word), x + need / 2.0, out.arcs));
    place_feet(feet[word], out.word_x.back(), out.arcs);
    x = out.word_x.back() + need / 2.0 + kGap;
  }
  out.width = x - kGap + kMargin;
  return out;
}

}  // namespace kirchhoff::draw
