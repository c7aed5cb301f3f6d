// Scores of a graph in one piece, with and without their labels.
#pragma once

#include "cuda/kernels/sample_task.hpp"
#include "cuda/kernels/weigh.hpp"

#include <cmath>

namespace kirchhoff::cuda {

/// The logarithm of the sum over an arc's labels; NaN if one of them is no score.
KIRCHHOFF_BOTH double sum_of_labels(const GraphArray& scores, int labels, int head, int dependent) {
  double top = -HUGE_VAL, sum = 0.0;
  for (int y = 0; y < labels; ++y) {
    const double x = scores.read(head, dependent, y);
    if (!(fabs(x) <= kLargestScore || x == -HUGE_VAL)) return NAN;
    top = fmax(top, x);
  }
  if (labels == 1 || top == -HUGE_VAL) return top;
  for (int y = 0; y < labels; ++y) sum += exp(scores.read(head, dependent, y) - top);
  return top + log(sum);
}

/// Makes the scores of arcs without labels.
template <class Team>
KIRCHHOFF_BOTH void sum_labels(const Team& team, const SampleTask& task, std::int64_t g) {
  if (!possible_words(task.trees, g)) return;
  const int n = words_of(task.trees.graphs, g);
  const GraphArray from = graph_array(task.trees.graphs, task.trees.graphs.scores, g);
  const GraphArray to = graph_array(task.arcs, task.arcs.scores, g);
  team.each([&](int thread) {
    for (int head = 0; head <= n; ++head) {
      for (int word = 1 + thread; word <= n; word += Team::kThreads) {
        if (head != word) to.write(head, word, 0, sum_of_labels(from, task.trees.graphs.labels, head, word));
      }
    }
  });
}

/// Copies all scores of a graph of n words to (n + 1) x (n + 1) x labels doubles; what is no arc becomes 0.
template <class Team>
KIRCHHOFF_BOTH void copy_scores(const Team& team, const Question& q, std::int64_t g, double* to) {
  const int n = words_of(q, g), labels = q.labels;
  const GraphArray from = graph_array(q, q.scores, g);
  team.each([&](int thread) {
    const std::int64_t row = std::int64_t{n + 1} * labels;
    for (std::int64_t i = thread; i < (n + 1) * row; i += Team::kThreads) {
      const int head = static_cast<int>(i / row), word = static_cast<int>(i % row / labels);
      to[i] = head == word || word == 0 ? 0.0 : from.read(head, word, static_cast<int>(i % labels));
    }
  });
}

}  // namespace kirchhoff::cuda
