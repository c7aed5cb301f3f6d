// The weights of a graph that is to be inverted.
#pragma once

#include "cuda/kernels/fast_scores.hpp"
#include "cuda/kernels/power.hpp"

namespace kirchhoff::cuda {

/// Puts weights in the place of the scores.
template <class Graph>
KIRCHHOFF_BOTH void weigh(const Graph& graph) {
  using T = typename Graph::T;
  auto& desk = graph.desk;
  const int n = graph.n;
  const Scaling& scaling = graph.scaling;
  graph.team.each([&](int thread) {
    bool small = false;
    const auto weight_of = [&](double score, double low) {
      small = small || (score < kSmallestExponent && score != -HUGE_VAL);
      return power(score + low);
    };
    const auto any_weight = [&](int i, int c, double best) {
      const int head = i < n ? i + 1 : 0, dependent = c + 1;
      double sum = 0.0;
      for (int y = 0; i != c && y < graph.q.labels; ++y) {
        const double score = graph.plain() ? best : scaling.scores.read(head, dependent, y);
        const WideSum x = scaling.scaled(score, head, dependent);
        sum += score == -HUGE_VAL ? 0.0 : weight_of(x.high, x.low);
      }
      return sum;
    };
    for (int c = T::lane_of(thread); c < n; c += T::kLanes) {
      const double shift = desk.shifts[1 + c];
      if (graph.plain()) {
        KIRCHHOFF_UNROLL_BY(4)
        for (int i = T::part_of(thread); i < n; i += T::kParts) {
          double& entry = desk.weight(i, c);
          entry = weight_of(entry - shift, 0.0);
        }
        if (T::part_of(thread) == 0) desk.weight(n, c) = any_weight(n, c, desk.weight(n, c));
      } else {
        for (int i = T::part_of(thread); i <= n; i += T::kParts) desk.weight(i, c) = any_weight(i, c, 0.0);
      }
    }
    if (small) desk.unusual = 1;
  });
}

/// Exchanges the last word with `desk.last`, as head and as dependent.
template <class Graph>
KIRCHHOFF_BOTH void exchange_last(const Graph& graph) {
  auto& desk = graph.desk;
  const int n = graph.n, a = desk.last, b = n - 1;
  if (a == b) return;
  graph.team.each([&](int thread) {
    for (int c = thread; c < n; c += Graph::Team::kThreads) {
      const double x = desk.weight(a, c);
      desk.weight(a, c) = desk.weight(b, c);
      desk.weight(b, c) = x;
    }
  });
  graph.team.each([&](int thread) {
    for (int row = thread; row <= n; row += Graph::Team::kThreads) {
      const double x = desk.weight(row, a);
      desk.weight(row, a) = desk.weight(row, b);
      desk.weight(row, b) = x;
    }
  });
}

}  // namespace kirchhoff::cuda
