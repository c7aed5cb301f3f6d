// A tagger and lemmatizer as they lie in a model file.
#pragma once

#include "kirchhoff/tagger.hpp"
#include "text/feature_hash.hpp"
#include "text/sequence_model.hpp"
#include "text/word_forms.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kirchhoff::text {

/// Adds the features of a word itself, which all three models look at.
void add_word(FeatureWriter& out, const WordView& word, std::uint64_t context);
/// Features for universal tags; given these (numbers, one for each word) those for XPOS and FEATS; given all tags those
/// for the scripts of lemmas. The first word is number 0.
void find_upos_features(std::span<const WordView> words, std::span<const Morphology> morphologies, SequenceKeys& keys);
void find_feats_features(std::span<const WordView> words, const Tags& upos, std::span<const Morphology> morphologies,
                         SequenceKeys& keys);
void find_lemma_features(std::span<const WordView> words, const Tags& upos, const Tags& feats,
                         const TagLexicons& lexicons, const OwnAnswers& own, SequenceKeys& keys);

/// What features of morphologies have weights for: the score of a morphology is the sum over its labels. These are one
/// of its own, so that it can be learnt as a whole, and those of its XPOS and its attributes, which others share.
struct MorphologyLabels {
  std::vector<std::vector<int>> of;
  int count = 0;

  MorphologyLabels() = default;
  explicit MorphologyLabels(std::span<const Morphology> morphologies);
};

/// Scores are divided by them, so that probabilities are what they say on sentences that training has not seen.
struct TagTemperatures {
  double upos = 1.0, feats = 1.0;
};
inline constexpr double kLargestTemperature = 100.0;

struct TagModel {
  /// Throws ModelError when a section is missing or does not fit.
  explicit TagModel(const parser::Container& container);

  parser::Container file;
  std::vector<std::string> upos;
  SequenceModel upos_model;
  std::vector<Morphology> morphologies;
  std::vector<std::vector<int>> of_upos;  ///< The morphologies of each universal tag.
  MorphologyLabels labels;
  SequenceModel feats_model;
  TagTemperatures temperature;
  TagLexicons lexicons;
  bool has_lemmas = false;
  std::vector<std::string> scripts;  ///< Those that the classifier chooses among, and then those of the lexicon alone.
  SequenceModel lemma_model;
};

/// The distribution over universal tags by the model and its temperature.
ChainDistribution upos_distribution(const TagModel& model, std::span<const WordView> words);
/// The scores of morphologies by those of their labels, without temperature.
std::vector<double> morphology_scores(const TagModel& model, std::span<const int> tags, std::span<const float> scores);

/// Whether a text can be the value of a column, or a part of one.
bool is_value(std::string_view text);
/// A morphology as a line of a model file.
std::string line_of(const Morphology& morphology);

}  // namespace kirchhoff::text
