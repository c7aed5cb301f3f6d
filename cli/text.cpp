// The table on the terminal, and what the pictures share.
#include "picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kirchhoff::cli {
namespace {

/// Terminal columns, as fmt counts them when it pads.
std::size_t columns(std::string_view text) {
  std::size_t low = 0;
  const std::string probe(text);
  while (fmt::format("{:<{}}", probe, low + 1).size() == probe.size()) ++low;
  return low;
}

std::string name(const Sentence& sentence, int node) {
  return fmt::format("{} ({})", sentence.words[static_cast<std::size_t>(node)], node);
}

std::string rest(const Sentence& sentence, const std::vector<ShownArc>& heads) {
  std::string out;
  for (std::size_t i = 1; i < heads.size(); ++i) {
    out += fmt::format("{}{} {:.3f}", out.empty() ? "" : ", ", name(sentence, heads[i].head), heads[i].probability);
  }
  return out;
}

std::string row(const Sentence& sentence, int word, double min_probability, std::size_t width) {
  const auto heads = likely_heads(sentence, word, min_probability);
  std::string line =
      fmt::format("  {:>4}  {:<{}}  {:<{}}  {:>5.3f}  {}", word, sentence.words[static_cast<std::size_t>(word)], width,
                  name(sentence, heads[0].head), width + 5, heads[0].probability, rest(sentence, heads));
  while (line.back() == ' ') line.pop_back();
  return line + "\n";
}

}  // namespace

std::vector<ShownArc> likely_heads(const Sentence& sentence, int word, double min_probability) {
  std::vector<ShownArc> arcs;
  for (int head = 0; head <= sentence.n(); ++head) {
    if (head != word) arcs.push_back({head, word, sentence.marginals(head, word), false});
  }
  std::stable_sort(arcs.begin(), arcs.end(),
                   [](const auto& a, const auto& b) { return a.probability > b.probability; });
  arcs[0].best = true;
  const auto enough = [&](const ShownArc& a) {
    return a.best || (a.probability > 0.0 && a.probability >= min_probability);
  };
  arcs.erase(std::find_if_not(arcs.begin(), arcs.end(), enough), arcs.end());
  return arcs;
}

std::string joined(const Sentence& sentence) {
  return fmt::format("{}", fmt::join(sentence.words.begin() + 1, sentence.words.end(), " "));
}

std::string facts_of(const Sentence& s) {
  return fmt::format("log Z {:.3f}, entropy {:.3f} nats = {:.3f} bits, perplexity {:.4g} trees", s.log_partition,
                     s.entropy, s.entropy / std::numbers::ln2, std::exp(s.entropy));
}

std::string text_of(const Sentence& sentence, double min_probability) {
  std::string out = fmt::format("{}: {}\n", sentence.title, joined(sentence));
  if (!sentence.error.empty()) return out + "  " + sentence.error + "\n\n";
  out += fmt::format("  {} ({})\n", facts_of(sentence), sentence.method);
  std::size_t width = 4;
  for (const std::string& word : sentence.words) width = std::max(width, columns(word));
  out += fmt::format("  {:>4}  {:<{}}  {:<{}}  {:>5}  {}\n", "#", "word", width, "likely head", width + 5, "p",
                     "other heads");
  for (int word = 1; word <= sentence.n(); ++word) out += row(sentence, word, min_probability, width);
  return out + "\n";
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
      out += "\xEF\xBF\xBD";  // XML has no control characters
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace kirchhoff::cli
