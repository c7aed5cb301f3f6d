// Reads the scores of a graph that is to be inverted, and finds what they are scaled by.
//
// What is wrong with scores is not looked for. Those that are too small are noticed; NaN and infinite ones make pivots
// NaN, and those that are too large shifts, and then the graph is left to the elimination, which tells what it is.
#pragma once

#include "cuda/kernels/inversion.hpp"
#include "cuda/kernels/scaling.hpp"
#include "cuda/kernels/tile.hpp"

#include <cmath>

namespace kirchhoff::cuda {

/// One graph, and a team that inverts it.
template <class TeamType, class TileType>
struct FastGraph {
  using Team = TeamType;
  using T = TileType;
  const Team& team;
  const Question& q;
  const int n;
  FastDesk<T>& desk;
  const Scaling scaling;
  Inversion<Team, T>& inversion;

  KIRCHHOFF_BOTH bool single() const { return q.single_root; }
  /// There are numbers of one kind to be read, and nothing else.
  KIRCHHOFF_BOTH bool plain() const { return q.labels == 1; }
};

/// f(read), where read(i) is number i of an array. What kind of numbers they are is decided here, before many are read.
template <class F>
KIRCHHOFF_BOTH void with_reader(const GraphArray& array, F f) {
  if (array.single_precision) {
    f([values = static_cast<const float*>(array.values)](std::int64_t i) { return static_cast<double>(values[i]); });
  } else {
    f([values = static_cast<const double*>(array.values)](std::int64_t i) { return values[i]; });
  }
}

/// The best score of an arc's labels.
template <class Graph>
KIRCHHOFF_BOTH double best_label(const Graph& graph, int head, int dependent) {
  double best = -HUGE_VAL;
  for (int y = 0; y < graph.q.labels; ++y) best = fmax(best, graph.scaling.scores.read(head, dependent, y));
  return best;
}

/// f(row, column) for the entries of a thread's columns and every kParts-th row, up to `rows` of them.
template <class Graph, class F>
KIRCHHOFF_BOTH void for_each_entry(const Graph& graph, int thread, int rows, F f) {
  using T = typename Graph::T;
  for (int c = T::lane_of(thread); c < graph.n; c += T::kLanes) {
    KIRCHHOFF_UNROLL_BY(4)
    for (int i = T::part_of(thread); i < rows; i += T::kParts) f(i, c);
  }
}

/// Copies the scores to the desk (or the best of labels), the root's after the words', and finds the best of each word.
template <class Graph>
KIRCHHOFF_BOTH void find_shifts(const Graph& graph) {
  using T = typename Graph::T;
  auto& desk = graph.desk;
  const int n = graph.n;
  const GraphArray& scores = graph.scaling.scores;
  graph.team.each([&](int thread) {
    if (thread == 0) {
      desk.last = n - 1;
      desk.unusual = 0;
      desk.shifts[0] = 0.0;
    }
    double best = -HUGE_VAL;
    if (!graph.plain()) {
      for_each_entry(graph, thread, n + 1, [&](int i, int c) {
        const double score = i != c ? best_label(graph, i < n ? i + 1 : 0, c + 1) : -HUGE_VAL;
        desk.weight(i, c) = score;
        if (i < n || !graph.single()) best = fmax(best, score);
      });
      desk.terms.scratch[thread] = best;
      return;
    }
    // Many are on their way before the first is needed.
    constexpr int kRows = T::kAllRows / T::kParts, kAtOnce = (kRows - 1) / ((kRows + 31) / 32) + 1;
    const int part = T::part_of(thread), c = T::lane_of(thread);
    if (c >= n) return;
    with_reader(scores, [&](auto read) {
      if (part == 0) {
        desk.weight(n, c) = read(scores.at(0, c + 1, 0));
        if (!graph.single()) best = desk.weight(n, c);
      }
      for (int first = part; first < n; first += kAtOnce * T::kParts) {
        double x[kAtOnce];
        std::int64_t arc = scores.at(first + 1, c + 1, 0);
        KIRCHHOFF_UNROLL
        for (int r = 0; r < kAtOnce; ++r, arc += T::kParts * scores.head_stride) {
          const int i = first + r * T::kParts;
          x[r] = i < n && i != c ? read(arc) : -HUGE_VAL;
        }
        KIRCHHOFF_UNROLL
        for (int r = 0; r < kAtOnce; ++r) {
          const int i = first + r * T::kParts;
          if (i < n) desk.weight(i, c) = x[r];
          best = x[r] > best ? x[r] : best;
        }
      }
    });
    desk.terms.scratch[thread] = best;
  });
  graph.team.each([&](int thread) {
    for (int c = thread; c < n; c += T::kThreads) {
      double best = desk.terms.scratch[c];
      KIRCHHOFF_UNROLL
      for (int part = 1; part < T::kParts; ++part) best = fmax(best, desk.terms.scratch[part * T::kLanes + c]);
      if (best > kLargestScore || (best < -kLargestScore && best != -HUGE_VAL)) desk.unusual = 1;
      desk.shifts[1 + c] = best == -HUGE_VAL ? 0.0 : best;
    }
  });
}

/// Scales the root's scores by their best, too, and notes that word as the last.
template <class Graph>
KIRCHHOFF_BOTH void find_root_shift(const Graph& graph) {
  using T = typename Graph::T;
  auto& desk = graph.desk;
  double* const scratch = desk.terms.scratch;
  int* const places = desk.terms.places;
  graph.team.each([&](int thread) {
    double best = -HUGE_VAL;
    places[thread] = graph.n;
    for (int c = thread; c < graph.n; c += T::kThreads) {
      const double excess = desk.weight(graph.n, c) - desk.shifts[1 + c];
      if (excess > best) {
        best = excess;
        places[thread] = c;
      }
    }
    scratch[thread] = best;
  });
  for (int count = T::kThreads; count > 1;) {
    const int half = (count + 1) / 2;
    graph.team.each([&](int thread) {
      if (thread + half >= count) return;
      const double a = scratch[thread], b = scratch[thread + half];
      if (b < a || (b == a && places[thread + half] > places[thread])) return;
      scratch[thread] = b;
      places[thread] = places[thread + half];
    });
    count = half;
  }
  graph.team.each([&](int thread) {
    if (thread != 0) return;
    desk.shifts[0] = scratch[0];
    if (places[0] < graph.n) desk.last = places[0];
    if (!(fabs(scratch[0]) <= 2.0 * kLargestScore)) desk.unusual = 1;
  });
}

}  // namespace kirchhoff::cuda
