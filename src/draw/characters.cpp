// Makes words fit for a table, a terminal and a picture: their width, a short form, and no characters that XML forbids
// or that a terminal would obey.
#include "base/utf8.hpp"
#include "draw/layout.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kirchhoff::draw {
namespace {

constexpr std::string_view kReplacement = "\uFFFD";

/// Control characters but the tab, and code points that Unicode keeps for other uses than text.
bool is_no_text(char32_t code) {
  const bool control = (code < 0x20 && code != '\t') || (code >= 0x7F && code < 0xA0);
  return control || (code >= 0xFDD0 && code <= 0xFDEF) || (code & 0xFFFE) == 0xFFFE;
}

void append_printable(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const std::string_view character = text.substr(0, base::character_size(text));
    out += is_no_text(base::code_point(character)) ? kReplacement : character;
    text.remove_prefix(character.size());
  }
}

}  // namespace

/// Counts columns as fmt does when it pads.
std::size_t columns(std::string_view text) {
  if (text.size() > kWidestColumn * 4) return kWidestColumn;  // It has more characters than columns.
  // No character has more columns than bytes, so what is missing to this width is filled up with blanks.
  const std::size_t filled = fmt::format("{:<{}}", text, text.size()).size();
  return std::min(text.size() - (filled - text.size()), kWidestColumn);
}

std::string shortened(std::string_view text) {
  std::size_t characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    if (begins && ++characters > kWidestColumn) return std::string(text.substr(0, i)) + "\u2026";
  }
  return std::string(text);
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t good = std::min(base::invalid_utf8(text), text.size());
    append_printable(out, text.substr(0, good));
    if (good < text.size()) out += kReplacement;
    text.remove_prefix(std::min(good + 1, text.size()));
  }
  return out;
}

Drawing printable(Drawing drawing) {
  for (std::string* text : {&drawing.title, &drawing.text, &drawing.error}) *text = printable(*text);
  for (std::string& word : drawing.words) word = printable(word);
  for (std::string& note : drawing.notes) note = printable(note);
  for (DrawnArc& arc : drawing.arcs) arc.label = printable(arc.label);
  return drawing;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace kirchhoff::draw
