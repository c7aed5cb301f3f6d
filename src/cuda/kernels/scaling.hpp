// The scores of a graph, less the best of each word, and their exponentials.
//
// Scaling multiplies all trees' weights by the same number, which log Z gets back; the same is done to the direction.
#pragma once

#include "cuda/kernels/numbers.hpp"
#include "cuda/kernels/question.hpp"

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

/// One graph's scores and direction, and what is subtracted from them: the score of the best arc into each word, and at
/// index 0 what the root's best arc is better than that; and the directions of these arcs.
struct Scaling {
  GraphArray scores, direction;
  double score_share;
  int labels;
  bool single_root;
  const double *shifts, *best_slopes;

  /// The score of an arc less its word's best (and the root's best, which is at index 0), in two parts.
  KIRCHHOFF_BOTH WideSum scaled(double score, int head, int dependent) const {
    WideSum sum;
    sum.add(score);
    sum.add(-shifts[dependent]);
    if (single_root && head == 0) sum.add(-shifts[0]);
    return sum;
  }
  /// The direction of an arc as the caller gave it.
  KIRCHHOFF_BOTH double slope(double score, int head, int dependent, int label) const {
    double r = direction.values != nullptr ? direction.read(head, dependent, label) : 0.0;
    if (score_share != 0.0) r += score_share * score;
    return r;
  }
  KIRCHHOFF_BOTH double scaled_slope(double r, int head, int dependent) const {
    return r - best_slopes[dependent] - (single_root && head == 0 ? best_slopes[0] : 0.0);
  }
  /// The weight of one label of an arc.
  template <class N>
  KIRCHHOFF_BOTH N weight_of(double score, int head, int dependent, int label) const {
    double r = 0.0;
    if constexpr (kHasTangent<N>) {
      if (score == -HUGE_VAL) return constant<N>(0.0);
      r = scaled_slope(slope(score, head, dependent, label), head, dependent);
    }
    // Rounding a difference costs |difference| 2^-53: at most 8e-14, of the smallest weights that doubles can be.
    if (!kIsExtended<N> && !(single_root && head == 0)) return exponential<N>(score - shifts[dependent], 0.0, r);
    if (score == -HUGE_VAL) return constant<N>(0.0);
    const WideSum x = scaled(score, head, dependent);
    return exponential<N>(x.high, x.low, r);
  }
};

KIRCHHOFF_BOTH Scaling scaling_of(const Question& q, std::int64_t g, const double* shifts, const double* best_slopes) {
  return {graph_array(q, q.scores, g),
          graph_array(q, q.direction, g),
          q.score_share,
          q.labels,
          q.single_root,
          shifts,
          best_slopes};
}

/// Log Z of the scaled weights, which is the product of the pivots, and of the graph, which thread 0 gets.
template <class Team, class N>
KIRCHHOFF_BOTH void find_log_partition(const Team& team, int n, const double* shifts, const N* pivots, double* scratch,
                                       double& scaled, double& whole) {
  constexpr int kShares = Team::kThreads / 4 < 8 ? Team::kThreads / 4 : 8;
  double *const highs = scratch, *const lows = highs + kShares, *const mantissas = lows + kShares,
                *const exponents = mantissas + kShares;
  team.each([&](int thread) {
    if (thread >= kShares) return;
    WideSum sum;
    Extended product{1.0, 0};
    for (int i = thread; i <= n; i += kShares) {
      sum.add(shifts[i]);
      if (i < n) product = multiply(product, extended_of(pivots[i]));
    }
    highs[thread] = sum.high;
    lows[thread] = sum.low;
    mantissas[thread] = product.m;
    exponents[thread] = static_cast<double>(product.e);
  });
  team.each([&](int thread) {
    if (thread != 0) return;
    WideSum sum;
    double mantissa = 1.0, exponent = 0.0;
    for (int i = 0; i < kShares; ++i) {
      sum.add(highs[i]);
      sum.low += lows[i];
      mantissa *= mantissas[i];
      exponent += exponents[i];
    }
    scaled = fma(exponent, kLn2High, fma(exponent, kLn2Low, log(mantissa)));
    sum.add(scaled);
    whole = sum.high + sum.low;
  });
}

}  // namespace kirchhoff::cuda
