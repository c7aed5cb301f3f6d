// Trees without replacement, one by one or k at once: both run the same race, so both give the same trees.
#include "base/check.hpp"
#include "kirchhoff/sample.hpp"
#include "sample/race.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace kirchhoff {

struct DistinctTrees::State {
  sample::Race race;
  std::optional<sample::Arrival> ahead = {};  // what next() will give, once somebody has asked for the threshold
  double perturbed = HUGE_VAL;

  std::optional<sample::Arrival> take() { return ahead ? std::exchange(ahead, std::nullopt) : race.next(); }
};

namespace {

constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max() - 1;

template <class Distribution>
PerturbedTrees beam(const Distribution& p, int k, const SampleOptions& options, const Stop& stop) {
  if (k < 0) base::input_error("sample_without_replacement", "k is " + std::to_string(k) + ", expected 0 or more");
  return sample::Race(p, options.seed, static_cast<std::size_t>(k)).run(options.threads, stop);
}

}  // namespace

DistinctTrees::DistinctTrees(const TreeDistribution& p, std::uint64_t seed)
    : state_(new State{.race = sample::Race(p, seed, kNoLimit)}) {}
DistinctTrees::DistinctTrees(const LabelledTreeDistribution& p, std::uint64_t seed)
    : state_(new State{.race = sample::Race(p, seed, kNoLimit)}) {}
DistinctTrees::~DistinctTrees() = default;
DistinctTrees::DistinctTrees(DistinctTrees&&) noexcept = default;
DistinctTrees& DistinctTrees::operator=(DistinctTrees&&) noexcept = default;

std::optional<Tree> DistinctTrees::next() {
  auto arrival = state_->take();
  if (!arrival) return std::nullopt;
  state_->perturbed = arrival->perturbed;
  return std::move(arrival->tree);
}

double DistinctTrees::perturbed() const { return state_->perturbed; }

double DistinctTrees::threshold() {
  state_->ahead = state_->take();
  return state_->ahead ? state_->ahead->perturbed : -HUGE_VAL;
}

PerturbedTrees sample_without_replacement(const TreeDistribution& p, int k, const SampleOptions& options,
                                          const Stop& stop) {
  return beam(p, k, options, stop);
}

PerturbedTrees sample_without_replacement(const LabelledTreeDistribution& p, int k, const SampleOptions& options,
                                          const Stop& stop) {
  return beam(p, k, options, stop);
}

}  // namespace kirchhoff
