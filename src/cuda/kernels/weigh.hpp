// Reads the scores of a graph, scales each word's by its best, and writes the weights to a desk.
#pragma once

#include "cuda/kernels/desk.hpp"
#include "cuda/kernels/numbers.hpp"
#include "cuda/kernels/scaling.hpp"
#include "cuda/kernels/watch.hpp"

namespace kirchhoff::cuda {

/// One graph and its desk.
template <class N, class S>
struct Weighing : Scaling {
  Desk<N, S> desk;
  KIRCHHOFF_BOTH N weight(double score, int head, int dependent, int label) const {
    return this->template weight_of<N>(score, head, dependent, label);
  }
};

/// Finds each word's best score, and with derivatives the direction of that arc.
template <class Team, class N, class S>
KIRCHHOFF_BOTH void find_shifts(const Team& team, const Weighing<N, S>& graph) {
  const Desk<N, S>& desk = graph.desk;
  const int n = desk.n, labels = graph.labels, first = graph.single_root ? 1 : 0;
  constexpr int kWide = S::kColumnGroups, kGroups = S::kRowGroups;
  const auto bests = desk.before_rows();
  team.each([&](int thread) {
    if (thread < 2) desk.flags()[thread] = 0;
  });
  team.each([&](int thread) {
    bool invalid = false;
    for (int dependent = 1 + thread % kWide; dependent <= n; dependent += kWide) {
      double best = -HUGE_VAL;
      std::int64_t arc = graph.scores.at(thread / kWide, dependent, 0);
      for (int head = thread / kWide; head <= n; head += kGroups, arc += kGroups * graph.scores.head_stride) {
        for (int y = 0; y < labels; ++y) {
          const double score = head != dependent ? graph.scores.read(arc + y * graph.scores.label_stride) : -HUGE_VAL;
          const bool fine = (score <= kLargestScore && score >= -kLargestScore) || score == -HUGE_VAL;
          invalid = invalid || !fine;
          if (graph.direction.values != nullptr && score != -HUGE_VAL) {
            invalid = invalid || !(fabs(graph.direction.read(head, dependent, y)) < HUGE_VAL);
          }
          if (head >= first) best = fmax(best, score);
        }
      }
      bests[thread / kWide * n + dependent - 1] = best;
    }
    if (invalid) team.raise(desk.flags()[kInvalid]);
  });
  // The direction of the label with the best score.
  const auto slope_of = [&](int head, int dependent, double best) {
    for (int y = 0; y < labels; ++y) {
      if (graph.scores.read(head, dependent, y) == best) return graph.slope(best, head, dependent, y);
    }
    return 0.0;
  };
  team.each([&](int thread) {
    for (int dependent = 1 + thread; dependent <= n; dependent += Team::kThreads) {
      double best = -HUGE_VAL;
      for (int g = 0; g < kGroups; ++g) best = fmax(best, bests[g * n + dependent - 1]);
      desk.shifts()[dependent] = best == -HUGE_VAL ? 0.0 : best;
      desk.best_slopes()[dependent] = 0.0;
      if constexpr (kHasTangent<N>) {
        if (best == -HUGE_VAL) continue;
        for (int head = n; head >= first; --head) {  // the first head that has it
          for (int y = 0; head != dependent && y < labels; ++y) {
            if (graph.scores.read(head, dependent, y) == best) {
              desk.best_slopes()[dependent] = slope_of(head, dependent, best);
            }
          }
        }
      }
    }
    if (thread == 0) desk.shifts()[0] = desk.best_slopes()[0] = 0.0;
  });
  if (!graph.single_root) return;
  const auto root_score = [&](int dependent) {
    double best = -HUGE_VAL;
    for (int y = 0; y < labels; ++y) best = fmax(best, graph.scores.read(0, dependent, y));
    return best;
  };
  team.each([&](int thread) {
    double best = -HUGE_VAL;
    for (int dependent = 1 + thread; dependent <= n; dependent += Team::kThreads) {
      best = fmax(best, root_score(dependent) - desk.shifts()[dependent]);
    }
    desk.scratch()[thread] = best;
  });
  for (int half = Team::kThreads / 2; half > 0; half /= 2) {
    team.each([&](int thread) {
      if (thread < half) desk.scratch()[thread] = fmax(desk.scratch()[thread], desk.scratch()[thread + half]);
    });
  }
  team.each([&](int thread) {
    const double best = desk.scratch()[0];
    if (thread != 0 || best == -HUGE_VAL) return;
    desk.shifts()[0] = best;
    if constexpr (kHasTangent<N>) {
      for (int dependent = n; dependent >= 1; --dependent) {
        const double score = root_score(dependent);
        if (score - desk.shifts()[dependent] != best) continue;
        desk.best_slopes()[0] = slope_of(0, dependent, score) - desk.best_slopes()[dependent];
      }
    }
  });
}

/// The words of a graph in the order in which an elimination sees them: those from `first` on come first.
struct Order {
  int n, first;
  /// The node at a place, 0 .. n-1.
  KIRCHHOFF_BOTH int node(int place) const { return 1 + (place + first < n ? place + first : place + first - n); }
};

/// Writes the weights of the words at places [begin, end), as heads, to the first rows of the desk, and zeros to the
/// rest; with `root` also the root's to the root row of part 0.
template <class Team, class N, class S>
KIRCHHOFF_BOTH void weigh(const Team& team, const Weighing<N, S>& graph, const Order& order, int begin, int end,
                          bool root) {
  const Desk<N, S>& desk = graph.desk;
  constexpr int kWide = S::kColumnGroups, kGroups = S::kRowGroups;
  team.each([&](int thread) {
    bool bad = false;
    const auto weight_of = [&](int head, int dependent) {
      N weight = constant<N>(0.0);
      const std::int64_t arc = graph.scores.at(head, dependent, 0);
      for (int y = 0; y < graph.labels; ++y) {
        const double score = graph.scores.read(arc + y * graph.scores.label_stride);
        const N one = graph.weight(score, head, dependent, y);
        if (!kIsExtended<N> && value_of(one) < kSmallestWeight && score != -HUGE_VAL) bad = true;
        weight = y == 0 ? one : add(weight, one);
      }
      return weight;
    };
    const N zero = constant<N>(0.0);
    for (int c = thread % kWide; c < desk.columns(); c += kWide) {
      const int dependent = c < desk.n ? order.node(c) : 0;
      for (int r = thread / kWide; r < desk.room(); r += kGroups) {
        const int head = begin + r < end ? order.node(begin + r) : 0;
        desk.row_entry(r, c) = head != 0 && dependent != 0 && head != dependent ? weight_of(head, dependent) : zero;
      }
      if (root && thread / kWide == 0) desk.root(0, c) = dependent != 0 ? weight_of(0, dependent) : zero;
    }
    if (bad) team.raise(desk.flags()[kFailed]);
  });
}

}  // namespace kirchhoff::cuda
