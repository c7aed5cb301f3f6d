// Active learning: which sentences to annotate next, by what their trees would teach a parser.
//
//   auto ranked = rank_sentences(model, source, {.by = RankBy::entropy, .top = 100});
//   ranked[0].sentence;        // the one to begin with
//
// docs/guides/parser.md says which measure to take, and docs/methods/parser.md has the formulas.
#pragma once

#include "kirchhoff/model_statistics.hpp"

#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <string_view>
#include <vector>

namespace kirchhoff {

/// Measures of how much the model does not know of a sentence.
enum class RankBy {
  entropy,  ///< Of the distribution over trees, in nats.
  margin,   ///< How much the best tree's log-probability is above that of the second; the smallest comes first.
  /// The expected number of words with different heads in two trees drawn from the model, which is also the sum of the
  /// variances of all arcs.
  variance,
  /// The expected squared length of the gradient of the tree's log-probability, when the tree is as the model expects:
  /// the trace of the Fisher information. For models of arcs only.
  expected_gradient,
};
template <>
inline constexpr std::array<std::string_view, 4> kNames<RankBy> = {"entropy", "margin", "variance",
                                                                   "expected_gradient"};

/// What a value counts for. Long sentences have more to teach, and cost more.
enum class RankPer { word, sentence };
template <>
inline constexpr std::array<std::string_view, 2> kNames<RankPer> = {"word", "sentence"};

struct RankOptions {
  RankBy by = RankBy::entropy;
  RankPer per = RankPer::word;  ///< Values are divided by the number of words, but for margins.
  std::size_t top = 0;          ///< How many sentences are kept; 0 keeps all.
};

struct RankedSentence {
  Sentence sentence;
  std::uint64_t number = 0;  ///< Its place in the source, from 0.
  double value = 0.0;        ///< A margin is infinite when there is only one tree.
};

/// Called for a sentence that cannot be ranked, which is left out.
using RankProblem = std::function<void(const Sentence& sentence, const std::exception_ptr& error)>;

/// The sentences of a stream, those first that would teach most, equal ones in the order of the source; sentences
/// without words are left out. Trees that the sentences have do not matter. Models of parts of several arcs are asked
/// for the weights that belief propagation gives arcs. Memory holds the sentences that are kept and some hundred more.
/// `source` and `problem` are called by the calling thread. Without `problem` the error of the first sentence that
/// cannot be ranked is thrown; InputError for an expected gradient of a model of parts. Takes O(n^3) for a sentence of
/// n words, and with expected_gradient what fisher_diagonal does.
std::vector<RankedSentence> rank_sentences(const ParserModel& model, const SentenceSource& source,
                                           const RankOptions& rank = {}, const StatisticsOptions& options = {},
                                           const RankProblem& problem = {});

}  // namespace kirchhoff
