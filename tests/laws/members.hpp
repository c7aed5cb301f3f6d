// What a family of distributions may offer to the law suite besides what it must: each member brings its laws.
#pragma once

#include "laws/enumeration.hpp"
#include "support/graphs.hpp"

#include <concepts>
#include <cstdint>
#include <utility>

namespace kirchhoff::laws {

template <class F>
using DistributionOf = typename F::Distribution;

/// What every family must have. Its constructor takes a random generator, and makes a small distribution.
template <class F>
concept IsFamily = std::constructible_from<F, graphs::Random&> &&
    requires(const F& family, const DistributionOf<F>& p, const Weights& weights) {
  { family.weights() } -> std::convertible_to<Weights>;                               // a log-weight for each place
  { family.structures() } -> std::convertible_to<std::vector<Structure>>;             // all of them, by brute force
  { family.groups() } -> std::convertible_to<std::vector<std::vector<std::size_t>>>;  // each structure uses one of each
  { family.make(weights) } -> std::convertible_to<DistributionOf<F>>;                 // may throw Infeasible
  { family.marginals(p) } -> std::convertible_to<Weights>;                            // those of the first places
  { p.log_partition() } -> std::convertible_to<double>;
};

template <class F>
concept HasLogProb = requires(const F& family, const DistributionOf<F>& p, const Structure& s) {
  { family.log_prob(p, s) } -> std::convertible_to<double>;
};
template <class F>
concept HasEntropy = requires(const F& family, const DistributionOf<F>& p) {
  { family.entropy(p) } -> std::convertible_to<double>;
};
template <class F>
concept HasRenyi = HasEntropy<F> && requires(const F& family, const DistributionOf<F>& p, double alpha) {
  { family.renyi(p, alpha) } -> std::convertible_to<double>;
};
template <class F>
concept HasKl = requires(const F& family, const DistributionOf<F>& p) {
  { family.kl(p, p) } -> std::convertible_to<double>;
};
/// The cumulants of an additive function, given by its value at each place; entry k is the k-th.
template <class F>
concept HasCumulants = requires(const F& family, const DistributionOf<F>& p, const Weights& f, int order) {
  { family.cumulants(p, f, order) } -> std::convertible_to<Weights>;
};
template <class F>
concept HasTemperature = HasEntropy<F> && requires(const F& family, const DistributionOf<F>& p, double temperature) {
  { family.with_temperature(p, temperature) } -> std::convertible_to<DistributionOf<F>>;
};
/// The best structures with their log-probabilities, best first.
template <class F>
concept HasKBest = requires(const F& family, const DistributionOf<F>& p, int k) {
  { family.k_best(p, k) } -> std::convertible_to<std::vector<std::pair<Structure, double>>>;
};
/// Samples 0 .. count-1 of a seed together, and one of them alone.
template <class F>
concept HasSamples = requires(const F& family, const DistributionOf<F>& p, int count, std::uint64_t number) {
  { family.samples(p, count, number) } -> std::convertible_to<std::vector<Structure>>;
  { family.sample(p, number, number) } -> std::convertible_to<Structure>;
};
template <class F>
concept HasRequire = requires(const F& family, const DistributionOf<F>& p, std::size_t place) {
  { family.require(p, place) } -> std::convertible_to<DistributionOf<F>>;
};
template <class F>
concept HasForbid = requires(const F& family, const DistributionOf<F>& p, std::size_t place) {
  { family.forbid(p, place) } -> std::convertible_to<DistributionOf<F>>;
};
/// A symmetry: the log-weight of place i may go to place renaming[i].
template <class F>
concept HasRenaming = requires(const F& family, graphs::Random& random) {
  { family.renaming(random) } -> std::convertible_to<std::vector<std::size_t>>;
};
/// log Z of several distributions at once.
template <class F>
concept HasBatch = requires(const F& family, const std::vector<Weights>& all) {
  { family.log_partitions(all) } -> std::convertible_to<std::vector<double>>;
};

/// The derivative of the marginals when the log-weights move along a direction, for the same places as marginals().
template <class F>
concept HasAlong = requires(const F& family, const DistributionOf<F>& p, const Weights& direction) {
  { family.along(p, direction) } -> std::convertible_to<Weights>;
};
/// Cov(f, g) of sums over places.
template <class F>
concept HasCovariance = requires(const F& family, const DistributionOf<F>& p, const Weights& f) {
  { family.covariance(p, f, f) } -> std::convertible_to<double>;
};
/// The best structure with its log-probability.
template <class F>
concept HasBest = requires(const F& family, const DistributionOf<F>& p) {
  { family.best(p) } -> std::convertible_to<std::pair<Structure, double>>;
};
/// Structures without replacement, with their perturbed log-probabilities and that of the next one.
struct Distinct {
  std::vector<Structure> structures;
  std::vector<double> perturbed;
  double threshold = 0.0;
};
template <class F>
concept HasDistinct = requires(const F& family, const DistributionOf<F>& p, std::uint64_t seed) {
  { family.distinct(p, 2, seed) } -> std::convertible_to<Distinct>;
};
/// The same distribution from weights that lie amid NaN, or amid parts that nothing uses.
template <class F>
concept HasPadding = requires(const F& family, const Weights& weights) {
  { family.padded(weights) } -> std::convertible_to<DistributionOf<F>>;
};
/// Finite weights up to this size are right.
template <class F>
concept HasLargest = requires {
  { F::kLargest } -> std::convertible_to<double>;
};

}  // namespace kirchhoff::laws
