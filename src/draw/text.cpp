// Writes the table of likely heads for the terminal.
#include "draw/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kirchhoff {
namespace {

std::string name(const Drawing& drawing, int node) {
  return fmt::format("{} ({})", draw::shortened(drawing.words[static_cast<std::size_t>(node)]), node);
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

std::string heads_text(const Drawing& given) {
  const Drawing drawing = draw::printable(given);
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
