// Writes the table for the terminal, and what the pictures share.
#include "draw/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kirchhoff {
namespace {

std::string name(const Drawing& drawing, int node) {
  return fmt::format("{} ({})", drawing.words[static_cast<std::size_t>(node)], node);
}

std::string with_probability(const Drawing& drawing, const DrawnArc& arc) {
  return fmt::format("{} {:.3f}", name(drawing, arc.head), *arc.probability);
}

/// The line of a word, whose arcs are `best` and those that follow it.
std::string row(const Drawing& drawing, std::vector<DrawnArc>::const_iterator best, std::size_t width) {
  std::string rest;
  for (auto other = best + 1; other != drawing.arcs.end() && !other->best; ++other) {
    rest += (rest.empty() ? "" : ", ") + with_probability(drawing, *other);
  }
  std::string line = fmt::format("  {:>4}  {:<{}}  {:<{}}  {:>5.3f}  {}", best->dependent,
                                 drawing.words[static_cast<std::size_t>(best->dependent)], width,
                                 name(drawing, best->head), width + 5, *best->probability, rest);
  while (line.back() == ' ') line.pop_back();
  return line + "\n";
}

/// One line with log-partition, entropy and perplexity.
std::string facts_text(const DrawnFacts& s) {
  return fmt::format("log Z {:.3f}, entropy {:.3f} nats = {:.3f} bits, perplexity {:.4g} trees", s.log_partition,
                     s.entropy, s.entropy / std::numbers::ln2, std::exp(s.entropy));
}

}  // namespace

namespace draw {

/// Counts columns as fmt does when it pads.
std::size_t columns(std::string_view text) {
  std::size_t low = 0;
  const std::string probe(text);
  while (fmt::format("{:<{}}", probe, low + 1).size() == probe.size()) ++low;
  return low;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (static_cast<unsigned char>(c) < 0x20 && c != '\t') {
      out += "\xEF\xBF\xBD";  // XML has no control characters.
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace draw

std::string heads_text(const Drawing& drawing) {
  std::string out = fmt::format("{}: {}\n", drawing.title, drawing.text);
  if (!drawing.error.empty()) return out + "  " + drawing.error + "\n\n";
  out += fmt::format("  {} ({})\n", facts_text(*drawing.facts), drawing.facts->method);
  std::size_t width = 4;
  for (const std::string& word : drawing.words) width = std::max(width, draw::columns(word));
  out += fmt::format("  {:>4}  {:<{}}  {:<{}}  {:>5}  {}\n", "#", "word", width, "likely head", width + 5, "p",
                     "other heads");
  for (auto arc = drawing.arcs.begin(); arc != drawing.arcs.end(); ++arc) {
    if (arc->best) out += row(drawing, arc, width);
  }
  return out + "\n";
}

}  // namespace kirchhoff
