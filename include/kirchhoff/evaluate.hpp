// How well a system's annotation agrees with the gold standard: the scores of the CoNLL 2018 shared task [Zeman18] and
// a few more, by parts, with confidence intervals and a test for the difference of two systems. Definitions:
// docs/reference/scores.md.
#pragma once

#include "kirchhoff/conllu.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kirchhoff {

/// The first ten as in CoNLL 2018: relations without their subtypes, features those of Universal Dependencies.
enum class Metric {
  words,
  upos,
  xpos,
  ufeats,
  lemmas,
  uas,                     ///< head
  las,                     ///< head and relation
  clas,                    ///< las, content words only
  mlas,                    ///< clas, and tag, features and function words below right
  blex,                    ///< clas, and lemma right
  uas_no_punct,            ///< uas of words that are not tagged PUNCT
  las_no_punct,            ///< las of the same
  exact_match_unlabelled,  ///< sentences with all heads right
  exact_match,             ///< and all relations
  root,                    ///< words below the root
  valid_tree,              ///< sentences of the system that are trees
};
inline constexpr int kMetrics = 16;
template <>
inline constexpr std::array<std::string_view, kMetrics> kNames<Metric> = {"words",
                                                                          "upos",
                                                                          "xpos",
                                                                          "ufeats",
                                                                          "lemmas",
                                                                          "uas",
                                                                          "las",
                                                                          "clas",
                                                                          "mlas",
                                                                          "blex",
                                                                          "uas_no_punct",
                                                                          "las_no_punct",
                                                                          "exact_match_unlabelled",
                                                                          "exact_match",
                                                                          "root",
                                                                          "valid_tree"};

struct Score {
  std::int64_t gold = 0;
  std::int64_t system = 0;
  std::int64_t correct = 0;

  double precision() const { return ratio(correct, system); }
  double recall() const { return ratio(correct, gold); }
  double f1() const { return ratio(2 * correct, gold + system); }
  Score& operator+=(const Score& other);
  friend bool operator==(const Score&, const Score&) = default;

 private:
  /// Nothing found among nothing is 0.
  static double ratio(std::int64_t part, std::int64_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
  }
};
using Scores = std::array<Score, kMetrics>;

/// Text between two neighbouring places where a sentence ends in both files: as a rule, one sentence.
struct EvaluatedUnit {
  int gold_sentences = 0;
  Scores scores;
};

struct Evaluation {
  std::vector<EvaluatedUnit> units;
  Scores total;  ///< their sum
  const Score& operator[](Metric metric) const { return total[static_cast<std::size_t>(metric)]; }
};

/// Both must have the same text, blanks apart, else InputError. Words are aligned by their place in the text and, where
/// either side has multiword tokens, by their forms. `root` is for valid_tree. O(words).
Evaluation evaluate(std::span<const Sentence> gold, std::span<const Sentence> system, Root root);

/// Heads and relations of some of the words.
struct Slice {
  std::string name;
  std::int64_t gold = 0;         ///< words of the gold standard that belong here
  std::int64_t system = 0;       ///< words of the system that belong here
  std::int64_t right_heads = 0;  ///< among the gold ones
  std::int64_t right_arcs = 0;   ///< head and relation
};
enum class SliceBy {
  length,    ///< words of the sentence, by tens
  pos,       ///< UPOS
  deprel,    ///< relation without subtype
  distance,  ///< from the head, with direction
};
template <>
inline constexpr std::array<std::string_view, 4> kNames<SliceBy> = {"length", "pos", "deprel", "distance"};
/// In natural order (length, distance) or by decreasing size. Throws as evaluate does.
std::vector<Slice> slices(std::span<const Sentence> gold, std::span<const Sentence> system, SliceBy by);

struct ResamplingOptions {
  int samples = 1000;
  double confidence = 0.95;  ///< of intervals
  std::uint64_t seed = 0;
};

/// Of the F1 score.
struct Interval {
  double low = 0.0;
  double high = 0.0;
};
/// Percentiles of the score when units are drawn with replacement [Efron79]. InputError for options out of range and an
/// evaluation without units. O(samples units).
std::array<Interval, kMetrics> bootstrap_intervals(const Evaluation& evaluation, const ResamplingOptions& options = {});

struct Comparison {
  double difference = 0.0;  ///< F1 of b minus F1 of a
  double p_value = 1.0;     ///< that chance alone gives as large a difference, two-sided
};
/// Approximate randomization [Yeh00]: in each sample every unit's scores are exchanged between the systems with
/// probability 1/2. InputError also when a and b are not evaluations against the same gold sentences. O(samples units).
std::array<Comparison, kMetrics> compare(const Evaluation& a, const Evaluation& b,
                                         const ResamplingOptions& options = {});

}  // namespace kirchhoff
