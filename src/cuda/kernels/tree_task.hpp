// What a kernel that gives trees is asked: the graphs, and where their trees go. Plain data, which travels to a device.
#pragma once

#include "cuda/kernels/question.hpp"

#include <cmath>
#include <cstdint>

namespace kirchhoff::cuda {

struct TreeTask {
  Question graphs;                 ///< of which only the graphs, their scores and their status count
  std::int64_t trees = 1;          ///< of each graph
  std::int32_t* heads = nullptr;   ///< graphs x trees x (words + 1)
  std::int32_t* labels = nullptr;  ///< the same, or null
  double* score = nullptr;         ///< graphs x trees, or null

  /// Where a tree begins in arrays of heads and labels.
  KIRCHHOFF_BOTH std::int64_t row(std::int64_t graph, std::int64_t tree) const {
    return (graph * trees + tree) * (graphs.words + 1);
  }
};

KIRCHHOFF_BOTH bool possible_words(const TreeTask& task, std::int64_t graph) {
  const int n = words_of(task.graphs, graph);
  return n >= 1 && n <= task.graphs.words;
}

/// Writes that there are no trees, from tree `first` of the graph up to `end`.
template <class Team>
KIRCHHOFF_BOTH void write_no_trees(const Team& team, const TreeTask& task, std::int64_t graph, std::int64_t first,
                                   std::int64_t end) {
  team.each([&](int thread) {
    for (std::int64_t i = task.row(graph, first) + thread; i < task.row(graph, end); i += Team::kThreads) {
      task.heads[i] = -1;
      if (task.labels != nullptr) task.labels[i] = -1;
    }
    if (task.score == nullptr) return;
    for (std::int64_t tree = first + thread; tree < end; tree += Team::kThreads) {
      task.score[graph * task.trees + tree] = -HUGE_VAL;
    }
  });
}

}  // namespace kirchhoff::cuda
