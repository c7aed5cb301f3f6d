// The fast method: an in-place Gauss-Jordan inverse in sign-free (GTH) form, blocked, and the marginals p_ij = w_ij (K
// a_ij)_j (docs/methods/trees.md).
//
// Off-diagonals of L are -w_ij <= 0 and its column sums are root weights, so elimination adds non-negative numbers only
// when pivots are summed from the column instead of updated by subtraction [GTH85]: all of K
// is right to n eps *relative* [OCinneide93; AlfaXueYe02]. The one subtraction left, K_jj - K_ji in the
// marginals, loses about n eps K_jj w_ij, which the certificate compares with the tolerance. Single-root: words 1..n-1
// are eliminated with root arcs left out of the pivots; the last word t is kept. With D = inverse of the eliminated
// block, u = w_0E D, z = w_0t + u w_Et (so Z = det(D)^-1 z) and g = D w_Et / z,
//     K_ji = D_ji - g_j u_i,  K_jt = g_j,  K_ti = -u_i / z,  K_tt = 1 / z.
// Cost 2 n^3 flops.
#include "tree/fast/fast.hpp"

#include "base/buffer.hpp"
#include "numeric/simd/products.hpp"
#include "numeric/sum.hpp"
#include "tree/floating_point_flags.hpp"
#include "tree/kernels/certified_marginals.hpp"
#include "tree/kernels/derivative.hpp"
#include "tree/kernels/gauss_jordan.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

namespace kirchhoff::tree {
namespace {

constexpr double kSmallestPivot = 1e-90;

constexpr std::size_t kSmallRows = 5;

// Watches u and g, from which the marginals of arcs into t and from the root come as products, with no other check. A
// weight that is not too small is right to its last digits: what underflowed on the way to it was below 1e-308 times
// the inverses of two pivots. A weight of 0 is right, too, if there is no such walk in the graph: if no weight and no
// intermediate result underflowed, since sums, products and quotients of non-negative numbers are else 0 only where an
// arc is impossible.
struct SmallestWeight {
  bool zero_is_exact;
  double nonzero = HUGE_VAL;
  bool zero = false;

  void see(double x) {
    zero |= x == 0.0;
    nonzero = std::min(nonzero, x == 0.0 ? HUGE_VAL : x);
  }
  bool good() const { return nonzero >= kSmallestPivot && (!zero || zero_is_exact); }
};

// Finds u, g and 1 / z of the header; a_j is what base_j was computed from. False when a number is too small for
// doubles.
bool describe_single_root(int n, std::size_t ld, double* d, const SmallRows& rows, bool zero_is_exact) {
  const int t = n - 1;
  const double* root = d + n * ld;
  const double z = root[t];
  if (!(z >= kSmallestPivot)) return false;
  const double inverse_z = 1.0 / z;
  SmallestWeight smallest{zero_is_exact};
  for (int i = 0; i < t; ++i) {
    rows.u[i] = root[i];
    smallest.see(root[i]);
  }
  rows.u[t] = 0.0;
  for (int j = 0; j < t; ++j) {
    const double to_last = d[j * ld + t], own = d[j * ld + j];
    const double g = to_last * inverse_z;
    smallest.see(to_last);
    rows.g[j] = g;
    rows.base[j] = own - rows.u[j] * g;
    rows.a[j] = own + rows.u[j] * g;
  }
  rows.g[t] = inverse_z;
  rows.base[t] = rows.a[t] = 0.0;
  std::fill(d + t * ld, d + n * ld, 0.0);  // L's row t is the root's: no D there
  return smallest.good();
}

void describe_multi_root(int n, std::size_t ld, const double* d, const SmallRows& rows) {
  for (int j = 0; j < n; ++j) rows.base[j] = rows.a[j] = d[j * ld + j];
  std::fill(rows.u, rows.u + n, 0.0);
  std::fill(rows.g, rows.g + n, 0.0);
}

}  // namespace

bool invert(const Weights& weights, FastInverse& inverse) {
  const int n = weights.n;
  const std::size_t ld = weights.ld;
  const bool single = weights.root == Root::single;
  double* x = inverse.x.data();
  std::memset(x + (n + 1) * ld, 0, (base::padded(n + 1) + base::kPad - n - 1) * ld * sizeof(double));
  const SmallRows rows(inverse.small.take(kSmallRows * ld), ld);
  double* work = inverse.work.take(gauss_jordan_work(n));

  // Only walks in single-root graphs with impossible arcs may have weight 0. Looking at the flags takes 0.1 us.
  std::optional<FloatingPointFlags> flags;
  if (single && !weights.complete) flags.emplace();
  const std::size_t size = n, count = single ? size - 1 : size;
  if (!gauss_jordan({x, size + 1, size, ld}, {count, !single, kSmallestPivot}, rows.pivots, work)) {
    return false;
  }
  numeric::LogProduct product;
  for (std::size_t v = 0; v < count; ++v) product.multiply(rows.pivots[v]);
  if (single) {
    product.multiply(x[n * ld + n - 1]);
    const bool zero_is_exact = flags && !weights.underflowed && !FloatingPointFlags::underflowed();
    if (!describe_single_root(n, ld, x, rows, zero_is_exact)) return false;
  } else {
    describe_multi_root(n, ld, x, rows);
  }
  inverse.log_z = {};
  product.add_to(inverse.log_z);

  for (double* row : {rows.u, rows.g, rows.base, rows.a}) std::fill(row + n, row + ld, 0.0);
  return true;
}

// The walk from a word i goes to its head j at once with probability w_ji / s_i, so K_jj - K_ji is at most 1 - w_ji /
// s_i of K_jj, and the bound is `scale` of K_jj. The best weight is 1; that of the root, which has no arc back, is
// none.
bool surely_cancels(const Weights& weights, const Accuracy& accuracy) {
  if (!weights.complete || accuracy.floor > 0.0) return false;
  const std::size_t n = weights.n, ld = weights.ld;
  const bool single = weights.root == Root::single;
  const double* root = weights.w.data();
  thread_local base::Buffer storage;
  double* total = storage.take(ld);
  column_totals({single ? root + ld : root, single ? n : n + 1, ld, ld}, total);
  const double* other = single ? root + n * ld : root;
  const double least = error_scale(weights.n) / accuracy.tolerance;
  for (std::size_t c = 0; c < (single ? n - 1 : n); ++c) {
    if (total[c] - 1.0 < least * total[c] && other[c] < 1.0) return true;
  }
  return false;
}

bool inverse_marginals(const Weights& weights, const Accuracy& accuracy, FastInverse& inverse,
                       const numeric::MatrixSpan& p) {
  const std::size_t n = weights.n, ld = weights.ld;
  const bool single = weights.root == Root::single;
  const SmallRows rows(inverse.small.data(), ld);
  // Root arcs: w_0j K_jt (single) or w_0j K_jj (multi), a product: nothing to certify.
  const double* w = weights.w.data();
  const double* root_slope = single ? rows.g : rows.base;
  for (std::size_t j = 0; j < n; ++j) p.data[j] = std::min(w[j] * root_slope[j], 1.0);
  const MarginalTerms terms{{w + ld, n, n, ld}, inverse.x.data(), rows.base, rows.a, rows.g, rows.u,
                            single ? n - 1 : ld};
  const MarginalBound bound{error_scale(weights.n), accuracy.tolerance, accuracy.floor};
  return certified_marginals(terms, bound, p.from_row(1));
}

void koo_inverse(const Weights& weights, const FastInverse& inverse, KooInverse& out) {
  const std::size_t n = weights.n, ld = weights.ld, t = n - 1;
  double* k = out.k.take(ld * ld);
  double* kt = out.transposed.take(ld * ld);
  const double* u = inverse.small.data();
  const double* g = u + ld;
  // Row t of D is 0, so that K_ti = -u_i g_t, g_t = 1 / z, comes out as well; multi-root has g = 0.
  subtract_outer_product({inverse.x.data(), n, n, ld}, g, u, {k, n, n, ld});
  if (weights.root == Root::single) {
    for (std::size_t j = 0; j < n; ++j) k[j * ld + t] = g[j];
  }
  std::memset(k + n * ld, 0, (ld - n) * ld * sizeof(double));
  numeric::transpose({k, ld, ld, ld}, {kt, ld, ld, ld});
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

  const std::size_t size = n;
  const auto square_of = [&](const double* x) { return numeric::ConstMatrixSpan{x, size, size, ld}; };
  weighted_laplacian({w, size + 1, size, ld}, {direction, size + 1, size, ld}, single, {laplacian, size, size, ld});
  numeric::multiply_square(square_of(laplacian), square_of(kt), {half, size, size, ld});
  numeric::multiply_square(square_of(k), square_of(half), {qt, size, size, ld});

  double* base = laplacian;
  for (int j = 0; j < n; ++j) base[j] = single && j == n - 1 ? 0.0 : qt[j * ld + j];
  std::fill(base + n, base + ld, 0.0);
  const double* root_slope = single ? qt + (n - 1) * ld : base;
  for (std::size_t j = 0; j < ld; ++j) out[j] = p[j] * direction[j] - w[j] * root_slope[j];
  const std::size_t bare = single ? size - 1 : size;
  derivative_rows({w + ld, p + ld, direction + ld, qt, base, bare}, {out + ld, size, size, ld});
}

}  // namespace kirchhoff::tree
