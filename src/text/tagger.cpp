// Tags a sentence: first the best sequence of universal tags, then XPOS and FEATS of each word given these, then its
// lemma given all of them.
#include "kirchhoff/tagger.hpp"

#include "base/check.hpp"
#include "kirchhoff/chain_expectation.hpp"
#include "kirchhoff/chain_paths.hpp"
#include "text/readings.hpp"
#include "text/scripts.hpp"
#include "text/tag_model.hpp"
#include "text/token_model.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace kirchhoff {
namespace text {
namespace {

struct Choice {
  int tag = 0;
  double probability = 1.0;
};

/// The best of some morphologies by the scores of labels, and its probability among all of their universal tag, or
/// among these where the lexicon has no others.
Choice best_of(const TagModel& model, std::span<const int> tags, std::span<const float> scores, bool probability) {
  const std::vector<double> own = morphology_scores(model, tags, scores);
  const auto best = static_cast<std::size_t>(std::max_element(own.begin(), own.end()) - own.begin());
  if (!probability) return {tags[best], 1.0};
  double sum = 0.0;
  for (const double score : own) sum += std::exp((score - own[best]) / model.temperature.feats);
  return {tags[best], 1.0 / sum};
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

/// The lemma that the lexicon knows for a word with its morphology, where it knows one and no other.
std::optional<std::string> known_lemma(const TagModel& model, const WordView& word, int morphology) {
  thread_local std::vector<Lexicon::Entry> seen;
  model.lexicons.scripts.find(script_key(word.lower_text, morphology), Lexicon::kNothing, seen);
  if (seen.size() != 1) return std::nullopt;
  auto lemma = apply_lemma_script(model.scripts[static_cast<std::size_t>(seen[0].id)], word.text);
  return lemma && is_value(*lemma) ? lemma : std::nullopt;
}

void set_lemmas(const TagModel& model, std::span<const WordView> words, const Tags& upos, const Tags& feats,
                Sentence& sentence) {
  if (!model.has_lemmas) return;
  SequenceKeys keys;
  find_lemma_features(words, upos, feats, model.lexicons, {}, keys);
  std::vector<float> scores;
  for (std::size_t i = 0; i < words.size(); ++i) {
    auto lemma = known_lemma(model, words[i], feats[i]);
    if (!lemma) {
      model.lemma_model.score(keys.of(i), scores);
      lemma = lemma_of(model, words[i].text, scores);
    }
    sentence.set(static_cast<int>(i) + 1, Column::lemma, *lemma);
  }
}

/// A sentence that is about to be tagged.
class Tagging {
 public:
  Tagging(const TagModel& model, const Sentence& sentence, const TagOptions& options)
      : model_(model),
        sentence_(sentence),
        options_(options),
        words_(views_of(sentence, model.lexicons, model.morphologies)),
        p_(upos_distribution(model, words_)) {
    if (options.keep || options.lexicon != nullptr) p_ = p_.allow(allowed_tags(model, sentence, options));
    if (options.probabilities) entropy_ = kirchhoff::entropy(p_);
  }

  const ChainDistribution& p() const { return p_; }
  /// The sentence with these universal tags, and all else that follows from them.
  Tagged with(const TagSequence& upos) const {
    Tagged result{sentence_, {}, {}, entropy_, upos.log_prob};
    SequenceKeys keys;
    find_feats_features(words_, upos.tags, model_.morphologies, keys);
    Tags feats;
    std::vector<float> scores;
    if (options_.probabilities) {
      result.upos_probabilities.assign(1, 0.0);
      result.feats_probabilities.assign(1, 0.0);
    }
    for (int word = 1; word <= sentence_.size(); ++word) {
      const auto i = static_cast<std::size_t>(word - 1);
      const int own = upos.tags[i];
      model_.feats_model.score(keys.of(i), scores);
      std::vector<int> some;
      if (options_.lexicon != nullptr) {
        some = allowed_morphologies(model_, *options_.lexicon, sentence_.form(word), own);
      }
      const std::vector<int>& tags = some.empty() ? model_.of_upos[static_cast<std::size_t>(own)] : some;
      const Choice choice = best_of(model_, tags, scores, options_.probabilities);
      feats.push_back(choice.tag);
      const Morphology& m = model_.morphologies[static_cast<std::size_t>(choice.tag)];
      result.sentence.set(word, Column::upos, model_.upos[static_cast<std::size_t>(own)]);
      result.sentence.set(word, Column::xpos, m.xpos);
      result.sentence.set(word, Column::feats, m.feats);
      if (!options_.probabilities) continue;
      result.upos_probabilities.push_back(std::min(p_.marginals().emission(word - 1, own), 1.0));
      result.feats_probabilities.push_back(choice.probability);
    }
    set_lemmas(model_, words_, upos.tags, feats, result.sentence);
    if (options_.lexicon != nullptr) set_readings(model_, *options_.lexicon, upos.tags, result.sentence);
    return result;
  }

 private:
  const TagModel& model_;
  const Sentence& sentence_;
  const TagOptions& options_;
  std::vector<WordView> words_;
  ChainDistribution p_;
  double entropy_ = 0.0;
};

}  // namespace

ChainDistribution upos_distribution(const TagModel& model, std::span<const WordView> words) {
  SequenceKeys keys;
  find_upos_features(words, model.morphologies, keys);
  const double temperature = model.temperature.upos;
  if (temperature == 1.0) return {model.upos_model.emissions(keys), model.upos_model.transitions()};
  return {model.upos_model.emissions(keys) / temperature, model.upos_model.transitions() / temperature};
}

std::vector<double> morphology_scores(const TagModel& model, std::span<const int> tags, std::span<const float> scores) {
  std::vector<double> result;
  for (const int tag : tags) {
    float sum = 0.0F;
    for (const int label : model.labels.of[static_cast<std::size_t>(tag)]) {
      sum += scores[static_cast<std::size_t>(label)];
    }
    result.push_back(sum);
  }
  return result;
}

}  // namespace text

const std::vector<std::string>& Tagger::upos() const { return model_->upos; }

ChainDistribution Tagger::upos_distribution(const Sentence& sentence) const {
  if (sentence.size() == 0) base::input_error("upos_distribution", "a sentence without words");
  return text::upos_distribution(*model_, text::views_of(sentence, model_->lexicons, model_->morphologies));
}

Tagged tag(const Tagger& tagger, const Sentence& sentence, const TagOptions& options) {
  if (sentence.size() == 0) return {sentence, {}, {}, 0.0, 0.0};
  const text::Tagging tagging(text::TextAccess::model_of(tagger), sentence, options);
  return tagging.with(best_tags(tagging.p()));
}

std::vector<Tagged> k_best_taggings(const Tagger& tagger, const Sentence& sentence, int k, const TagOptions& options) {
  if (k < 0) base::input_error("k_best_taggings", "k: must not be negative");
  if (sentence.size() == 0) return std::vector<Tagged>(k == 0 ? 0 : 1, Tagged{sentence, {}, {}, 0.0, 0.0});
  const text::Tagging tagging(text::TextAccess::model_of(tagger), sentence, options);
  std::vector<Tagged> found;
  for (const TagSequence& sequence : k_best_tags(tagging.p(), k)) found.push_back(tagging.with(sequence));
  return found;
}

}  // namespace kirchhoff
