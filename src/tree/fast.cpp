// In-place Gauss-Jordan inverse in sign-free (GTH) form, blocked; marginals p_ij = w_ij (K a_ij)_j
// (docs/methods/trees.md).
//
// Off-diagonals of L are -w_ij <= 0 and its column sums are root weights, so elimination adds non-negative numbers only
// when pivots are summed from the column instead of updated by subtraction [Grassmann, Taksar & Heyman 1985]: all of K
// is right to n eps *relative* [O'Cinneide 1993; Alfa, Xue & Ye 2002]. The one subtraction left, K_jj - K_ji in the
// marginals, loses about n eps K_jj w_ij, which the certificate compares with the tolerance. Single-root: words 1..n-1
// are eliminated with root arcs left out of the pivots; the last word t is kept. With D = inverse of the eliminated
// block, u = w_0E D, z = w_0t + u w_Et (so Z = det(D)^-1 z) and g = D w_Et / z,
//     K_ji = D_ji - g_j u_i,  K_jt = g_j,  K_ti = -u_i / z,  K_tt = 1 / z.
// Cost 2 n^3 flops.
#include "tree/fast.hpp"

#include "base/buffer.hpp"
#include "numeric/simd/products.hpp"
#include "numeric/sum.hpp"
#include "tree/kernels/certified_marginals.hpp"
#include "tree/kernels/derivative.hpp"
#include "tree/kernels/gauss_jordan.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace kirchhoff::tree {
namespace {

constexpr double kSmallestPivot = 1e-90;

struct SmallRows {
  double *u, *g, *base, *a, *pivots;
  SmallRows(double* first, std::size_t ld)
      : u(first), g(first + ld), base(first + 2 * ld), a(first + 3 * ld), pivots(first + 4 * ld) {}
};
constexpr std::size_t kSmallRows = 5;

// u, g and 1 / z of the header; a_j = what base_j was computed from. False when a number is too small for doubles.
bool finish_single(int n, std::size_t ld, double* d, const SmallRows& rows) {
  const int t = n - 1;
  const double* root = d + n * ld;
  const double z = root[t];
  if (!(z >= kSmallestPivot)) return false;
  const double inverse_z = 1.0 / z;
  double smallest = z;
  for (int i = 0; i < t; ++i) {
    rows.u[i] = root[i];
    smallest = std::min(smallest, root[i]);
  }
  rows.u[t] = 0.0;
  for (int j = 0; j < t; ++j) {
    const double to_last = d[j * ld + t], own = d[j * ld + j];
    const double g = to_last * inverse_z;
    smallest = std::min(smallest, to_last);
    rows.g[j] = g;
    rows.base[j] = own - rows.u[j] * g;
    rows.a[j] = own + rows.u[j] * g;
  }
  rows.g[t] = inverse_z;
  rows.base[t] = rows.a[t] = 0.0;
  std::fill(d + t * ld, d + n * ld, 0.0);  // L's row t is the root's: no D there
  return smallest >= kSmallestPivot;
}

void finish_multi(int n, std::size_t ld, const double* d, const SmallRows& rows) {
  for (int j = 0; j < n; ++j) rows.base[j] = rows.a[j] = d[j * ld + j];
  std::fill(rows.u, rows.u + n, 0.0);
  std::fill(rows.g, rows.g + n, 0.0);
}

}  // namespace

double error_scale(int n) { return (8.0 + 4.0 * std::sqrt(n)) * std::numeric_limits<double>::epsilon(); }

bool fast_marginals(const Weights& weights, const Accuracy& accuracy, Inverse& inverse, double* p, std::size_t stride,
                    bool& broken) {
  const int n = weights.n;
  const std::size_t ld = weights.ld;
  const bool single = weights.root == Root::single;
  double* x = inverse.x.data();
  std::memset(x + (n + 1) * ld, 0, (base::padded(n + 1) + base::kPad - n - 1) * ld * sizeof(double));
  const SmallRows rows(inverse.small.take(kSmallRows * ld), ld);
  double* work = inverse.work.take(tree::gauss_jordan_work(n));

  const std::size_t count = single ? n - 1 : n;
  broken = !tree::gauss_jordan(n, x, ld, count, !single, kSmallestPivot, rows.pivots, work);
  if (broken) return false;
  numeric::LogProduct product;
  for (std::size_t v = 0; v < count; ++v) product.multiply(rows.pivots[v]);
  if (single) {
    product.multiply(x[n * ld + n - 1]);
    broken = !finish_single(n, ld, x, rows);
    if (broken) return false;
  } else {
    finish_multi(n, ld, x, rows);
  }
  inverse.log_z = {};
  product.add_to(inverse.log_z);

  for (double* row : {rows.u, rows.g, rows.base, rows.a}) std::fill(row + n, row + ld, 0.0);
  // Root arcs: w_0j K_jt (single) or w_0j K_jj (multi), a product: nothing to certify.
  const double* w = weights.w.data();
  const double* root_slope = single ? rows.g : rows.base;
  for (int j = 0; j < n; ++j) p[j] = std::min(w[j] * root_slope[j], 1.0);
  const tree::MarginalTerms terms{
      w + ld, x, rows.base, rows.a, rows.g, rows.u, single ? static_cast<std::size_t>(n - 1) : ld};
  return tree::certified_marginals(n, ld, terms, error_scale(n), accuracy.tolerance, accuracy.floor, work, p + stride,
                                   stride);
}

void koo_inverse(const Weights& weights, const Inverse& inverse, KooInverse& out) {
  const std::size_t n = weights.n, ld = weights.ld, t = n - 1;
  double* k = out.k.take(ld * ld);
  double* kt = out.transposed.take(ld * ld);
  const double* u = inverse.small.data();
  const double* g = u + ld;
  // Row t of D is 0, so that K_ti = -u_i g_t, g_t = 1 / z, comes out as well; multi-root has g = 0.
  tree::subtract_outer_product(n, ld, inverse.x.data(), g, u, k);
  if (weights.root == Root::single) {
    for (std::size_t j = 0; j < n; ++j) k[j * ld + t] = g[j];
  }
  std::memset(k + n * ld, 0, (ld - n) * ld * sizeof(double));
  numeric::transpose(ld, ld, k, ld, kt, ld);
}

void fast_marginals_along(const Weights& weights, const KooInverse& inverse, const double* p, const double* direction,
                          double* out) {
  // Cov(r, 1_kl) = p_kl r_kl - w_kl (Q a_kl)_l with Q = K L(w r) K; here Q^T = K^T (L^T K^T).
  const int n = weights.n;
  const std::size_t ld = weights.ld;
  const bool single = weights.root == Root::single;
  const double* w = weights.w.data();
  const double* k = inverse.k.data();
  const double* kt = inverse.transposed.data();
  thread_local base::Buffer storage;
  const std::size_t square = (n + 4) * ld;
  double* laplacian = storage.take(3 * square);
  double* half = laplacian + square;
  double* qt = half + square;

  tree::weighted_laplacian(n, ld, w, direction, single, laplacian);
  numeric::multiply_square(n, ld, laplacian, kt, half);
  numeric::multiply_square(n, ld, k, half, qt);

  double* base = laplacian;
  for (int j = 0; j < n; ++j) base[j] = single && j == n - 1 ? 0.0 : qt[j * ld + j];
  std::fill(base + n, base + ld, 0.0);
  const double* root_slope = single ? qt + (n - 1) * ld : base;
  for (std::size_t j = 0; j < ld; ++j) out[j] = p[j] * direction[j] - w[j] * root_slope[j];
  const std::size_t bare = single ? n - 1 : n;
  tree::derivative_rows(n, ld, {w + ld, p + ld, direction + ld, qt, base, bare}, out + ld);
}

}  // namespace kirchhoff::tree
