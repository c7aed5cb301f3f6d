// The fast method: log Z and marginals from one inverse, with an error bound; and derivatives of marginals from it.
#pragma once

#include "base/buffer.hpp"
#include "kirchhoff/tree.hpp"
#include "numeric/matrix_span.hpp"
#include "numeric/sum.hpp"
#include "tree/weights.hpp"

namespace kirchhoff::tree {

/// The eliminated graph, in elimination order, with a row for each dependent and a column for each head: D and, for
/// single-root graphs, what turns D into K = L^-1 (fast.cpp).
struct FastInverse {
  base::Buffer x;      // n rows of D, then the root row
  base::Buffer small;  // SmallRows
  base::Buffer work;
  numeric::Sum log_z;  // log Z of the scaled weights
};

/// What is in FastInverse::small.
struct SmallRows {
  double *u, *g, *base, *a, *pivots;
  SmallRows(double* first, std::size_t ld)
      : u(first), g(first + ld), base(first + 2 * ld), a(first + 3 * ld), pivots(first + 4 * ld) {}
};

/// K and its transpose, n x ld each, which are made on demand.
struct KooInverse {
  base::Buffer k;
  base::Buffer transposed;
};
void koo_inverse(const Weights& weights, const FastInverse& inverse, KooInverse& out);

/// Fills `inverse`, whose x holds a copy of the weights. False when a pivot fails, or a number is too small for
/// doubles.
bool invert(const Weights& weights, FastInverse& inverse);
/// Writes the (n+1) x n marginals p in elimination order. False when the bound of some error is too large.
bool inverse_marginals(const Weights& weights, const Accuracy& accuracy, FastInverse& inverse,
                       const numeric::MatrixSpan& p);
/// Whether some bound is all but sure to be too large, as a look at the weights can tell: some word is so certain of
/// its head that the arc back, which would close a cycle, is lost in rounding errors.
bool surely_cancels(const Weights& weights, const Accuracy& accuracy);

/// Writes the derivative of p along `direction` to `out`; all are (n+1) x ld in elimination order. The direction is 0
/// where there is no arc.
void fast_marginals_along(const Weights& weights, const KooInverse& inverse, const double* p, const double* direction,
                          double* out);

}  // namespace kirchhoff::tree
