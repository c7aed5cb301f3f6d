#include "layout.hpp"

#include <algorithm>
#include <cstdlib>

namespace kirchhoff::cli {
namespace {

constexpr double kFontSize = 17.0;
constexpr double kGap = 44.0;        // between words
constexpr double kFootWidth = 11.0;  // room for one end of an arc
constexpr double kMargin = 18.0;

int left(const ShownArc& a) { return std::min(a.head, a.dependent); }
int right(const ShownArc& a) { return std::max(a.head, a.dependent); }

bool overlap(const ShownArc& a, const ShownArc& b) { return left(a) < right(b) && left(b) < right(a); }
bool contains(const ShownArc& outer, const ShownArc& inner) {
  return left(outer) <= left(inner) && right(inner) <= right(outer);
}

std::vector<PlacedArc> shown_arcs(const Sentence& sentence, double min_probability) {
  std::vector<PlacedArc> arcs;
  for (int word = 1; word <= sentence.n(); ++word) {
    for (const ShownArc& arc : likely_heads(sentence, word, min_probability)) arcs.push_back({arc, 1, 0.0, 0.0});
  }
  const auto span = [](const PlacedArc& a) { return right(a.arc) - left(a.arc); };
  std::stable_sort(arcs.begin(), arcs.end(), [&](const auto& a, const auto& b) { return span(a) < span(b); });
  return arcs;
}

/// Shorter arcs first: above all arcs inside, beside all that cross.
int free_level(const std::vector<PlacedArc>& arcs, std::size_t count) {
  const ShownArc& arc = arcs[count].arc;
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

/// One end of an arc at a word. From left to right: arcs to the left, lowest first; arcs to the right, highest first.
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

void place_feet(const std::vector<Foot>& feet, double centre, std::vector<PlacedArc>& arcs) {
  double x = centre - kFootWidth * (static_cast<double>(feet.size()) - 1.0) / 2.0;
  for (const Foot& foot : feet) {
    (foot.at_head ? arcs[foot.arc].from : arcs[foot.arc].to) = x;
    x += kFootWidth;
  }
}

double advance_of(unsigned char lead, unsigned code) {
  if (lead >= 0xE0 && code >= 0x1100) return 1.0;  // East Asian, symbols
  if (std::string_view("iljtfrI.,:;'!|()[] ").find(static_cast<char>(lead)) != std::string_view::npos) return 0.34;
  if (std::string_view("mwMW@").find(static_cast<char>(lead)) != std::string_view::npos) return 0.9;
  return lead >= 'A' && lead <= 'Z' ? 0.68 : 0.56;
}

}  // namespace

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

Layout lay_out(const Sentence& sentence, double min_probability) {
  Layout out;
  out.arcs = shown_arcs(sentence, min_probability);
  for (std::size_t i = 0; i < out.arcs.size(); ++i) {
    out.arcs[i].level = free_level(out.arcs, i);
    out.levels = std::max(out.levels, out.arcs[i].level);
  }
  const auto feet = feet_of(out.arcs, sentence.n());
  double x = kMargin;
  for (std::size_t word = 0; word < sentence.words.size(); ++word) {
    const double need =
        std::max(text_width(sentence.words[word]) * kFontSize, kFootWidth * static_cast<double>(feet[word].size()));
    out.word_x.push_back(x + need / 2.0);
    place_feet(feet[word], out.word_x.back(), out.arcs);
    x += need + kGap;
  }
  out.width = x - kGap + kMargin;
  return out;
}

}  // namespace kirchhoff::cli
