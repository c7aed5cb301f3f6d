// Tag sequences of a chain: the best one, the k best, independent samples, and samples without replacement.
//
// With T positions and K tags. Random numbers are a function of (seed, index): sample i of a seed is the same sequence
// whatever the number of samples or threads.
#pragma once

#include "kirchhoff/chain.hpp"
#include "kirchhoff/parallel.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace kirchhoff {

/// A sequence with its score and its log-probability.
struct TagSequence {
  Tags tags;
  double score = 0.0;
  double log_prob = 0.0;
};

/// The most probable sequence (Viterbi's algorithm). Where sequences tie, the first position where they differ takes
/// the lower tag. Scores are compared after additions in double precision, so sequences whose scores differ by rounding
/// errors only may change places. O(T K^2).
TagSequence best_tags(const ChainDistribution& p);
/// The k most probable sequences, best first, or all if there are fewer. Throws InputError when k < 0. O(T K^2 +
/// k T K log(k T K)). `stop` is called after each sequence and may end the list.
std::vector<TagSequence> k_best_tags(const ChainDistribution& p, int k, const Stop& stop = {});
/// Minimum Bayes risk: among the possible sequences the one with the highest expected number of right tags. O(T K^2).
TagSequence mbr_tags(const ChainDistribution& p);

/// Sample number `index` of the stream that `seed` names. O(T K).
TagSequence sample_tags(const ChainDistribution& p, std::uint64_t seed, std::uint64_t index);
/// Samples 0 .. count-1 of the stream. Throws InputError when count < 0.
std::vector<TagSequence> sample_tag_sequences(const ChainDistribution& p, int count, std::uint64_t seed,
                                              int threads = kAllCores);

/// Sequences without replacement, one after the other: each is drawn from p given that it is none of the earlier ones.
///
///     DistinctTags sequences(p, seed);
///     while (const std::optional<TagSequence> sequence = sequences.next()) print(*sequence);
///
/// The set-up takes O(T K^2), each sequence O(T K) and less where sequences share a prefix. The list can be moved but
/// not copied.
class DistinctTags {
 public:
  explicit DistinctTags(const ChainDistribution& p, std::uint64_t seed = 0);
  ~DistinctTags();
  DistinctTags(DistinctTags&&) noexcept;
  DistinctTags& operator=(DistinctTags&&) noexcept;

  /// Returns nothing when all sequences have been given.
  std::optional<TagSequence> next();
  /// The log-probability plus standard Gumbel noise of what next() gave last: sequences come in descending order of it.
  double perturbed() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Distinct sequences drawn at once, with what importance weights need [Kool19].
struct PerturbedTags {
  std::vector<TagSequence> sequences;  ///< in the order of their perturbed log-probabilities, highest first
  std::vector<double> perturbed;       ///< each sequence's log-probability plus standard Gumbel noise
  double threshold = 0.0;              ///< the highest one of a sequence not among them; -inf when these are all
};
/// The first k sequences of DistinctTags, or all if there are fewer. Throws InputError when k < 0. `stop` is called
/// after each sequence and may end the list, which is then a sample of as many.
PerturbedTags sample_without_replacement(const ChainDistribution& p, int k, std::uint64_t seed = 0,
                                         const Stop& stop = {});

}  // namespace kirchhoff
