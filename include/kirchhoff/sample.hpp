// Sampling: independent trees from a distribution, distinct trees (without replacement), and estimates from both.
//
// Random numbers are a function of (seed, index): sample i of a seed is the same tree whatever the number of samples
// or threads. All samplers are unbiased; docs/methods/sample.md says which one to take when.
#pragma once

#include "kirchhoff/decode.hpp"
#include "kirchhoff/parallel.hpp"
#include "kirchhoff/tree_batch.hpp"

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace kirchhoff {

/// How independent trees are drawn.
enum class Sampler {
  automatic,        ///< what costs least: Wilson's walk (single-root: wilson_marginal) with a small budget, or Colbourn
  wilson,           ///< loop-erased random walks [Wilson96]; multi-root only
  wilson_marginal,  ///< the root's child from its marginal, then Wilson's walk; single-root only
  wilson_reject,    ///< Wilson's walk again and again until the root has one child; single-root only
  colbourn,         ///< head after head from conditional marginals [Colbourn96]; 2/3 n^3 flops, never stalls
};
template <>
inline constexpr std::array<std::string_view, 5> kNames<Sampler> = {"automatic", "wilson", "wilson_marginal",
                                                                    "wilson_reject", "colbourn"};

/// No walk takes more draws than this: the sample is then one of Colbourn's, which changes nothing in distribution,
/// because the number of draws is independent of the tree. Sampler::automatic chooses a smaller budget by cost.
constexpr std::int64_t kLargestWalk = 20'000'000;

/// A sample of the heads alone, and what it cost.
struct Walk {
  Heads heads;
  std::int64_t draws = 0;     ///< random steps taken
  int tries = 1;              ///< walks made, which can be several for Sampler::wilson_reject only
  bool budget_spent = false;  ///< the walk gave up, and Colbourn's sampler drew the tree
};

struct SampleOptions {
  std::uint64_t seed = 0;
  int threads = kAllCores;
};

/// A sampler is set up once for a distribution and then gives any number of samples. All members may be called from
/// several threads at once.
class TreeSampler {
 public:
  /// Throws InputError when the method is for the other root mode. O(n^2), and O(n^3) with Sampler::automatic or
  /// colbourn.
  explicit TreeSampler(const TreeDistribution& p, Sampler method = Sampler::automatic);
  explicit TreeSampler(const LabelledTreeDistribution& p, Sampler method = Sampler::automatic);
  /// Samples trees of these scores, which are copied. wilson and wilson_reject need no distribution, and take O(n^2) to
  /// set up: one is made, in O(n^3), when it is first needed, for log-probabilities, expected_draws() or a walk that
  /// has spent its budget. The trees are those that a distribution's sampler draws, but for graphs of more than 256
  /// words, whose first 64 samples are drawn in another way: in little more time than it takes to read the scores.
  /// Throws what TreeDistribution throws.
  TreeSampler(const MatrixRef& scores, Root root, Sampler method);
  /// The same; takes the matrix over (std::move(scores)), where copying would take longer than a sample.
  template <std::same_as<Matrix> M>
  TreeSampler(M&& scores, Root root, Sampler method);

  /// The method that runs, which is never automatic.
  Sampler method() const;
  /// The exact mean number of draws of a walk without a budget, which is the trace of the walk's Green's function. For
  /// wilson_reject it is the mean of one try, for colbourn it is 0.
  double expected_draws() const;

  /// The heads of sample number `index` of the stream that `seed` names, and what they cost.
  Walk walk(std::uint64_t seed, std::uint64_t index) const;
  /// The same sample with its score and log-probability, and with labels if the distribution has them.
  Tree sample(std::uint64_t seed, std::uint64_t index) const;
  /// Samples 0 .. count-1 of the stream. Throws InputError when count < 0.
  std::vector<Tree> samples(int count, const SampleOptions& options = {}) const;
  /// The heads of the same samples, without scores and probabilities.
  std::vector<Heads> heads(int count, const SampleOptions& options = {}) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

/// `count` independent trees of a TreeDistribution or LabelledTreeDistribution.
template <class Distribution>
std::vector<Tree> sample_trees(const Distribution& p, int count, const SampleOptions& options = {}) {
  return TreeSampler(p).samples(count, options);
}
template <class Distribution>
std::vector<Tree> sample_wilson(const Distribution& p, int count, const SampleOptions& options = {}) {
  return TreeSampler(p, Sampler::wilson).samples(count, options);
}
template <class Distribution>
std::vector<Tree> sample_wilson_marginal(const Distribution& p, int count, const SampleOptions& options = {}) {
  return TreeSampler(p, Sampler::wilson_marginal).samples(count, options);
}
template <class Distribution>
std::vector<Tree> sample_wilson_reject(const Distribution& p, int count, const SampleOptions& options = {}) {
  return TreeSampler(p, Sampler::wilson_reject).samples(count, options);
}
template <class Distribution>
std::vector<Tree> sample_colbourn(const Distribution& p, int count, const SampleOptions& options = {}) {
  return TreeSampler(p, Sampler::colbourn).samples(count, options);
}

/// Trees without replacement, one after the other, as many as are asked for: each is drawn from p given that it is none
/// of the earlier ones [Shi20]. Trees that differ only in labels are different trees.
///
///     DistinctTrees trees(p, seed);
///     while (const std::optional<Tree> tree = trees.next()) print(*tree);
///
/// Each tree takes O(n^3), and less where trees share heads. The list can be moved but not copied.
class DistinctTrees {
 public:
  explicit DistinctTrees(const TreeDistribution& p, std::uint64_t seed = 0);
  explicit DistinctTrees(const LabelledTreeDistribution& p, std::uint64_t seed = 0);
  ~DistinctTrees();
  DistinctTrees(DistinctTrees&&) noexcept;
  DistinctTrees& operator=(DistinctTrees&&) noexcept;

  /// Returns nothing when all trees have been given.
  std::optional<Tree> next();
  /// The log-probability plus standard Gumbel noise of what next() gave last: trees come in descending order of it.
  double perturbed() const;
  /// That of the tree that next() will give, which is found now: the threshold of PerturbedTrees for those given. -inf
  /// when there is none.
  double threshold();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Distinct trees drawn at once, with what the estimators below need.
struct PerturbedTrees {
  std::vector<Tree> trees;        ///< in the order of their perturbed log-probabilities, highest first
  std::vector<double> perturbed;  ///< each tree's log-probability plus standard Gumbel noise
  double threshold = 0.0;         ///< the highest one of a tree not among them; -inf when these are all trees
};

/// The k trees (all, if there are fewer) of highest perturbed log-probability: a sample without replacement, by
/// stochastic beam search [Kool19]. For the same seed, they are the first k trees that DistinctTrees gives. Throws
/// InputError when k < 0. O(k n^3). `stop` is called after each tree, by all threads; the trees that are known to come
/// first by then are a sample of as many.
PerturbedTrees sample_without_replacement(const TreeDistribution& p, int k, const SampleOptions& options = {},
                                          const Stop& stop = {});
PerturbedTrees sample_without_replacement(const LabelledTreeDistribution& p, int k, const SampleOptions& options = {},
                                          const Stop& stop = {});

/// The same for all graphs of a batch, in parallel: what sample_trees and sample_without_replacement give for graph i
/// with the seed `seed + i`, and nothing for a graph without a tree. Throws Stopped when `stop` says so.
template <class D>
std::vector<std::vector<Tree>> sample_trees(const BatchOf<D>& batch, int count, std::uint64_t seed = 0,
                                            const Stop& stop = {});
template <class D>
std::vector<PerturbedTrees> sample_without_replacement(const BatchOf<D>& batch, int k, std::uint64_t seed = 0,
                                                       const Stop& stop = {});

/// An estimate of E[f(tree)] from values f(tree), one for each sample. The functions below throw InputError when there
/// are no values, or not as many as trees.
struct Estimate {
  double value = 0.0;
  double standard_error = 0.0;  ///< infinite for a single value
};
/// The mean over independent samples.
Estimate mean_estimate(const std::vector<double>& values);
/// The sum of weight * f over perturbed trees, which is unbiased.
double importance_estimate(const PerturbedTrees& sample, const std::vector<double>& values);
/// The same divided by the sum of weights: it is biased by O(1/k), has a smaller variance, and is exact for constant f.
double normalised_estimate(const PerturbedTrees& sample, const std::vector<double>& values);
/// Each tree's weight p(tree) / P(perturbed > threshold) [Kool19, eq. 12].
std::vector<double> importance_weights(const PerturbedTrees& sample);

}  // namespace kirchhoff
