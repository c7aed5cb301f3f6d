// A directional derivative by the method that found the marginals: two products with the inverse, or tangents.
#include "tree/marginals_along.hpp"

#include "base/buffer.hpp"
#include "tree/elimination_order.hpp"
#include "tree/kernels/derivative.hpp"
#include "tree/robust/slope_marginals.hpp"

namespace kirchhoff::tree {

void marginals_along(const TreeState& state, const MatrixRef& direction, double* out) {
  const Weights& weights = state.weights;
  const std::size_t n = state.words, ld = weights.ld;
  thread_local base::Buffer storage;
  double* r = storage.take(2 * (n + 1) * ld);
  double* derivative = r + (n + 1) * ld;
  to_elimination_order(weights, direction.data(), direction.outerStride(), r);
  // Adding a constant to a column changes r(tree) by a constant and no covariance: centre it, so that what follows
  // works with deviations and not with the size of r.
  const double* p = state.p.data();
  centre_columns({p, n + 1, n, ld}, {r, n + 1, n, ld});
  if (state.report.method == Method::fast) {
    thread_local KooInverse inverse;
    koo_inverse(weights, state.inverse, inverse);
    fast_marginals_along(weights, inverse, p, r, derivative);
  } else {
    thread_local Slopes slopes;
    robust_slopes(weights, r, slopes);
    derivatives_from_slopes(weights, slopes, p, r, derivative);
  }
  from_elimination_order(weights, derivative, out, static_cast<std::ptrdiff_t>(n + 1));
}

}  // namespace kirchhoff::tree
