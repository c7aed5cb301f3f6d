// The fast method: log Z and marginals from one inverse, with an error bound; and derivatives of marginals from it.
#pragma once

#include "base/buffer.hpp"
#include "kirchhoff/tree.hpp"
#include "numeric/sum.hpp"
#include "tree/weights.hpp"

namespace kirchhoff::tree {

/// The eliminated graph, in elimination order, row = dependent, column = head: D and, for single-root,
/// what turns D into K = L^-1 (fast.cpp).
struct Inverse {
  base::Buffer x;      // n rows of D, then the root row
  base::Buffer small;  // rows u, g, base, a, pivots
  base::Buffer work;
  numeric::Sum log_z;  // of the scaled weights
};

/// K and its transpose, n x ld each, made on demand.
struct KooInverse {
  base::Buffer k;
  base::Buffer transposed;
};
void koo_inverse(const Weights& weights, const Inverse& inverse, KooInverse& out);

/// Fills inverse (its x holds a copy of the weights) and p ((n+1) x n, rows `stride` apart, elimination order). Returns
/// true when every marginal is certified; false when not (p is then complete all the same) and sets `broken` when a
/// pivot failed (p is then meaningless).
bool fast_marginals(const Weights& weights, const Accuracy& accuracy, Inverse& inverse, double* p, std::size_t stride,
                    bool& broken);

/// out = derivative of p along direction, all (n+1) x ld in elimination order; direction is 0 where there is no arc.
void fast_marginals_along(const Weights& weights, const KooInverse& inverse, const double* p, const double* direction,
                          double* out);

/// Error of a marginal relative to the size of the terms it is subtracted from. Rounding errors of a sum grow like
/// sqrt(n) in practice: (4 + 1.4 sqrt(n)) eps was the worst of 4,000 graphs of 5 to 600 words (docs/methods/trees.md);
/// this is more than twice that.
double error_scale(int n);

}  // namespace kirchhoff::tree
