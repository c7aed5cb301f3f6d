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

/// Puts the weights into the threads' squares.
template <class Graph>
KIRCHHOFF_BOTH void load(const Graph& graph) {
  graph.team.each([&](int thread) {
    graph.inversion.squares(thread).each(thread, [&](double& x, int row, int c) {
      x = c < graph.n && row <= graph.n ? graph.desk.weight(row, c) : 0.0;
    });
  });
}

/// Finds what the marginals of the arcs to a word have in common.
template <class Graph>
KIRCHHOFF_BOTH void find_terms(const Graph& graph) {
  using T = typename Graph::T;
  auto& desk = graph.desk;
  const int n = graph.n, last = graph.single() ? n - 1 : -1;
  auto& found = desk.terms;
  graph.team.each([&](int thread) {
    auto& own = graph.inversion.squares(thread);
    for_indices(std::make_integer_sequence<int, T::kHigh>(), [&](auto t) {
      KIRCHHOFF_UNROLL
      for (int k = 0; k < T::kWide; ++k) {
        if (T::square_column(thread, k) != t.value * kSquare) continue;
        const int row = T::row_of(thread), e = row - T::column_of(thread);
        if (e == 0 || e == 1)
          found.diagonal[t.value * kSquare + row] = e == 0 ? own.x[k][t.value][0] : own.x[k][t.value][1];
      }
    });
    if (last >= 0) own.in_column(thread, last, [&](double x, int row) { found.words[row].from_last = x; });
    own.in_row(thread, n, [&](double& x, int c) {
      desk.from_root[c] = x;
      x = 0.0;
    });
    // The root's row of L is in the last word's place: no D there.
    if (last >= 0) own.in_row(thread, last, [&](double& x, int) { x = 0.0; });
  });
  // A bound of the error of p that is larger than p times the tolerance, or than the tolerance of absolute errors.
  const double scale = (8.0 + 4.0 * sqrt(static_cast<double>(n))) * 0x1p-52 / graph.q.accuracy.tolerance;
  graph.team.each([&](int thread) {
    for (int j = thread; j < n; j += Graph::Team::kThreads) {
      WordTerms& terms = found.words[j];
      if (last < 0) {
        const double own = found.diagonal[j] * desk.scales[j];
        terms = {own, 0.0, scale * own, 0.0};
        desk.from_root[j] = 0.0;
      } else {
        const double z = desk.from_root[last], inverse = 1.0 / z, factor = desk.scales[j];
        const double u = desk.from_root[j] * factor, to_last = terms.from_last, own = found.diagonal[j] * factor;
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
KIRCHHOFF_BOTH void find_marginals(const Graph& graph) {
  using T = typename Graph::T;
  auto& desk = graph.desk;
  const int n = graph.n;
  const bool single = graph.single(), plain = graph.plain();
  const double floor = graph.q.accuracy.floor;
  const auto by_root = [&](int c) { return single ? desk.terms.words[c].from_last : desk.terms.words[c].base; };
  graph.team.each([&](int thread) {
    const auto& x = graph.inversion.squares(thread).x;
    bool doubtful = false;
    double scale[T::kWide][2], u[T::kWide][2];
    KIRCHHOFF_UNROLL
    for (int k = 0; k < T::kWide; ++k) {
      KIRCHHOFF_UNROLL
      for (int e = 0; e < 2; ++e) {
        const int c = T::square_column(thread, k) + T::column_of(thread) + e;
        const bool counts = c < n && !(single && c == n - 1);
        scale[k][e] = counts ? -desk.scales[c] : 0.0;
        u[k][e] = counts && single ? desk.from_root[c] * desk.scales[c] : 0.0;
      }
    }
    KIRCHHOFF_UNROLL
    for (int t = 0; t < T::kHigh; ++t) {
      const int row = t * kSquare + T::row_of(thread);
      const WordTerms terms = desk.terms.words[row];
      KIRCHHOFF_UNROLL
      for (int k = 0; k < T::kWide; ++k) {
        const int first = T::square_column(thread, k);
        if (first >= n) continue;
        KIRCHHOFF_UNROLL
        for (int e = 0; e < 2; ++e) {
          const int c = first + T::column_of(thread) + e;
          double& entry = desk.weight(c, row);
          const double slope = fma(u[k][e], terms.from_last, fma(scale[k][e], x[k][t][e], terms.base));
          const double bound = fma(u[k][e], terms.last_bound, terms.bound);
          const double p = entry * slope, error = entry * bound, number = plain ? within(p) : slope;
          const bool inside = c < n && row < n, fine = (error <= p) | (error <= floor);
          doubtful |= inside & !fine;
          if (inside) entry = number;
        }
      }
    }
    for (int c = thread; c < n; c += T::kThreads) {
      double& entry = desk.weight(n, c);
      entry = plain ? within(entry * by_root(c)) : by_root(c);
    }
    if (doubtful) desk.unusual = 1;
  });
}

}  // namespace kirchhoff::cuda
