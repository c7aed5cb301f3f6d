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
  const Desk<N, S>* desk;

  KIRCHHOFF_BOTH bool is_arc(int head, int dependent) const { return head != dependent; }
  /// The score of an arc less its word's best (and the root's best, which is at index 0), in two parts.
  KIRCHHOFF_BOTH WideSum scaled(double score, int head, int dependent) const {
    WideSum sum;
    sum.add(score);
    sum.add(-desk->shifts()[dependent]);
    if (single_root && head == 0) sum.add(-desk->shifts()[0]);
    return sum;
  }
  /// The direction of an arc as the caller gave it.
  KIRCHHOFF_BOTH double slope(double score, int head, int dependent, int label) const {
    double r = direction.values != nullptr ? direction.read(head, dependent, label) : 0.0;
    if (score_share != 0.0) r += score_share * score;
    return r;
  }
  KIRCHHOFF_BOTH double scaled_slope(double r, int head, int dependent) const {
    return r - desk->best_slopes()[dependent] - (single_root && head == 0 ? desk->best_slopes()[0] : 0.0);
  }
  /// The weight of one label of an arc.
  KIRCHHOFF_BOTH N weight(double score, int head, int dependent, int label) const {
    if (score == -HUGE_VAL) return constant<N>(0.0);
    const WideSum x = scaled(score, head, dependent);
    double r = 0.0;
    if constexpr (kHasTangent<N>) r = scaled_slope(slope(score, head, dependent, label), head, dependent);
    return exponential<N>(x.high, x.low, r);
  }
};

/// Finds shifts and weights: those of words go to the desk's rows, the root's to the root row of part 0. `bad` says
/// that a thread has met a weight below the range of doubles, `invalid` that it has met a score that is none.
template <class Team, class N, class S>
KIRCHHOFF_BOTH void weigh(const Team& team, const Weighing<N, S>& graph, const Desk<N, S>& desk,
                          typename Team::template Local<bool>& bad, typename Team::template Local<bool>& invalid) {
  const int n = desk.n, labels = graph.labels;
  // Threads run along the columns, which lie next to each other in memory.
  const int columns = n < Team::kThreads ? n : Team::kThreads, groups = Team::kThreads / columns;
  const auto arcs = [&](int thread, auto f) {  // f(head, dependent) for a thread's share of all pairs
    if (thread >= groups * columns) return;
    for (int head = thread / columns; head <= n; head += groups) {
      for (int dependent = 1 + thread % columns; dependent <= n; dependent += columns) f(head, dependent);
    }
  };
  const auto place = [&](int head, int dependent) -> N& {
    return head == 0 ? desk.root(0, dependent - 1) : desk.row_entry(head - 1, dependent - 1);
  };
  team.each([&](int thread) {
    bad[thread] = invalid[thread] = false;
    arcs(thread, [&](int head, int dependent) {
      double best = -HUGE_VAL;
      for (int y = 0; head != dependent && y < labels; ++y) {
        const double score = graph.scores.read(head, dependent, y);
        invalid[thread] =
            invalid[thread] || !(score <= kLargestScore) || (score < -kLargestScore && score != -HUGE_VAL);
        best = score > best ? score : best;
      }
      // The best score waits where the weight will be; it is a double whatever N is.
      *reinterpret_cast<double*>(&place(head, dependent)) = best;
    });
  });
  const auto best_of = [&](int head, int dependent) { return *reinterpret_cast<double*>(&place(head, dependent)); };
  // The direction of the label with the best score.
  const auto slope_of_best = [&](int head, int dependent, double best) {
    for (int y = 0; y < labels; ++y) {
      if (graph.scores.read(head, dependent, y) == best) return graph.slope(best, head, dependent, y);
    }
    return 0.0;
  };
  team.each([&](int thread) {
    for (int dependent = 1 + thread; dependent <= n; dependent += Team::kThreads) {
      double best = -HUGE_VAL;
      int head_of_best = -1;
      for (int head = graph.single_root ? 1 : 0; head <= n; ++head) {
        const double x = best_of(head, dependent);
        if (x > best) {
          best = x;
          head_of_best = head;
        }
      }
      desk.shifts()[dependent] = head_of_best < 0 ? 0.0 : best;
      desk.best_slopes()[dependent] = 0.0;
      if (kHasTangent<N> && head_of_best >= 0)
        desk.best_slopes()[dependent] = slope_of_best(head_of_best, dependent, best);
    }
    if (thread == 0) desk.shifts()[0] = desk.best_slopes()[0] = 0.0;
  });
  if (graph.single_root) {
    team.each([&](int thread) {
      if (thread != 0) return;
      double best = -HUGE_VAL;
      int word = -1;
      for (int dependent = 1; dependent <= n; ++dependent) {
        const double x = best_of(0, dependent) - desk.shifts()[dependent];
        if (x > best) {
          best = x;
          word = dependent;
        }
      }
      if (word < 0) return;
      desk.shifts()[0] = best;
      if (kHasTangent<N>) desk.best_slopes()[0] = slope_of_best(0, word, best_of(0, word)) - desk.best_slopes()[word];
    });
  }
  team.each([&](int thread) {
    arcs(thread, [&](int head, int dependent) {
      N weight = constant<N>(0.0);
      for (int y = 0; head != dependent && y < labels; ++y) {
        weight = add(weight, graph.weight(graph.scores.read(head, dependent, y), head, dependent, y));
      }
      const bool possible = best_of(head, dependent) != -HUGE_VAL;
      if (!kIsExtended<N> && possible && value_of(weight) < kSmallestWeight) bad[thread] = true;
      place(head, dependent) = weight;
    });
  });
}

}  // namespace kirchhoff::cuda
