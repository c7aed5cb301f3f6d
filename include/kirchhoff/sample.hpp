// Sampling: independent trees from a distribution, distinct trees (without replacement), and estimates from both.
//
// Random numbers are a function of (seed, index): sample i of a seed is the same tree whatever the number of samples
// or threads. All samplers are unbiased; which one to take when: docs/methods/sample.md.
#pragma once

#include "kirchhoff/decode.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace kirchhoff {

enum class Sampler {
  automatic,        ///< by expected cost: Wilson's walk (single-root: by marginal) with a small budget, or Colbourn
  wilson,           ///< loop-erased random walks [Wilson96]; multi-root only
  wilson_marginal,  ///< the root's child from its marginal, then Wilson; single-root only
  wilson_reject,    ///< Wilson until the root has one child; single-root only
  colbourn,         ///< head after head from conditional marginals [Colbourn96]; 2/3 n^3 flops, never stalls
};

/// No walk takes more draws: the sample is then one of Colbourn's, which changes nothing in distribution, because the
/// number of draws is independent of the tree. Sampler::automatic chooses a smaller budget by cost.
constexpr std::int64_t kLargestWalk = 20'000'000;

/// A sample of the heads alone, and what it cost.
struct Walk {
  Heads heads;
  std::int64_t draws = 0;  ///< random steps taken
  int tries = 1;           ///< of Sampler::wilson_reject
  bool budget_spent = false;
};

struct SampleOptions {
  std::uint64_t seed = 0;
  int threads = 1;  ///< 0: all cores
};

/// Set up once for a distribution, then any number of samples. All members may be called from several threads at once.
class TreeSampler {
 public:
  /// InputError when the method is for the other root mode. O(n^2), with Sampler::automatic or colbourn O(n^3).
  explicit TreeSampler(const TreeDistribution& p, Sampler method = Sampler::automatic);
  explicit TreeSampler(const LabelledTreeDistribution& p, Sampler method = Sampler::automatic);

  /// What runs: never automatic.
  Sampler method() const;
  /// Mean number of draws of a walk without a budget, exactly (the trace of the walk's Green's function); for
  /// wilson_reject of one try. 0 for colbourn.
  double expected_draws() const;

  Walk walk(std::uint64_t seed, std::uint64_t index) const;
  /// With labels if the distribution has them; with score and log-probability.
  Tree sample(std::uint64_t seed, std::uint64_t index) const;
  /// Samples 0 .. count-1. InputError when count < 0.
  std::vector<Tree> samples(int count, const SampleOptions& options = {}) const;

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

/// Without replacement, one after the other, as many as are asked for: each is drawn from p given that it is none of
/// the earlier ones [Shi20]. Trees that differ only in labels are different trees.
///
///   DistinctTrees trees(p, seed);
///   while (auto tree = trees.next()) ...
///
/// O(n^3) for each, less where trees share heads. Can be moved, not copied.
class DistinctTrees {
 public:
  explicit DistinctTrees(const TreeDistribution& p, std::uint64_t seed = 0);
  explicit DistinctTrees(const LabelledTreeDistribution& p, std::uint64_t seed = 0);
  ~DistinctTrees();
  DistinctTrees(DistinctTrees&&) noexcept;
  DistinctTrees& operator=(DistinctTrees&&) noexcept;

  /// Nothing when all trees have been given.
  std::optional<Tree> next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// k trees at once, with what the estimators below need.
struct PerturbedTrees {
  std::vector<Tree> trees;        ///< in the order of their perturbed log-probabilities, highest first
  std::vector<double> perturbed;  ///< log-probability + standard Gumbel noise, of each tree
  double threshold = 0.0;         ///< the highest one not among them; -inf when these are all trees
};

/// The k trees (all, if there are fewer) of highest perturbed log-probability: a sample without replacement, by
/// stochastic beam search [Kool19]. For the same seed, the first k trees that DistinctTrees gives. InputError when
/// k < 0. O(k n^3). When stopped: the first trees, a sample of so many.
PerturbedTrees sample_without_replacement(const TreeDistribution& p, int k, std::uint64_t seed = 0,
                                          const Stop& stop = {});
PerturbedTrees sample_without_replacement(const LabelledTreeDistribution& p, int k, std::uint64_t seed = 0,
                                          const Stop& stop = {});

/// Estimates of E[f(tree)] from values f(tree), one for each sample. InputError for no values or not as many as trees.
struct Estimate {
  double value = 0.0;
  double standard_error = 0.0;  ///< +inf for a single value
};
/// From independent samples.
Estimate mean_estimate(const std::vector<double>& values);
/// From perturbed trees: sum of weight * f, unbiased.
double importance_estimate(const PerturbedTrees& sample, const std::vector<double>& values);
/// The same divided by the sum of weights: biased by O(1/k), of smaller variance, exact for constant f.
double normalised_estimate(const PerturbedTrees& sample, const std::vector<double>& values);
/// p(tree) / P(perturbed > threshold), for each tree [Kool19, eq. 12].
std::vector<double> importance_weights(const PerturbedTrees& sample);

}  // namespace kirchhoff
