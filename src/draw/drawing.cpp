// Decides what to show of a distribution and of an annotated sentence.
#include "kirchhoff/draw.hpp"
#include "kirchhoff/expectation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace kirchhoff {
namespace {

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words.begin() + 1, words.end(), " "));
}

std::vector<std::string> names_of(const std::vector<std::string>& words, int n) {
  std::vector<std::string> names{"ROOT"};
  if (words.empty()) {
    for (int word = 1; word <= n; ++word) names.push_back(std::to_string(word));
    return names;
  }
  if (words.size() != static_cast<std::size_t>(n)) {
    throw InputError(fmt::format("[drawing_of] words: {} entries, expected {} (one per word)", words.size(), n));
  }
  names.insert(names.end(), words.begin(), words.end());
  return names;
}

/// The arcs of one word that are probable enough, the most probable first. There is always at least one.
std::vector<DrawnArc> likely_heads(const Matrix& marginals, int word, double min_probability) {
  std::vector<DrawnArc> arcs;
  for (int head = 0; head < marginals.rows(); ++head) {
    if (head != word) arcs.push_back({head, word, marginals(head, word)});
  }
  std::stable_sort(arcs.begin(), arcs.end(),
                   [](const auto& a, const auto& b) { return a.probability > b.probability; });
  arcs[0].best = true;
  const auto enough = [&](const DrawnArc& a) {
    return a.best || (*a.probability > 0.0 && *a.probability >= min_probability);
  };
  arcs.erase(std::find_if_not(arcs.begin(), arcs.end(), enough), arcs.end());
  return arcs;
}

/// The value of ArcProb= in the word's MISC.
std::optional<double> probability_of(const Sentence& sentence, int word) {
  const auto text = attribute(sentence.misc(word), "ArcProb");
  if (!text) return std::nullopt;
  double p = -1.0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), p);
  if (error != std::errc() || end != text->data() + text->size() || !(p >= 0.0 && p <= 1.0)) {
    throw InputError(fmt::format("[drawing_of] word {}: ArcProb={} is not a probability", word, *text));
  }
  return p;
}

std::string given(std::string_view value, const std::string& otherwise) {
  return value == "_" ? otherwise : std::string(value);
}

}  // namespace

Drawing drawing_of(const TreeDistribution& p, const std::vector<std::string>& words, double min_probability) {
  Drawing out;
  out.words = names_of(words, p.words());
  out.text = joined(out.words);
  for (int node = 0; node <= p.words(); ++node) out.notes.push_back(std::to_string(node));
  const Matrix marginals = p.marginals();
  for (int word = 1; word <= p.words(); ++word) {
    const auto heads = likely_heads(marginals, word, min_probability);
    out.arcs.insert(out.arcs.end(), heads.begin(), heads.end());
  }
  out.facts = DrawnFacts{marginals, p.log_partition(), entropy(p), to_string(p.report().method)};
  return out;
}

Drawing drawing_of(const LabelledTreeDistribution& p, const std::vector<std::string>& words, double min_probability) {
  Drawing out = drawing_of(p.tree(), words, min_probability);
  out.facts->log_partition = p.log_partition();  // That of tree() lacks the words' shifts.
  return out;
}

Drawing drawing_of(const Sentence& sentence) {
  Drawing out;
  out.title = sentence.comment("sent_id").value_or("");
  out.words = {"ROOT"};
  out.notes = {"0"};
  for (int word = 1; word <= sentence.size(); ++word) {
    const int head = sentence.head(word);
    if (head < 0 || head > sentence.size() || head == word) {
      throw InputError(fmt::format("[drawing_of] word {}: head {} is not another word or the root", word, head));
    }
    out.words.emplace_back(sentence.form(word));
    out.notes.push_back(given(sentence.upos(word), std::to_string(word)));
    out.arcs.push_back({head, word, probability_of(sentence, word), true, given(sentence.deprel(word), "")});
  }
  out.text = sentence.comment("text").value_or(joined(out.words));
  return out;
}

}  // namespace kirchhoff
