// Times stochastic beam search on a CUDA device, where the scores lie in its memory, and compares its trees with those
// that the same kernels find on the host.
//
// Usage: bench_beam [runs]
#include "device_array.hpp"

#include <kirchhoff/cuda_beam.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace {

using namespace kirchhoff;
using bench::check;
using bench::DeviceArray;

struct Setting {
  int graphs, words, trees;
  double spread;  // scores are N(0, spread^2)
};

std::vector<double> random_scores(const Setting& setting) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(0.0, setting.spread);
  std::vector<double> scores(static_cast<std::size_t>(setting.graphs) * (setting.words + 1) * (setting.words + 1));
  for (double& score : scores) score = normal(random);
  return scores;
}

/// How many of the first graph's trees are those of the host.
int same_trees(const Setting& setting, const std::vector<double>& scores, const std::vector<std::int32_t>& heads) {
  const int nodes = setting.words + 1;
  MatrixBatch batch;
  batch.add(MatrixView(scores.data(), nodes, nodes));
  const PerturbedTrees host = cuda::beam_sample(batch, Root::single, setting.trees, 1, cuda::Executor::host)[0];
  int same = 0;
  for (int t = 0; t < static_cast<int>(host.trees.size()); ++t) {
    same += std::equal(host.trees[t].heads.begin(), host.trees[t].heads.end(), heads.begin() + t * nodes) ? 1 : 0;
  }
  return same;
}

void measure(const Setting& setting, int runs) {
  const std::vector<double> given = random_scores(setting);
  const std::size_t trees = static_cast<std::size_t>(setting.graphs) * setting.trees;
  DeviceArray<double> scores(given.size()), log_prob(trees), perturbed(trees), threshold(setting.graphs);
  DeviceArray<std::int32_t> heads(trees * (setting.words + 1)), count(setting.graphs);
  DeviceArray<cuda::GraphStatus> status(setting.graphs);
  scores.send(given);
  cuda::BeamQuestion question{.root = Root::single, .graphs = setting.graphs, .words = setting.words};
  question.scores = cuda::contiguous(scores.get(), setting.words);
  question.trees = setting.trees;
  question.seed = 1;
  question.heads = heads.get();
  question.log_prob = log_prob.get();
  question.perturbed = perturbed.get();
  question.threshold = threshold.get();
  question.count = count.get();
  question.status = status.get();
  std::vector<double> times;
  for (int run = 0; run < runs; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    cuda::beam_sample(question);
    check(cudaDeviceSynchronize());
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  std::sort(times.begin(), times.end());
  const std::vector<cuda::GraphStatus> statuses = status.fetch();
  const auto solved = std::count(statuses.begin(), statuses.end(), cuda::GraphStatus::solved);
  std::printf("%4d x n = %3d, k = %5d, N(0, %g^2): %8.3f ms (median %.3f), %ld in doubles, %d of %d trees the host's\n",
              setting.graphs, setting.words, setting.trees, setting.spread, times.front(), times[times.size() / 2],
              static_cast<long>(solved), same_trees(setting, given, heads.fetch()), setting.trees);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int runs = argc > 1 ? std::max(1, std::atoi(argv[1])) : 20;
    std::printf("%s\n", cuda::description().c_str());
    for (const Setting& setting : {Setting{1, 100, 100, 1.0},
                                   {1, 100, 1000, 1.0},
                                   {64, 100, 100, 1.0},
                                   {1, 100, 100, 8.0},
                                   {64, 100, 100, 8.0},
                                   {4096, 25, 10, 1.0},
                                   {1, 100, 100, 200.0}}) {
      measure(setting, runs);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_beam: %s\n", error.what());
    return 1;
  }
}
