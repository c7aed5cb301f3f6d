// How well a system's annotation agrees with the gold standard: the scores of the CoNLL 2018 shared task [Zeman18] and
// a few more, also for parts of the data, with confidence intervals and a test for the difference of two systems. They
// are defined in docs/reference/scores.md.
#pragma once

#include "kirchhoff/conllu.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kirchhoff {

/// The first twelve are those of CoNLL 2018: relations are compared without their subtypes, and features are those of
/// Universal Dependencies.
enum class Metric {
  tokens,     ///< What is written as one, of one word or several.
  sentences,  ///< Those that begin and end at the same places.
  words,
  upos,
  xpos,
  ufeats,
  lemmas,
  uas,                     ///< Right heads.
  las,                     ///< Right heads with right relations.
  clas,                    ///< As las, for content words only.
  mlas,                    ///< As clas, but tag, features and function words below it must also be right.
  blex,                    ///< As clas, but the lemma must also be right.
  uas_no_punct,            ///< As uas, for words that are not tagged PUNCT.
  las_no_punct,            ///< As las, for the same words.
  exact_match_unlabelled,  ///< Sentences in which all heads are right.
  exact_match,             ///< Sentences in which all heads and relations are right.
  root,                    ///< Words below the root.
  valid_tree,              ///< Sentences of the system that are trees.
};
inline constexpr int kMetrics = 18;
template <>
inline constexpr std::array<std::string_view, kMetrics> kNames<Metric> = {
    "tokens",      "sentences", "words",        "upos",         "xpos",
    "ufeats",      "lemmas",    "uas",          "las",          "clas",
    "mlas",        "blex",      "uas_no_punct", "las_no_punct", "exact_match_unlabelled",
    "exact_match", "root",      "valid_tree"};

/// Counts of one metric: things of the gold standard, things of the system, and those that are in both.
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
  /// The ratio is 0 when there is nothing to count.
  static double ratio(std::int64_t part, std::int64_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
  }
};
using Scores = std::array<Score, kMetrics>;

/// The text between two neighbouring places where a sentence ends in both files. As a rule, it is one sentence.
struct EvaluatedUnit {
  int gold_sentences = 0;
  Scores scores;
};

struct Evaluation {
  std::vector<EvaluatedUnit> units;
  Scores total;  ///< The sum over all units.
  const Score& operator[](Metric metric) const { return total[static_cast<std::size_t>(metric)]; }
};

/// The first word whose token is written with nothing but blanks, or 0 when there is none. Such a sentence cannot be
/// scored, because words are found again by their text.
int blank_word(const Sentence& sentence);

/// Both sides must have the same text apart from blanks, and no blank_word, or InputError is thrown. Words are aligned
/// by their place in the text and, where either side has multiword tokens, by their forms. `root` matters for
/// valid_tree alone. Takes O(words) time, and the product of the words on both sides where multiword tokens overlap.
Evaluation evaluate(std::span<const Sentence> gold, std::span<const Sentence> system, Root root);

/// How well a system does on some of the words.
struct Slice {
  std::string name;
  std::int64_t gold = 0;         ///< Words of the gold standard that belong here.
  std::int64_t system = 0;       ///< Words of the system that belong here.
  std::int64_t right_heads = 0;  ///< Gold words with the right head.
  std::int64_t right_arcs = 0;   ///< Gold words with the right head and relation.
};
/// What the words of a slice have in common.
enum class SliceBy {
  length,    ///< The number of words of the sentence, by tens.
  pos,       ///< The universal tag.
  deprel,    ///< The relation without its subtype.
  distance,  ///< The distance from the head, with its direction.
};
template <>
inline constexpr std::array<std::string_view, 4> kNames<SliceBy> = {"length", "pos", "deprel", "distance"};
/// The slices in natural order (length, distance) or by decreasing size. Throws InputError as evaluate does.
std::vector<Slice> slices(std::span<const Sentence> gold, std::span<const Sentence> system, SliceBy by);

struct ResamplingOptions {
  int samples = 1000;
  double confidence = 0.95;  ///< The confidence of intervals.
  std::uint64_t seed = 0;
};

/// An interval of the F1 score.
struct Interval {
  double low = 0.0;
  double high = 0.0;
};
/// Percentiles of each score when units are drawn with replacement [Efron79]. Throws InputError for options out of
/// range and for an evaluation without units. Takes O(samples units) time.
std::array<Interval, kMetrics> bootstrap_intervals(const Evaluation& evaluation, const ResamplingOptions& options = {});

struct Comparison {
  double difference = 0.0;  ///< The F1 score of b minus that of a.
  double p_value = 1.0;     ///< The probability that chance alone gives as large a difference, two-sided.
};
/// Compares two systems by approximate randomization [Yeh00]: in each sample every unit's scores are exchanged between
/// the systems with probability 1/2. Throws InputError as above, and when a and b are not evaluations against the same
/// gold sentences. Takes O(samples units) time.
std::array<Comparison, kMetrics> compare(const Evaluation& a, const Evaluation& b,
                                         const ResamplingOptions& options = {});

}  // namespace kirchhoff
