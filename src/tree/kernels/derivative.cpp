// The O(n^2) passes around the two products of a fast directional derivative (tree/fast/fast.cpp).
#include "tree/kernels/derivative.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/kernels/derivative.cpp"
#include "numeric/simd/highway.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::tree::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;

void CentreColumns(const ConstMatrixSpan& probabilities, const MatrixSpan& values) {
  const D d;
  const std::size_t rows = values.rows, cols = values.stride;
  const double* HWY_RESTRICT p = probabilities.data;
  double* HWY_RESTRICT r = values.data;
  for (std::size_t c = 0; c < cols; c += hn::Lanes(d)) {
    V mean = hn::Zero(d);
    for (std::size_t i = c; i < rows * cols; i += cols) {
      const V weight = hn::Load(d, p + i);
      const V x = hn::IfThenElseZero(hn::Gt(weight, hn::Zero(d)), hn::Load(d, r + i));
      hn::Store(x, d, r + i);
      mean = hn::MulAdd(weight, x, mean);
    }
    for (std::size_t i = c; i < rows * cols; i += cols) {
      const V x = hn::Sub(hn::Load(d, r + i), mean);
      hn::Store(hn::IfThenElseZero(hn::Gt(hn::Load(d, p + i), hn::Zero(d)), x), d, r + i);
    }
  }
}

void WeightedLaplacian(const ConstMatrixSpan& weights, const ConstMatrixSpan& direction, bool single,
                       const MatrixSpan& laplacian) {
  const D d;
  const std::size_t n = laplacian.rows, cols = laplacian.stride;
  const double* HWY_RESTRICT w = weights.data;
  const double* HWY_RESTRICT r = direction.data;
  double* HWY_RESTRICT out = laplacian.data;
  for (std::size_t c = 0; c < cols; c += hn::Lanes(d)) {
    const V root = hn::Mul(hn::Load(d, w + c), hn::Load(d, r + c));
    V diagonal = single ? hn::Zero(d) : root;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t from = (i + 1) * cols + c;
      const V x = hn::Mul(hn::Load(d, w + from), hn::Load(d, r + from));
      diagonal = hn::Add(diagonal, x);
      hn::Store(hn::Neg(x), d, out + i * cols + c);
    }
    HWY_ALIGN double lane[hn::MaxLanes(D())];
    hn::Store(diagonal, d, lane);
    for (std::size_t i = 0; i < hn::Lanes(d) && c + i < n; ++i) out[(c + i) * cols + c + i] = lane[i];
    if (single) hn::Store(root, d, out + (n - 1) * cols + c);
  }
}

void DerivativeRows(const DerivativeTerms& t, const MatrixSpan& derivatives) {
  const D d;
  const std::size_t rows = derivatives.rows, cols = derivatives.stride;
  double* HWY_RESTRICT out = derivatives.data;
  for (std::size_t i = 0; i < rows; ++i) {
    const V keep = hn::Set(d, i == t.bare ? 0.0 : 1.0);
    for (std::size_t c = 0; c < cols; c += hn::Lanes(d)) {
      const std::size_t at = i * cols + c;
      const V slope = hn::NegMulAdd(keep, hn::Load(d, t.qt + at), hn::Load(d, t.base + c));
      const V first = hn::Mul(hn::Load(d, t.p + at), hn::Load(d, t.r + at));
      hn::Store(hn::NegMulAdd(hn::Load(d, t.w + at), slope, first), d, out + at);
    }
  }
}

void SubtractOuterProduct(const ConstMatrixSpan& source, const double* HWY_RESTRICT g, const double* HWY_RESTRICT u,
                          const MatrixSpan& difference) {
  const D d;
  const std::size_t rows = difference.rows, cols = difference.stride;
  const double* HWY_RESTRICT in = source.data;
  double* HWY_RESTRICT out = difference.data;
  for (std::size_t j = 0; j < rows; ++j) {
    const V factor = hn::Set(d, g[j]);
    for (std::size_t c = 0; c < cols; c += hn::Lanes(d)) {
      hn::Store(hn::NegMulAdd(factor, hn::Load(d, u + c), hn::Load(d, in + j * cols + c)), d, out + j * cols + c);
    }
  }
}

}  // namespace kirchhoff::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff::tree {
HWY_EXPORT(CentreColumns);
HWY_EXPORT(WeightedLaplacian);
HWY_EXPORT(DerivativeRows);
HWY_EXPORT(SubtractOuterProduct);

void centre_columns(const ConstMatrixSpan& p, const MatrixSpan& r) {
  static const auto kernel = KIRCHHOFF_KERNEL(CentreColumns);
  kernel(p, r);
}
void weighted_laplacian(const ConstMatrixSpan& w, const ConstMatrixSpan& r, bool single, const MatrixSpan& out) {
  static const auto kernel = KIRCHHOFF_KERNEL(WeightedLaplacian);
  kernel(w, r, single, out);
}
void derivative_rows(const DerivativeTerms& terms, const MatrixSpan& out) {
  static const auto kernel = KIRCHHOFF_KERNEL(DerivativeRows);
  kernel(terms, out);
}
void subtract_outer_product(const ConstMatrixSpan& in, const double* g, const double* u, const MatrixSpan& out) {
  static const auto kernel = KIRCHHOFF_KERNEL(SubtractOuterProduct);
  kernel(in, g, u, out);
}
}  // namespace kirchhoff::tree
#endif
