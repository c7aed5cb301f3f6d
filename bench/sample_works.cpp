// The calls of sampling that bench_tree times.
#include "baselines/trie_sampling.hpp"
#include "baselines/wilson_rc.hpp"
#include "works.hpp"

#include <benchmark/benchmark.h>

namespace kirchhoff::bench {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr int kWalks = 32000;          // walks that the mean number of draws is taken from
constexpr std::size_t kInARow = 1000;  // trees of one graph before the next: set-up and cold caches are amortised

template <class T>
const T& pick(const std::vector<T>& all, std::size_t i) {
  return all[i / kInARow % all.size()];
}

std::vector<TreeDistribution> distributions(const Graphs& graphs, Root root) {
  std::vector<TreeDistribution> result;
  for (const Matrix& graph : graphs) result.emplace_back(graph, root);
  return result;
}

std::vector<TreeSampler> samplers(const Graphs& graphs, Root root, Sampler method) {
  std::vector<TreeSampler> result;
  for (const TreeDistribution& p : distributions(graphs, root)) result.emplace_back(p, method);
  return result;
}

}  // namespace

Work walk_work(const Graphs& graphs, Root root, Sampler method) {
  const std::vector<TreeSampler> all = samplers(graphs, root, method);
  const auto walk = [=](std::size_t i) { return pick(all, i).walk(kSeed, i); };
  double draws = 0;
  for (int i = 0; i < kWalks; ++i) draws += static_cast<double>(walk(i).draws);
  return {[=](std::size_t i) { benchmark::DoNotOptimize(walk(i)); }, draws / kWalks};
}

Work sample_work(const Graphs& graphs, Root root, Sampler method) {
  return {[all = samplers(graphs, root, method)](std::size_t i) {
    benchmark::DoNotOptimize(pick(all, i).sample(kSeed, i));
  }};
}

Work sampler_work(const Graphs& graphs, Root root, Sampler method) {
  return {[=, all = distributions(graphs, root)](std::size_t i) {
    benchmark::DoNotOptimize(TreeSampler(all[i % all.size()], method));
  }};
}

Work beam_work(const Graphs& graphs, Root root, int k) {
  return {[=, all = distributions(graphs, root)](std::size_t i) {
    benchmark::DoNotOptimize(sample_without_replacement(all[i % all.size()], k, {.seed = i, .threads = 1}));
  }};
}

Work one_by_one_work(const Graphs& graphs, Root root, int k) {
  return {[=, all = distributions(graphs, root)](std::size_t i) {
    DistinctTrees trees(all[i % all.size()], i);
    for (int t = 0; t < k; ++t) benchmark::DoNotOptimize(trees.next());
  }};
}

Work mass_trie_work(const Graphs& graphs, int k) {
  return {[=](std::size_t i) {
    const Matrix& scores = pick(graphs, i);
    MassTrie trees(scores.data(), static_cast<int>(scores.rows()) - 1, i);
    for (int t = 0; t < k; ++t) benchmark::DoNotOptimize(trees.next());
  }};
}

Work wilson_rc_work(const Graphs& graphs, bool alias) {
  std::vector<WilsonRc> all;
  for (const Matrix& graph : graphs) {
    all.emplace_back(graph.data(), static_cast<int>(graph.rows()) - 1, alias ? Draw::alias : Draw::cumulative);
  }
  auto rng = std::make_shared<std::mt19937_64>(kSeed);
  return {[=](std::size_t i) { benchmark::DoNotOptimize(pick(all, i).sample(*rng)); }};
}

}  // namespace kirchhoff::bench
