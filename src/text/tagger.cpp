// Tags a sentence: first the best sequence of universal tags, then XPOS and FEATS of each word given these, then its
// lemma given all of them.
#include "kirchhoff/tagger.hpp"

#include "base/check.hpp"
#include "base/utf8.hpp"
#include "kirchhoff/chain_expectation.hpp"
#include "kirchhoff/chain_paths.hpp"
#include "text/scripts.hpp"
#include "text/tag_model.hpp"
#include "text/token_model.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace kirchhoff {
namespace text {
namespace {

/// A value of a column, or a part of one: text without tabs.
bool is_value(std::string_view text) {
  return !text.empty() && text.find_first_of("\t\r") == std::string_view::npos &&
         base::invalid_utf8(text) == std::string_view::npos;
}

std::vector<Morphology> morphologies_of(const parser::Container& file, int upos) {
  std::vector<Morphology> result;
  for (const std::string& line : parser::read_lines(file.text("feats.names"))) {
    const std::size_t first = line.find('\t'), second = line.find('\t', first + 1);
    if (first == std::string::npos || second == std::string::npos) file.fail("its morphology is damaged");
    Morphology m{std::atoi(line.substr(0, first).c_str()), line.substr(first + 1, second - first - 1),
                 line.substr(second + 1)};
    if (m.upos < 0 || m.upos >= upos || !is_value(m.xpos) || !is_value(m.feats)) {
      file.fail("its morphology is damaged");
    }
    result.push_back(std::move(m));
  }
  return result;
}

struct Choice {
  int tag = 0;
  double probability = 1.0;
};

/// The best of some tags, and its probability among them.
Choice best_of(std::span<const int> tags, std::span<const float> scores, bool probability) {
  const auto score = [&](int tag) { return scores[static_cast<std::size_t>(tag)]; };
  const int best = *std::max_element(tags.begin(), tags.end(), [&](int a, int b) { return score(a) < score(b); });
  if (!probability) return {best, 1.0};
  double sum = 0.0;
  for (const int tag : tags) sum += std::exp(static_cast<double>(score(tag)) - score(best));
  return {best, 1.0 / sum};
}

/// The lemma by the best script that can be applied; the form where there is none.
std::string lemma_of(const TagModel& model, const std::string& form, std::span<const float> scores) {
  const float bound = *std::max_element(scores.begin(), scores.end()) - 20.0F;
  for (const std::size_t i : best_first(scores, bound)) {
    const auto lemma = apply_lemma_script(model.scripts[i], form);
    if (lemma && is_value(*lemma)) return *lemma;
  }
  return form;
}

ChainDistribution distribution(const TagModel& model, const WordForms& words) {
  SequenceKeys keys;
  find_upos_features(words, keys);
  return {model.upos_model.emissions(keys), model.upos_model.transitions()};
}

/// Numbers of the universal tags that the input gives; empty lists where it gives none that is known.
std::vector<std::vector<int>> given_tags(const TagModel& model, const Sentence& sentence) {
  std::vector<std::vector<int>> given(static_cast<std::size_t>(sentence.size()));
  for (int word = 1; word <= sentence.size(); ++word) {
    const auto found = std::find(model.upos.begin(), model.upos.end(), sentence.upos(word));
    if (found != model.upos.end()) {
      given[static_cast<std::size_t>(word - 1)] = {static_cast<int>(found - model.upos.begin())};
    }
  }
  return given;
}

void set_lemmas(const TagModel& model, const WordForms& words, const Tags& upos, const Tags& feats,
                Sentence& sentence) {
  if (!model.has_lemmas) return;
  SequenceKeys keys;
  find_lemma_features(words, upos, feats, keys);
  std::vector<float> scores;
  for (int word = 1; word <= sentence.size(); ++word) {
    const auto i = static_cast<std::size_t>(word - 1);
    model.lemma_model.score(keys.of(i), scores);
    sentence.set(word, Column::lemma, lemma_of(model, words.form[i], scores));
  }
}

}  // namespace

std::string line_of(const Morphology& m) { return std::to_string(m.upos) + "\t" + m.xpos + "\t" + m.feats; }

TagModel::TagModel(const parser::Container& container)
    : file(container),
      upos(parser::read_lines(container.text("tag.upos"))),
      upos_model(container, "tag", static_cast<int>(upos.size())),
      morphologies(morphologies_of(container, static_cast<int>(upos.size()))),
      of_upos(upos.size()),
      feats_model(container, "feats", static_cast<int>(morphologies.size())) {
  if (upos.empty() || !std::all_of(upos.begin(), upos.end(), is_value)) file.fail("its universal tags are damaged");
  if (upos_model.transitions().rows() == 0) file.fail("its tagger is no chain");
  for (std::size_t i = 0; i < morphologies.size(); ++i) {
    of_upos[static_cast<std::size_t>(morphologies[i].upos)].push_back(static_cast<int>(i));
  }
  for (const auto& some : of_upos) {
    if (some.empty()) file.fail("has a universal tag without morphology");
  }
  has_lemmas = file.has("lemma.scripts");
  if (!has_lemmas) return;
  scripts = parser::read_lines(file.text("lemma.scripts"));
  const auto is_text = [](const std::string& script) { return base::invalid_utf8(script) == std::string::npos; };
  if (scripts.empty() || !std::all_of(scripts.begin(), scripts.end(), is_text)) file.fail("its lemmas are damaged");
  lemma_model = SequenceModel(file, "lemma", static_cast<int>(scripts.size()));
}

}  // namespace text

const std::vector<std::string>& Tagger::upos() const { return model_->upos; }

ChainDistribution Tagger::upos_distribution(const Sentence& sentence) const {
  if (sentence.size() == 0) base::input_error("upos_distribution", "a sentence without words");
  return text::distribution(*model_, text::WordForms(sentence));
}

Tagged tag(const Tagger& tagger, const Sentence& sentence, const TagOptions& options) {
  Tagged result{sentence, {}, {}, 0.0};
  if (sentence.size() == 0) return result;
  const text::TagModel& model = text::TextAccess::model_of(tagger);
  const text::WordForms words(sentence);
  ChainDistribution p = text::distribution(model, words);
  if (options.keep) p = p.allow(text::given_tags(model, sentence));
  const Tags upos = best_tags(p).tags;
  text::SequenceKeys keys;
  text::find_feats_features(words, upos, keys);
  Tags feats;
  std::vector<float> scores;
  if (options.probabilities) {
    result.upos_probabilities.assign(1, 0.0);
    result.feats_probabilities.assign(1, 0.0);
    result.entropy = entropy(p);
  }
  for (int word = 1; word <= sentence.size(); ++word) {
    const auto i = static_cast<std::size_t>(word - 1);
    model.feats_model.score(keys.of(i), scores);
    const text::Choice choice =
        text::best_of(model.of_upos[static_cast<std::size_t>(upos[i])], scores, options.probabilities);
    feats.push_back(choice.tag);
    const text::Morphology& m = model.morphologies[static_cast<std::size_t>(choice.tag)];
    result.sentence.set(word, Column::upos, model.upos[static_cast<std::size_t>(upos[i])]);
    result.sentence.set(word, Column::xpos, m.xpos);
    result.sentence.set(word, Column::feats, m.feats);
    if (!options.probabilities) continue;
    result.upos_probabilities.push_back(std::min(p.marginals().emission(word - 1, upos[i]), 1.0));
    result.feats_probabilities.push_back(choice.probability);
  }
  text::set_lemmas(model, words, upos, feats, result.sentence);
  return result;
}

}  // namespace kirchhoff
