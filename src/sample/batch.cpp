// Samples of all graphs of a batch.
#include "base/check.hpp"
#include "base/stop.hpp"
#include "kirchhoff/sample.hpp"

#include <atomic>
#include <string>

namespace kirchhoff {

template <class D>
std::vector<std::vector<Tree>> sample_trees(const BatchOf<D>& batch, int count, std::uint64_t seed, const Stop& stop) {
  if (count < 0) base::input_error("sample_trees", "count is " + std::to_string(count) + ", expected 0 or more");
  std::vector<std::vector<Tree>> trees(batch.size());
  const auto sample = [&](std::size_t i, const D& p) {
    const TreeSampler sampler(p);
    for (int k = 0; k < count; ++k) trees[i].push_back(sampler.sample(seed + i, k));
  };
  batch.visit(sample, {}, stop);
  return trees;
}

template <class D>
std::vector<PerturbedTrees> sample_without_replacement(const BatchOf<D>& batch, int k, std::uint64_t seed,
                                                       const Stop& stop) {
  std::vector<PerturbedTrees> trees(batch.size());
  const int threads = batch.size() == 1 ? batch.options().threads : 1;
  std::atomic<bool> stopped = false;  // one graph that is stopped gives fewer trees, and says nothing
  const Stop asked = [&] {
    if (base::stops(stop)) stopped = true;
    return stopped.load();
  };
  const auto sample = [&](std::size_t i, const D& p) {
    trees[i] = sample_without_replacement(p, k, {.seed = seed + i, .threads = threads}, asked);
    if (stopped) throw Stopped();
  };
  const auto nothing = [&](std::size_t i, const Infeasible&) { trees[i].threshold = -HUGE_VAL; };
  batch.visit(sample, nothing, asked);
  return trees;
}

#define KIRCHHOFF_INSTANTIATE(D)                                                                            \
  template std::vector<std::vector<Tree>> sample_trees(const BatchOf<D>&, int, std::uint64_t, const Stop&); \
  template std::vector<PerturbedTrees> sample_without_replacement(const BatchOf<D>&, int, std::uint64_t, const Stop&)
KIRCHHOFF_INSTANTIATE(TreeDistribution);
KIRCHHOFF_INSTANTIATE(LabelledTreeDistribution);
#undef KIRCHHOFF_INSTANTIATE

}  // namespace kirchhoff
