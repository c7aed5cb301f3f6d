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
bool CertifiedMarginals(const MarginalTerms& terms, const MarginalBound& bound, double* HWY_RESTRICT rows,
                        const numeric::MatrixSpan& marginals_out) {
  const D d;
  const std::size_t n = marginals_out.rows, cols = terms.w.stride, stride = marginals_out.stride;
  const double* HWY_RESTRICT weights = terms.w.data;
  double* HWY_RESTRICT p = marginals_out.data;
  const std::size_t lanes = hn::Lanes(d);
  const V scale_v = hn::Set(d, bound.scale), tol = hn::Set(d, bound.tolerance), low = hn::Set(d, bound.floor),
          one = hn::Set(d, 1.0);
  auto good = hn::Eq(hn::Zero(d), hn::Zero(d));
  // Row after row, so that p is written in the order of memory.
  for (std::size_t first = 0; first < n; first += numeric::kRowBlock) {
    transpose_all(cols, numeric::kRowBlock, terms.d + first, cols, rows, cols);
    for (std::size_t i = first; i < std::min(first + numeric::kRowBlock, n); ++i) {
      const double* slopes = rows + (i - first) * cols;
      const V keep = hn::Set(d, i == terms.bare ? 0.0 : 1.0), u = hn::Set(d, terms.u[i]);
      const auto marginals = [&](std::size_t c) HWY_ATTR {
        const V w = hn::Load(d, weights + i * cols + c);
        const V first_order = hn::Mul(u, hn::Load(d, terms.g + c));
        const V slope = hn::NegMulAdd(keep, hn::Load(d, slopes + c), hn::Load(d, terms.base + c));
        const V product = hn::Mul(w, hn::Add(slope, first_order));
        const V size = hn::Add(hn::Load(d, terms.a + c), first_order);
        good = hn::And(good, hn::Le(hn::Mul(hn::Mul(w, scale_v), size), hn::Mul(tol, hn::Max(product, low))));
        return hn::Min(hn::Max(product, hn::Zero(d)), one);
      };
      double* const out = p + i * stride;
      std::size_t c = 0;
      for (; c + lanes <= n; c += lanes) hn::StoreU(marginals(c), d, out + c);
      if (c < n) hn::BlendedStore(marginals(c), hn::FirstN(d, n - c), d, out + c);
    }
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

bool certified_marginals(const MarginalTerms& terms, const MarginalBound& bound, double* scratch,
                         const numeric::MatrixSpan& p) {
  static const auto kernel = KIRCHHOFF_KERNEL(CertifiedMarginals);
  return kernel(terms, bound, scratch, p);
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
