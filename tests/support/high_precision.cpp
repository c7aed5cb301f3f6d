// Computes log Z and marginals by an LU inverse in as many digits as two agreeing runs need.
#include "support/high_precision.hpp"

#include <boost/multiprecision/mpfr.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace kirchhoff::high_precision {
namespace {

using oracle::ArcArray;
using oracle::Real;
namespace mp = boost::multiprecision;
using Number = mp::number<mp::mpfr_float_backend<0>, mp::et_off>;  // precision set at run time

constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
constexpr int kMaxBits = 1 << 18;
// Two precisions must agree to this, 1000 times closer than any test asks.
constexpr Real kAgreement = 1e-17L;

/// A dense matrix of Numbers with only what we need.
struct Table {
  explicit Table(int side) : size(side), values(static_cast<std::size_t>(side) * side) {}
  Number& operator()(int i, int j) { return values[static_cast<std::size_t>(i) * size + j]; }
  const Number& operator()(int i, int j) const { return values[static_cast<std::size_t>(i) * size + j]; }
  int size;
  std::vector<Number> values;
};

/// Numbers may be far outside long double's range: take mantissa and exponent apart. NaN unless x > 0, and NaN agrees
/// with nothing: a marginal that came out as 0 or less had too few digits.
Real log_of(const Number& x) {
  if (!(x > 0)) return std::numeric_limits<Real>::quiet_NaN();
  long exponent = 0;
  const Real mantissa = mpfr_get_ld_2exp(&exponent, x.backend().data(), MPFR_RNDN);
  return std::log(mantissa) + static_cast<Real>(exponent) * std::log(Real(2));
}

Real to_real(const Number& x) { return mpfr_get_ld(x.backend().data(), MPFR_RNDN); }

/// w_ij = exp(theta_ij - c_j), c_j the column's largest score: log Z changes by sum c_j and nothing else changes.
Table weights(const Matrix& scores, const Vector& shift) {
  const int n = static_cast<int>(scores.rows()) - 1;
  Table w(n + 1);
  for (int i = 0; i <= n; ++i)
    for (int j = 1; j <= n; ++j)
      w(i, j) = i == j || scores(i, j) == -kInfinity ? Number(0) : mp::exp(Number(scores(i, j)) - Number(shift(j)));
  return w;
}

Vector column_maxima(const Matrix& scores) {
  const int n = static_cast<int>(scores.rows()) - 1;
  Vector shift = Vector::Constant(n + 1, -std::numeric_limits<double>::infinity());
  for (int i = 0; i <= n; ++i)
    for (int j = 1; j <= n; ++j)
      if (i != j) shift(j) = std::max(shift(j), scores(i, j));
  return shift;
}

/// L(w) of docs/methods/trees.md; row and column k belong to word k + 1.
Table laplacian(const Table& w, Root root) {
  const int n = w.size - 1;
  Table l(n);
  for (int j = 1; j <= n; ++j) {
    for (int i = root == Root::multi ? 0 : 1; i <= n; ++i) {
      if (i == j) continue;
      l(j - 1, j - 1) += w(i, j);
      if (i > 0) l(i - 1, j - 1) -= w(i, j);
    }
    if (root == Root::single) l(0, j - 1) = w(0, j);
  }
  return l;
}

void swap_rows(Table& a, int r, int s) {
  for (int j = 0; j < a.size && r != s; ++j) std::swap(a(r, j), a(s, j));
}

/// Gauss-Jordan with partial pivoting: returns the inverse of a, and det a in `determinant`.
Table inverse(Table a, Number& determinant) {
  const int n = a.size;
  Table b(n);
  for (int k = 0; k < n; ++k) b(k, k) = 1;
  determinant = 1;
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i)
      if (mp::abs(a(i, k)) > mp::abs(a(pivot, k))) pivot = i;
    if (pivot != k) determinant = -determinant;
    swap_rows(a, k, pivot), swap_rows(b, k, pivot);
    determinant *= a(k, k);
    const Number scale = 1 / a(k, k);
    for (int j = 0; j < n; ++j) a(k, j) *= scale, b(k, j) *= scale;
    for (int i = 0; i < n; ++i) {
      const Number factor = a(i, k);
      if (i == k || factor == 0) continue;
      for (int j = k; j < n; ++j)
        if (a(k, j) != 0) a(i, j) -= factor * a(k, j);
      for (int j = 0; j < n; ++j)
        if (b(k, j) != 0) b(i, j) -= factor * b(k, j);
    }
  }
  return b;
}

Table product(const Table& a, const Table& b) {
  Table c(a.size);
  for (int i = 0; i < a.size; ++i)
    for (int k = 0; k < a.size; ++k)
      for (int j = 0; j < a.size; ++j) c(i, j) += a(i, k) * b(k, j);
  return c;
}

/// (M a_ij)_j, where column a_ij of L(one-hot i->j) is e_j - e_i (multi-root: e_j for i = 0; single-root: e_1 for
/// i = 0, and row 1 of the rest is dropped).
Number along_arc(const Table& m, Root root, int i, int j) {
  const bool drops_head = i == 0 || (root == Root::single && i == 1);
  const bool drops_dependent = root == Root::single && j == 1;
  if (root == Root::single && i == 0) return m(j - 1, 0);
  Number value = drops_dependent ? Number(0) : m(j - 1, j - 1);
  if (!drops_head) value -= m(j - 1, i - 1);
  return value;
}

bool everything_reached(const Matrix& scores, int from, int only_head, int only_dependent) {
  const int n = static_cast<int>(scores.rows()) - 1;
  std::vector<int> stack = {from};
  std::vector<bool> seen(n + 1, false);
  seen[from] = true;
  int count = from > 0;
  while (!stack.empty()) {
    const int i = stack.back();
    stack.pop_back();
    for (int j = 1; j <= n; ++j) {
      if (seen[j] || scores(i, j) == -kInfinity || (j == only_dependent && i != only_head)) continue;
      seen[j] = true, ++count, stack.push_back(j);
    }
  }
  return count == n;
}

Answer solve_with(int bits, const Matrix& scores, Root root, const Matrix* direction) {
  const int n = static_cast<int>(scores.rows()) - 1;
  Number::default_precision(static_cast<unsigned>(bits * 0.30103) + 1);
  const Vector shift = column_maxima(scores);
  const Table w = weights(scores, shift);
  Number determinant;
  const Table k = inverse(laplacian(w, root), determinant);
  Table q(n);
  if (direction != nullptr) {
    Table wr = w;
    for (int i = 0; i <= n; ++i)
      for (int j = 1; j <= n; ++j) wr(i, j) *= w(i, j) == 0 ? Number(0) : Number((*direction)(i, j));
    q = product(product(k, laplacian(wr, root)), k);
  }
  Answer answer{0, ArcArray(n, 1), ArcArray(n, 1, -kInfinity), ArcArray(n, 1), bits};
  answer.log_partition = log_of(determinant);
  for (int j = 1; j <= n; ++j) answer.log_partition += shift(j);
  for (int i = 0; i <= n; ++i)
    for (int j = 1; j <= n; ++j) {
      if (i == j || !arc_possible(scores, root, i, j)) continue;
      const Number p = w(i, j) * along_arc(k, root, i, j);
      answer.marginals(i, j) = to_real(p);
      answer.log_marginals(i, j) = log_of(p);
      if (direction != nullptr)
        answer.along(i, j) = to_real(p * Number((*direction)(i, j)) - w(i, j) * along_arc(q, root, i, j));
    }
  return answer;
}

bool agree(const ArcArray& a, const ArcArray& b, Real relative, Real absolute) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (a[k] == b[k]) continue;
    if (!(std::abs(a[k] - b[k]) <= relative * std::abs(b[k]) + absolute)) return false;
  }
  return true;
}

bool agree(const Answer& a, const Answer& b) {
  return std::abs(a.log_partition - b.log_partition) <= kAgreement * (1 + std::abs(b.log_partition)) &&
         agree(a.log_marginals, b.log_marginals, kAgreement, kAgreement) &&
         agree(a.along, b.along, kAgreement, 1e-300L);
}

Answer solve_until_sure(const Matrix& scores, Root root, const Matrix* direction) {
  Matrix finite = scores.rightCols(scores.cols() - 1);
  for (double* x = finite.data(); x != finite.data() + finite.size(); ++x)
    if (std::isinf(*x)) *x = 0;
  // exp(range) needs range / log 2 bits; cofactors of a graph with cycles need a few times that.
  int bits = 256 + static_cast<int>(2 * (finite.maxCoeff() - finite.minCoeff()) / std::log(2.0));
  Answer answer = solve_with(bits, scores, root, direction);
  for (bits *= 2; bits <= kMaxBits; bits *= 2) {
    Answer better = solve_with(bits, scores, root, direction);
    if (agree(answer, better)) return better;
    answer = std::move(better);
  }
  throw std::runtime_error("high_precision: no agreement within the allowed digits");
}

}  // namespace

bool arc_possible(const Matrix& scores, Root root, int head, int dependent) {
  const int n = static_cast<int>(scores.rows()) - 1;
  if (head == dependent || scores(head, dependent) == -kInfinity) return false;
  if (root == Root::multi) return everything_reached(scores, 0, head, dependent);
  for (int child = 1; child <= n; ++child) {
    // The one root child has no other head, so the arc into it is the root's.
    if (scores(0, child) == -kInfinity || (head == 0) != (child == dependent)) continue;
    if (everything_reached(scores, child, head, dependent)) return true;
  }
  return false;
}

Answer solve(const Matrix& scores, Root root) { return solve_until_sure(scores, root, nullptr); }

Answer solve(const Matrix& scores, Root root, const Matrix& direction) {
  return solve_until_sure(scores, root, &direction);
}

}  // namespace kirchhoff::high_precision
