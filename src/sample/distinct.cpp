// Trees without replacement, one by one or k at once: both run the same race, so both give the same trees.
#include "base/check.hpp"
#include "kirchhoff/sample.hpp"
#include "sample/race.hpp"

#include <limits>
#include <string>

namespace kirchhoff {

struct DistinctTrees::State {
  sample::Race race;
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
    : state_(new State{sample::Race(p, seed, kNoLimit)}) {}
DistinctTrees::DistinctTrees(const LabelledTreeDistribution& p, std::uint64_t seed)
    : state_(new State{sample::Race(p, seed, kNoLimit)}) {}
DistinctTrees::~DistinctTrees() = default;
DistinctTrees::DistinctTrees(DistinctTrees&&) noexcept = default;
DistinctTrees& DistinctTrees::operator=(DistinctTrees&&) noexcept = default;

std::optional<Tree> DistinctTrees::next() {
  auto arrival = state_->race.next();
  if (!arrival) return std::nullopt;
  return std::move(arrival->tree);
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
