// Sums over the arcs of a given tree, and what a loss subtracts from its arcs.
#pragma once

#include "cuda/kernels/question.hpp"

#include <cmath>

namespace kirchhoff::cuda {

/// Trees of graphs. Plain data, which travels to a device.
struct GoldTask {
  Question graphs;  ///< sizes, and an array of arcs in `scores`
  const std::int64_t* heads = nullptr;
  const std::int64_t* labels = nullptr;
  double* score = nullptr;
  std::uint8_t* wrong = nullptr;
  const double* factors = nullptr;

  KIRCHHOFF_BOTH std::int64_t at(std::int64_t g, int word) const { return g * (graphs.words + 1) + word; }
  KIRCHHOFF_BOTH std::int64_t label(std::int64_t g, int word) const {
    return labels != nullptr ? labels[at(g, word)] : 0;
  }
};

/// Bytes for ancestors: two integers for each node, and what threads have added up and found.
template <class Team>
KIRCHHOFF_BOTH std::size_t gold_bytes(int words) {
  return Team::kThreads * sizeof(double) + (2 * (static_cast<std::size_t>(words) + 1) + 4) * sizeof(int);
}

/// Whether all words hang below the root. They climb by 1, 2, 4, ... heads at a time.
template <class Team>
KIRCHHOFF_BOTH void climb(const Team& team, int n, int* above, int* next, int* wrong) {
  for (int step = 1; step < n; step *= 2) {
    team.each([&](int thread) {
      for (int v = thread; v <= n; v += Team::kThreads) next[v] = above[above[v]];
    });
    int* const swap = above;
    above = next;
    next = swap;
  }
  team.each([&](int thread) {
    for (int v = thread; v <= n; v += Team::kThreads) {
      if (above[v] != 0) team.raise(*wrong);
    }
  });
}

template <class Team>
KIRCHHOFF_BOTH void score_tree(const Team& team, const GoldTask& task, std::int64_t g, char* memory) {
  const Question& q = task.graphs;
  double* const sums = reinterpret_cast<double*>(memory);
  int* const wrong = reinterpret_cast<int*>(sums + Team::kThreads);
  int *const above = wrong + 4, *const next = above + q.words + 1;
  const int n = words_of(q, g);
  const bool possible = n >= 1 && n <= q.words;
  const GraphArray scores = graph_array(q, q.scores, g);
  team.each([&](int thread) {
    if (thread == 0) *wrong = possible ? 0 : 1;
  });
  team.each([&](int thread) {
    double sum = 0.0;
    for (int v = thread; possible && v <= n; v += Team::kThreads) {
      const std::int64_t head = v == 0 ? 0 : task.heads[task.at(g, v)], label = v == 0 ? 0 : task.label(g, v);
      const bool fits = head >= 0 && head <= n && label >= 0 && label < q.labels && (v == 0 || head != v);
      above[v] = fits ? static_cast<int>(head) : 0;
      if (!fits) team.raise(*wrong);
      if (v > 0 && fits) sum += scores.read(above[v], v, static_cast<int>(label));
    }
    sums[thread] = sum;
  });
  if (*wrong == 0) climb(team, n, above, next, wrong);
  team.each([&](int thread) {
    if (thread != 0) return;
    double sum = 0.0;
    int roots = 0;
    for (int i = 0; i < Team::kThreads; ++i) sum += sums[i];
    for (int v = 1; q.single_root && possible && v <= n; ++v) roots += task.heads[task.at(g, v)] == 0 ? 1 : 0;
    const bool bad = *wrong != 0 || roots > 1;
    task.wrong[g] = bad ? 1 : 0;
    task.score[g] = bad ? 0.0 : sum;
  });
}

template <class Team>
KIRCHHOFF_BOTH void subtract_from_tree(const Team& team, const GoldTask& task, std::int64_t g) {
  const Question& q = task.graphs;
  const GraphArray array = graph_array(q, q.scores, g);
  const int n = words_of(q, g), nodes = q.words + 1;
  const double factor = task.factors[g];
  team.each([&](int thread) {
    for (int head = 0; head < nodes; ++head) {
      for (int i = thread; i < nodes * q.labels; i += Team::kThreads) {
        const int dependent = i / q.labels, label = i % q.labels;
        const bool used = dependent > 0 && dependent <= n;
        const bool own = used && task.heads[task.at(g, dependent)] == head && task.label(g, dependent) == label;
        const std::int64_t at = array.at(head, dependent, label);
        const double p = array.read(at);
        array.write(at, own ? factor * (1.0 - p) : p == 0.0 ? 0.0 : -factor * p);
      }
    }
  });
}

}  // namespace kirchhoff::cuda
