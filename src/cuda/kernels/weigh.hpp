// Reads the scores of a graph, scales each word's by its best, and exponentiates them.
//
// Scaling multiplies all trees' weights by the same number, which log Z gets back; the same is done to the direction.
#pragma once

#include "cuda/kernels/desk.hpp"
#include "cuda/kernels/numbers.hpp"
#include "cuda/kernels/question.hpp"
#include "cuda/kernels/watch.hpp"

namespace kirchhoff::cuda {

/// Beyond this a double's rounding error changes weights by more than 1e-7 anyway.
inline constexpr double kLargestScore = 1e9;
/// Below this a weight is left to numbers of extended range.
inline constexpr double kSmallestWeight = 1e-280;

/// A number in twice the precision.
struct WideSum {
  double high = 0.0, low = 0.0;
  KIRCHHOFF_BOTH void add(double x) {
    const double sum = high + x, back = sum - high;
    low += (high - (sum - back)) + (x - back);
    high = sum;
  }
};

/// One graph's scores and direction, and what is subtracted from them.
template <class N, class S>
struct Weighing {
  GraphArray scores, direction;
  double score_share;
  int labels;
  bool single_root;
  Desk<N, S> desk;

  /// The score of an arc less its word's best (and the root's best, which is at index 0), in two parts.
  KIRCHHOFF_BOTH WideSum scaled(double score, int head, int dependent) const {
    WideSum sum;
    sum.add(score);
    sum.add(-desk.shifts()[dependent]);
    if (single_root && head == 0) sum.add(-desk.shifts()[0]);
    return sum;
  }
  /// The direction of an arc as the caller gave it.
  KIRCHHOFF_BOTH double slope(double score, int head, int dependent, int label) const {
    double r = direction.values != nullptr ? direction.read(head, dependent, label) : 0.0;
    if (score_share != 0.0) r += score_share * score;
    return r;
  }
  KIRCHHOFF_BOTH double scaled_slope(double r, int head, int dependent) const {
    return r - desk.best_slopes()[dependent] - (single_root && head == 0 ? desk.best_slopes()[0] : 0.0);
  }
  /// The weight of one label of an arc.
  KIRCHHOFF_BOTH N weight(double score, int head, int dependent, int label) const {
    double r = 0.0;
    if constexpr (kHasTangent<N>) {
      if (score == -HUGE_VAL) return constant<N>(0.0);
      r = scaled_slope(slope(score, head, dependent, label), head, dependent);
    }
    // Rounding a difference costs |difference| 2^-53: at most 8e-14, of the smallest weights that doubles can be.
    if (!kIsExtended<N> && !(single_root && head == 0)) return exponential<N>(score - desk.shifts()[dependent], 0.0, r);
    if (score == -HUGE_VAL) return constant<N>(0.0);
    const WideSum x = scaled(score, head, dependent);
    return exponential<N>(x.high, x.low, r);
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
