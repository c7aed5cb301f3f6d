// The third derivative of log Z = log det L(w) along r, s and each arc kl. With L_r = L(w r), A_r = K L_r and a_kl the
// column that kl has in L (docs/methods/expectations.md),
//     p_kl r_kl s_kl - w_kl [(Q a_kl)_l + r_kl (A_s K a_kl)_l + s_kl (A_r K a_kl)_l],  Q = (A_rs - A_r A_s - A_s A_r)
//     K:
// eight products of n x n matrices. Where K is too large for that, elimination carries jets along r and s instead.
#include "tree/covariance_gradient.hpp"

#include "base/buffer.hpp"
#include "numeric/simd/products.hpp"
#include "tree/elimination_order.hpp"
#include "tree/kernels/derivative.hpp"
#include "tree/robust/slope_marginals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace kirchhoff::tree {
namespace {

/// Products of n x n matrices with padded rows, all of which are taken from one buffer.
class Products {
 public:
  Products(const Weights& weights, const KooInverse& inverse)
      : weights_(weights), n_(weights.n), ld_(weights.ld), inverse_(inverse) {
    next_ = storage().take(kMatrices * matrix_size());
    std::fill_n(next_, kMatrices * matrix_size(), 0.0);
  }

  /// (K L(w r))^T = L^T K^T.
  double* step(const double* r) {
    double* laplacian = fresh();
    weighted_laplacian({weights_.w.data(), n_ + 1, n_, ld_}, {r, n_ + 1, n_, ld_}, single(), span(laplacian));
    return product(laplacian, inverse_.transposed.data());
  }
  /// at^T b.
  double* product(const double* at, const double* b) {
    double* out = fresh();
    numeric::multiply_square(span(at), span(b), span(out));
    return out;
  }
  double* transposed(const double* a) {
    double* out = fresh();
    numeric::transpose(span(a), span(out));
    return out;
  }
  /// Writes (X K a_kl)_l for all arcs, given X^T.
  void slopes(const double* xt, double* out) {
    const double* qt = product(inverse_.k.data(), xt);
    const std::size_t bare = single() ? n_ - 1 : n_;  // the row that the root's replaces
    for (std::size_t l = 0; l < n_; ++l) {
      const double own = l == bare ? 0.0 : qt[l * ld_ + l];
      out[l] = single() ? qt[bare * ld_ + l] : own;
      for (std::size_t k = 0; k < n_; ++k) out[(k + 1) * ld_ + l] = own - (k == bare ? 0.0 : qt[k * ld_ + l]);
    }
  }

 private:
  static constexpr std::size_t kMatrices = 13;
  static base::Buffer& storage() {
    thread_local base::Buffer buffer;
    return buffer;
  }
  bool single() const { return weights_.root == Root::single; }
  std::size_t matrix_size() const { return (n_ + 4) * ld_; }
  double* fresh() { return std::exchange(next_, next_ + matrix_size()); }
  numeric::ConstMatrixSpan span(const double* x) const { return {x, n_, n_, ld_}; }
  numeric::MatrixSpan span(double* x) const { return {x, n_, n_, ld_}; }

  const Weights& weights_;
  std::size_t n_, ld_;
  const KooInverse& inverse_;
  double* next_;
};

// Whether three factors w K, each with an error of eps, leave the digits that the marginals have.
bool inverse_is_small(const Weights& weights, const KooInverse& inverse) {
  const std::size_t n = weights.n, ld = weights.ld;
  double largest = 0.0;
  for (std::size_t j = 0; j < n; ++j) {
    double weight = 0.0, entry = 0.0;
    for (std::size_t i = 0; i <= n; ++i) weight = std::max(weight, weights.w.data()[i * ld + j]);
    for (std::size_t i = 0; i < n; ++i) entry = std::max(entry, std::abs(inverse.k.data()[j * ld + i]));
    largest = std::max(largest, weight * entry);
  }
  constexpr double kTolerance = 1e-12;
  return std::numeric_limits<double>::epsilon() * std::sqrt(n) * largest * largest * largest <= kTolerance;
}

void fast_gradient(const Weights& weights, const KooInverse& inverse, const double* p, const Directions& along,
                   double* out) {
  const std::size_t n = weights.n, ld = weights.ld, size = (n + 1) * ld;
  thread_local base::Buffer storage;
  double* both = storage.take(4 * size);
  double *mixed = both + size, *along_r = mixed + size, *along_s = along_r + size;
  for (std::size_t i = 0; i < size; ++i) both[i] = along.r[i] * along.s[i];
  Products products(weights, inverse);
  const double* r = products.step(along.r);
  const double* s = products.step(along.s);
  double* q = products.step(both);
  const double* sr = products.product(products.transposed(s), r);
  const double* rs = products.product(products.transposed(r), s);
  for (std::size_t i = 0; i < n * ld; ++i) q[i] -= sr[i] + rs[i];
  products.slopes(q, mixed);
  products.slopes(r, along_r);
  products.slopes(s, along_s);
  for (std::size_t i = 0; i < size; ++i) {
    if (i % ld >= n) continue;
    const double slope = mixed[i] + along.r[i] * along_s[i] + along.s[i] * along_r[i];
    out[i] = p[i] * both[i] - weights.w.data()[i] * slope;
  }
}

}  // namespace

void covariance_gradient(const TreeState& state, const MatrixRef& r, const MatrixRef& s, double* out) {
  const Weights& weights = state.weights;
  const std::size_t n = state.words, ld = weights.ld, size = (n + 1) * ld;
  thread_local base::Buffer storage;
  double* along_r = storage.take(3 * size);
  double *along_s = along_r + size, *gradient = along_s + size;
  const double* p = state.p.data();
  const auto take = [&](const MatrixRef& from, double* to) {  // centred, as in marginals_along
    to_elimination_order(weights, from.data(), from.outerStride(), to);
    centre_columns({p, n + 1, n, ld}, {to, n + 1, n, ld});
  };
  take(r, along_r);
  take(s, along_s);
  thread_local KooInverse inverse;
  const bool fast = state.report.method == Method::fast;
  if (fast) koo_inverse(weights, state.inverse, inverse);
  if (fast && inverse_is_small(weights, inverse)) {
    fast_gradient(weights, inverse, p, {along_r, along_s}, gradient);
  } else {
    thread_local Slopes slopes;
    robust_slopes_along(weights, along_r, along_s, slopes);
    second_derivatives_from_slopes(weights, slopes, {along_r, along_s}, gradient);
  }
  from_elimination_order(weights, gradient, out, static_cast<std::ptrdiff_t>(n + 1));
}

}  // namespace kirchhoff::tree
