// Prepares what the kernel of the refinement reads: weights by dependent, their totals, and the terms of the inverse.
#include "tree/fast/refined.hpp"

#include "base/buffer.hpp"
#include "numeric/simd/products.hpp"
#include "tree/kernels/refined_slopes.hpp"

#include <algorithm>

namespace kirchhoff::tree {

bool refine(const Weights& weights, const Accuracy& accuracy, FastInverse& inverse, Slopes& slopes) {
  const std::size_t n = weights.n, ld = weights.ld;
  const bool single = weights.root == Root::single;
  const double* const root = weights.w.data();
  thread_local base::Buffer storage;
  double* const into = storage.take((base::padded(n) + 2) * ld);
  double* const totals = into + base::padded(n) * ld;
  double* const errors = totals + ld;
  column_totals({single ? root + ld : root, single ? n : n + 1, ld, ld}, totals);
  numeric::transpose({root + ld, n, n, ld}, {into, n, n, ld});
  for (std::size_t i = 0; i < n; ++i) std::fill(into + i * ld + n, into + (i + 1) * ld, 0.0);

  const SmallRows rows(inverse.small.data(), ld);
  const std::size_t bare = single ? n - 1 : ld;
  double* const d = inverse.x.data();
  for (std::size_t j = 0; single && j < n; ++j) d[j * ld + bare] = 0.0;  // What stood there is in g.
  const MarginalTerms terms{{}, d, rows.base, rows.a, rows.g, rows.u, bare};
  const MarginalBound bound{error_scale(weights.n), accuracy.tolerance, accuracy.floor};
  const double* const root_slopes = single ? rows.g : rows.base;
  slopes.extended = false;
  slopes.tangents = 0;
  slopes.plane = ld;
  slopes.log_z = inverse.log_z;
  std::copy(root_slopes, root_slopes + ld, slopes.root.take(ld));
  return refined_slopes({{into, n, n, ld}, root, totals}, terms, bound, root_slopes, errors,
                        {slopes.rows.take(base::padded(n) * ld), n, n, ld});
}

}  // namespace kirchhoff::tree
