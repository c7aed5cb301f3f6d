// Marginals from an inverse, and the bound of their errors.
//
// With K = L^-1, p(i -> j) = w_ij (K_jj - K_ji), and every entry of K has a small relative error, so that the error of
// p is bounded by that of w_ij K_jj (docs/methods/trees.md). Single-root: the root's favourite word t is not
// eliminated, and root arcs are no part of pivots. With D = inverse of the eliminated block, u = w_0E D, z = w_0t + u
// w_Et and g = D w_Et / z,
//     K_ji = D_ji - g_j u_i,  K_jt = g_j,  K_ti = -u_i / z,  K_tt = 1 / z.
#pragma once

#include "cuda/kernels/fast_scores.hpp"

#include <cmath>

namespace kirchhoff::cuda {

/// A probability, in spite of rounding errors.
KIRCHHOFF_BOTH double within(double p) { return !(p > 0.0) ? 0.0 : p < 1.0 ? p : 1.0; }

/// Puts the weights into the threads' tiles.
template <class Graph>
KIRCHHOFF_BOTH void load(const Graph& graph) {
  using T = typename Graph::T;
  graph.team.each([&](int thread) {
    const int lane = T::lane_of(thread), part = T::part_of(thread);
    auto& own = graph.inversion.rows(thread);
    KIRCHHOFF_UNROLL
    for (int k = 0; k < T::kWide; ++k) {
      const int c = k * T::kLanes + lane;
      KIRCHHOFF_UNROLL
      for (int r = 0; r < T::kRows; ++r) own.x[k][r] = c < graph.n ? graph.desk.weight(r * T::kParts + part, c) : 0.0;
    }
  });
}

/// f(r, row) for all rows of a part, when they have moved up.
template <class T, class F>
KIRCHHOFF_BOTH void for_each_row(int part, int moved, F f) {
  const int wrapped = T::kRows - moved, begin = moved * T::kParts + part, again = begin - T::kAllRows;
  KIRCHHOFF_UNROLL
  for (int r = 0; r < T::kRows; ++r) f(r, (r < wrapped ? begin : again) + r * T::kParts);
}

/// Finds what the marginals of the arcs to a word have in common.
template <class Graph>
KIRCHHOFF_BOTH void find_terms(const Graph& graph, int moved) {
  using T = typename Graph::T;
  auto& desk = graph.desk;
  const int n = graph.n, last = graph.single() ? n - 1 : -1;
  graph.team.each([&](int thread) {
    const int lane = T::lane_of(thread), part = T::part_of(thread);
    auto& own = graph.inversion.rows(thread);
    KIRCHHOFF_UNROLL
    for (int k = 0; k < T::kWide; ++k) {
      const int c = k * T::kLanes + lane;
      for_each_row<T>(part, moved, [&](int r, int row) {
        if (row == c) desk.diagonal[c] = own.x[k][r];
        if (row == n) desk.from_root[c] = own.x[k][r];
        if (c == last) desk.terms[row].from_last = own.x[k][r];
        // The root's row of L is in the last word's place: no D there.
        if (row == last || row == n) own.x[k][r] = 0.0;
      });
    }
  });
  // A bound of the error of p that is larger than p times the tolerance, or than the tolerance of absolute errors.
  const double scale = (8.0 + 4.0 * sqrt(static_cast<double>(n))) * 0x1p-52 / graph.q.accuracy.tolerance;
  graph.team.each([&](int thread) {
    for (int j = thread; j < T::kAllRows; j += Graph::Team::kThreads) {
      WordTerms& terms = desk.terms[j];
      if (j >= n) {
        terms = {0.0, 0.0, 0.0, 0.0};
      } else if (last < 0) {
        const double own = desk.diagonal[j] * desk.scales[j];
        terms = {own, 0.0, scale * own, 0.0};
        desk.from_root[j] = 0.0;
      } else {
        const double z = desk.from_root[last], inverse = 1.0 / z, factor = desk.scales[j];
        const double u = desk.from_root[j] * factor, to_last = terms.from_last, own = desk.diagonal[j] * factor;
        const double g = to_last * inverse;
        // Products of these are marginals, with no other check: they may not have lost digits, nor be zeros.
        const bool fine = z >= kSmallestPivot && (j == last || (u >= kSmallestPivot && to_last >= kSmallestPivot));
        if (!fine) desk.unusual = 1;
        terms = j == last ? WordTerms{0.0, inverse, 0.0, scale * inverse}
                          : WordTerms{own - u * g, g, scale * (own + u * g), scale * g};
      }
    }
  });
}

/// Puts marginals in the place of the weights (or with labels slopes, by which weights are to be multiplied).
template <class Graph>
KIRCHHOFF_BOTH void find_marginals(const Graph& graph, int moved) {
  using T = typename Graph::T;
  auto& desk = graph.desk;
  const int n = graph.n;
  const bool single = graph.single(), plain = graph.plain();
  const double floor = graph.q.accuracy.floor;
  graph.team.each([&](int thread) {
    const int lane = T::lane_of(thread), part = T::part_of(thread);
    const auto& own = graph.inversion.rows(thread);
    bool doubtful = false;
    KIRCHHOFF_UNROLL
    for (int k = 0; k < T::kWide; ++k) {
      const int c = k * T::kLanes + lane;
      if (c >= n) continue;
      const bool is_last = single && c == n - 1;
      const double scale = is_last ? 0.0 : -desk.scales[c];
      const double u = is_last || !single ? 0.0 : desk.from_root[c] * -scale;
      for_each_row<T>(part, moved, [&](int r, int row) {
        const WordTerms terms = desk.terms[row];
        double& entry = desk.weights[c * T::kStride + row];
        const double w = row < n ? entry : 0.0, slope = fma(u, terms.from_last, fma(scale, own.x[k][r], terms.base));
        const double bound = fma(u, terms.last_bound, terms.bound);
        doubtful = doubtful || !(bound <= slope || w * bound <= floor);
        if (row < n) entry = plain ? within(w * slope) : slope;
      });
      if (part != 0) continue;
      double& entry = desk.weight(n, c);
      const double slope = single ? desk.terms[c].from_last : desk.terms[c].base;
      entry = plain ? within(entry * slope) : slope;
    }
    if (doubtful) desk.unusual = 1;
  });
}

}  // namespace kirchhoff::cuda
