// The last, elementwise steps: they turn slopes, the derivatives of log Z with respect to weights, into marginals, and
// certify them.
#include "tree/kernels/certified_marginals.hpp"
#include "numeric/simd/products.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/kernels/certified_marginals.cpp"
#include "numeric/simd/highway.hpp"
#include "numeric/simd/products-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::tree::HWY_NAMESPACE {
using namespace numeric::HWY_NAMESPACE;  // NOLINT: vectors and products, for this instruction set

// As many rows of marginals as a vector has lanes, or fewer: squares of d are transposed in registers.
HWY_INLINE hn::Mask<D> certified_rows(const MarginalTerms& terms, const MarginalBound& bound, std::size_t first,
                                      const numeric::MatrixSpan& out) {
  const D d;
  constexpr std::size_t kLanes = hn::MaxLanes(D());
  const std::size_t n = out.rows, cols = terms.w.stride, stride = out.stride, rows = std::min(kLanes, n - first);
  const bool all = rows == kLanes && (terms.bare < first || terms.bare >= first + kLanes);
  const double* HWY_RESTRICT weights = terms.w.data + first * cols;
  const double* HWY_RESTRICT u = terms.u + first;
  const V scale = hn::Set(d, bound.scale), tolerance = hn::Set(d, bound.tolerance), low = hn::Set(d, bound.floor);
  const V zero = hn::Zero(d), one = hn::Set(d, 1.0);
  auto good = hn::Eq(zero, zero);
  for (std::size_t c = 0; c < n; c += kLanes) {
    V slopes[kLanes];
    for (std::size_t i = 0; i < kLanes; ++i) slopes[i] = hn::Load(d, terms.d + (c + i) * cols + first);
    transpose_lanes(d, slopes);
    const V base = hn::Load(d, terms.base + c), g = hn::Load(d, terms.g + c);
    const V a = hn::Mul(scale, hn::Load(d, terms.a + c)), scaled_g = hn::Mul(scale, g);
    const auto marginals = [&](std::size_t i, V word_slopes) HWY_ATTR {
      const V w = hn::Load(d, weights + i * cols + c), u_i = hn::Set(d, u[i]);
      const V product = hn::Mul(w, hn::MulAdd(u_i, g, hn::Sub(base, word_slopes)));
      const V error = hn::Mul(w, hn::MulAdd(u_i, scaled_g, a));
      good = hn::And(good, hn::Le(error, hn::Mul(tolerance, hn::Max(product, low))));
      return hn::Min(hn::Max(product, zero), one);
    };
    double* const to = out.data + first * stride + c;
    if (all && c + kLanes <= n) {
      for (std::size_t i = 0; i < kLanes; ++i) hn::StoreU(marginals(i, slopes[i]), d, to + i * stride);
      continue;
    }
    const auto inside = hn::FirstN(d, std::min(kLanes, n - c));
    for (std::size_t i = 0; i < rows; ++i) {
      hn::BlendedStore(marginals(i, first + i == terms.bare ? zero : slopes[i]), inside, d, to + i * stride);
    }
  }
  return good;
}

bool CertifiedMarginals(const MarginalTerms& terms, const MarginalBound& bound, const numeric::MatrixSpan& out) {
  const D d;
  auto good = hn::Eq(hn::Zero(d), hn::Zero(d));
  for (std::size_t first = 0; first < out.rows; first += hn::Lanes(d)) {
    good = hn::And(good, certified_rows(terms, bound, first, out));
  }
  return hn::AllTrue(d, good);
}

void SlopeMarginals(const numeric::ConstMatrixSpan& w, const double* HWY_RESTRICT slopes, double* HWY_RESTRICT rows,
                    double* HWY_RESTRICT p) {
  const D d;
  const std::size_t columns = w.stride;
  const V one = hn::Set(d, 1.0);
  for (std::size_t first = 0; first < w.rows; first += numeric::kRowBlock) {
    transpose_all(columns, numeric::kRowBlock, slopes + first, columns, rows, columns);
    for (std::size_t i = first; i < std::min(first + numeric::kRowBlock, w.rows); ++i) {
      const double* const from = rows + (i - first) * columns;
      for (std::size_t c = 0; c < columns; c += hn::Lanes(d)) {
        const V weight = hn::Load(d, w.data + i * columns + c);
        hn::Store(hn::Min(hn::Mul(weight, hn::Load(d, from + c)), one), d, p + i * columns + c);
      }
    }
  }
}

void ColumnTotals(const numeric::ConstMatrixSpan& w, double* HWY_RESTRICT totals) {
  const D d;
  const std::size_t lanes = hn::Lanes(d), stride = w.stride;
  for (std::size_t c = 0; c < w.cols; c += lanes) {
    V even = hn::Zero(d), odd = hn::Zero(d);  // neither waits for the other
    const double* HWY_RESTRICT x = w.data + c;
    std::size_t r = 0;
    for (; r + 2 <= w.rows; r += 2, x += 2 * stride) {
      even = hn::Add(even, hn::Load(d, x));
      odd = hn::Add(odd, hn::Load(d, x + stride));
    }
    if (r < w.rows) even = hn::Add(even, hn::Load(d, x));
    hn::Store(hn::Add(even, odd), d, totals + c);
  }
}

Range AbsorptionSlopes(const AbsorptionRows& rows, bool root_counts, double scale, double* HWY_RESTRICT g) {
  const D d;
  const std::size_t n = rows.n, cols = rows.cols;
  const double* HWY_RESTRICT root = rows.root;
  const double* HWY_RESTRICT word = rows.word;
  const V sv = hn::Set(d, scale), counts = hn::Set(d, root_counts ? 1.0 : 0.0);
  V least = hn::Set(d, std::numeric_limits<double>::infinity()), most = hn::Zero(d);
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t c = 0; c < cols; c += lanes) {
    const V a = hn::Load(d, root + c);
    const V total = hn::MulAdd(a, counts, hn::Load(d, word + c));
    hn::Store(hn::Mul(hn::Div(a, total), sv), d, g + c);
    const V inside = c + lanes <= n ? a : hn::IfThenElse(hn::FirstN(d, n > c ? n - c : 0), a, hn::Set(d, 1.0));
    least = hn::Min(least, inside);
    most = hn::Max(most, inside);
  }
  return {hn::GetLane(hn::MinOfLanes(d, least)), hn::GetLane(hn::MaxOfLanes(d, most))};
}

}  // namespace kirchhoff::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff::tree {
HWY_EXPORT(CertifiedMarginals);
HWY_EXPORT(SlopeMarginals);
HWY_EXPORT(ColumnTotals);
HWY_EXPORT(AbsorptionSlopes);

double error_scale(int n) { return (8.0 + 4.0 * std::sqrt(n)) * std::numeric_limits<double>::epsilon(); }

bool certified_marginals(const MarginalTerms& terms, const MarginalBound& bound, const numeric::MatrixSpan& p) {
  static const auto kernel = KIRCHHOFF_KERNEL(CertifiedMarginals);
  return kernel(terms, bound, p);
}

void slope_marginals(const numeric::ConstMatrixSpan& w, const double* slopes, double* scratch, double* p) {
  static const auto kernel = KIRCHHOFF_KERNEL(SlopeMarginals);
  kernel(w, slopes, scratch, p);
}

void column_totals(const numeric::ConstMatrixSpan& w, double* totals) {
  static const auto kernel = KIRCHHOFF_KERNEL(ColumnTotals);
  kernel(w, totals);
}

Range absorption_slopes(const AbsorptionRows& rows, bool root_counts, double scale, double* g) {
  static const auto kernel = KIRCHHOFF_KERNEL(AbsorptionSlopes);
  return kernel(rows, root_counts, scale, g);
}
}  // namespace kirchhoff::tree
#endif
