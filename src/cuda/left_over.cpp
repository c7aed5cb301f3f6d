// Draws the samples that kernels have left over with the CPU's samplers.
//
// A method that was asked for by name has a large budget on the CPU, and gives the same trees there. With
// Sampler::automatic they are Colbourn's, whose random numbers are others: that a walk was given up tells nothing about
// the tree [Wilson96], except about the root's child, so a child that has been drawn is kept.
#include "cuda/left_over.hpp"

#include "cuda/launch.hpp"
#include "cuda/launch_trees.hpp"
#include "kirchhoff/parallel.hpp"
#include "kirchhoff/sample.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace kirchhoff::cuda {
namespace {

/// Copies from and to the memory that kernels use.
struct Memory {
  Execution execution;

  template <class T>
  std::vector<T> fetch(const T* from, std::size_t count) const {
    std::vector<T> values(count);
    if (execution.executor == Executor::device) {
      fetch_from_device(values.data(), from, count * sizeof(T), execution.stream);
    } else {
      std::copy_n(from, count, values.data());
    }
    return values;
  }
  template <class T>
  void send(T* to, const std::vector<T>& values) const {
    if (execution.executor == Executor::device) {
      send_to_device(to, values.data(), values.size() * sizeof(T), execution.stream);
    } else {
      std::copy(values.begin(), values.end(), to);
    }
  }
  LabelledMatrix scores(const Question& graphs, std::int64_t g, int words) const {
    LabelledMatrix scores(words, graphs.labels);
    if (execution.executor == Executor::host) {
      copy_on_host(graphs, g, scores.data());
      return scores;
    }
    const DeviceMemory copy(scores.size() * sizeof(double), execution.stream);
    launch_copy(graphs, g, static_cast<double*>(copy.get()), execution.stream);
    copy.copy_to_host(scores.data(), scores.size() * sizeof(double));
    return scores;
  }
};

/// The scores of trees in which a word is the root's child, and no other is.
LabelledMatrix given_child(LabelledMatrix scores, int child) {
  for (int y = 0; y < scores.labels(); ++y) {
    for (int other = 1; other <= scores.words(); ++other) {
      if (other == child) continue;
      scores(0, other, y) = scores(other, child, y) = -HUGE_VAL;
    }
  }
  return scores;
}

TreeSampler sampler_of(const LabelledMatrix& scores, Root root, Sampler method) {
  if (scores.labels() > 1) return TreeSampler(LabelledTreeDistribution(scores, root), method);
  const Eigen::Index nodes = scores.words() + 1;
  return TreeSampler(TreeDistribution(Matrix(MatrixView(scores.data(), nodes, nodes)), root), method);
}

/// One graph's samples, of which some are to be drawn.
struct GraphSamples {
  std::int64_t graph;
  int words;
  LabelledMatrix scores;
  std::vector<std::uint8_t> spent;
  std::vector<std::int32_t> heads, labels;
  std::vector<double> score;
};

GraphSamples fetch(const Memory& memory, const SampleTask& task, std::int64_t g) {
  const TreeTask& trees = task.trees;
  const auto count = static_cast<std::size_t>(trees.trees), numbers = count * (trees.graphs.words + 1);
  const int* const lengths = trees.graphs.lengths;
  const int words = lengths == nullptr ? trees.graphs.words : memory.fetch(lengths + g, 1)[0];
  GraphSamples samples{g, words, memory.scores(trees.graphs, g, words), {}, {}, {}, {}};
  samples.spent = memory.fetch(task.spent + g * trees.trees, count);
  samples.heads = memory.fetch(trees.heads + trees.row(g, 0), numbers);
  if (trees.labels != nullptr) samples.labels = memory.fetch(trees.labels + trees.row(g, 0), numbers);
  if (trees.score != nullptr) samples.score = memory.fetch(trees.score + g * trees.trees, count);
  return samples;
}

void send(const Memory& memory, const TreeTask& trees, const GraphSamples& samples) {
  memory.send(trees.heads + trees.row(samples.graph, 0), samples.heads);
  if (trees.labels != nullptr) memory.send(trees.labels + trees.row(samples.graph, 0), samples.labels);
  if (trees.score != nullptr) memory.send(trees.score + samples.graph * trees.trees, samples.score);
}

void write(GraphSamples& samples, std::size_t k, int room, const Tree& tree) {
  const auto at = static_cast<std::ptrdiff_t>(k) * room;
  std::fill_n(std::copy(tree.heads.begin(), tree.heads.end(), samples.heads.begin() + at), room - samples.words - 1,
              -1);
  if (!samples.score.empty()) samples.score[k] = tree.score;
  if (samples.labels.empty()) return;
  const std::vector<int> none(tree.heads.size(), 0);
  const std::vector<int>& labels = tree.labels.empty() ? none : tree.labels;
  std::fill_n(std::copy(labels.begin(), labels.end(), samples.labels.begin() + at), room - samples.words - 1, -1);
}

void draw(const SampleTask& task, Sampler method, GraphSamples& samples) {
  const Root root = task.trees.graphs.single_root ? Root::single : Root::multi;
  const int room = task.trees.graphs.words + 1;
  const std::uint64_t seed = task.seed + static_cast<std::uint64_t>(samples.graph);
  std::map<int, TreeSampler> samplers;  // by the root's child, which is 0 if it is not known
  const auto sampler = [&](int child) {
    const auto found = samplers.find(child);
    if (found != samplers.end()) return found->second;
    const Sampler by = method == Sampler::automatic ? Sampler::colbourn : method;
    const LabelledMatrix scores = child == 0 ? samples.scores : given_child(samples.scores, child);
    return samplers.emplace(child, sampler_of(scores, root, by)).first->second;
  };
  for (std::size_t k = 0; k < samples.spent.size(); ++k) {
    if (samples.spent[k] == 0) continue;
    const auto row = samples.heads.begin() + static_cast<std::ptrdiff_t>(k) * room;
    const bool keeps_child = method == Sampler::automatic && root == Root::single;
    const auto child = keeps_child ? std::find(row + 1, row + samples.words + 1, 0) - row : 0;
    write(samples, k, room, sampler(static_cast<int>(child)).sample(seed, k));
  }
}

}  // namespace

void draw_left_over(const SampleTask& task, Sampler method, const Execution& execution) {
  constexpr std::size_t kTogether = 256;  // graphs whose scores are here at the same time
  const Memory memory{execution};
  const std::vector<int> graph_spent = memory.fetch(task.graph_spent, static_cast<std::size_t>(task.arcs.graphs));
  std::vector<std::int64_t> graphs;
  for (std::int64_t g = 0; g < task.arcs.graphs; ++g) {
    if (graph_spent[static_cast<std::size_t>(g)] != 0) graphs.push_back(g);
  }
  for (std::size_t first = 0; first < graphs.size(); first += kTogether) {
    std::vector<GraphSamples> some;
    for (std::size_t i = first; i < std::min(graphs.size(), first + kTogether); ++i) {
      some.push_back(fetch(memory, task, graphs[i]));
    }
    parallel_for(some.size(), kAllCores, [&](std::size_t i) { draw(task, method, some[i]); });
    for (const GraphSamples& samples : some) send(memory, task.trees, samples);
  }
}

}  // namespace kirchhoff::cuda
