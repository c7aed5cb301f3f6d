// The O(n^2) passes around the two products of a fast directional derivative (tree/fast.cpp).
#include "tree/kernels/derivative.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/kernels/derivative.cpp"
#include "numeric/simd/highway.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::tree::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;

void CentreColumns(std::size_t rows, std::size_t cols, const double* HWY_RESTRICT p, double* HWY_RESTRICT r) {
  const D d;
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

void WeightedLaplacian(std::size_t n, std::size_t cols, const double* HWY_RESTRICT w, const double* HWY_RESTRICT r,
                       bool single, double* HWY_RESTRICT out) {
  const D d;
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

void DerivativeRows(std::size_t rows, std::size_t cols, const DerivativeTerms& t, double* HWY_RESTRICT out) {
  const D d;
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

void RankOne(std::size_t rows, std::size_t cols, const double* HWY_RESTRICT in, const double* HWY_RESTRICT g,
             const double* HWY_RESTRICT u, double* HWY_RESTRICT out) {
  const D d;
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
HWY_EXPORT(RankOne);

void centre_columns(std::size_t rows, std::size_t cols, const double* p, double* r) {
  static const auto kernel = KIRCHHOFF_KERNEL(CentreColumns);
  kernel(rows, cols, p, r);
}
void weighted_laplacian(std::size_t n, std::size_t cols, const double* w, const double* r, bool single, double* out) {
  static const auto kernel = KIRCHHOFF_KERNEL(WeightedLaplacian);
  kernel(n, cols, w, r, single, out);
}
void derivative_rows(std::size_t rows, std::size_t cols, const DerivativeTerms& terms, double* out) {
  static const auto kernel = KIRCHHOFF_KERNEL(DerivativeRows);
  kernel(rows, cols, terms, out);
}
void subtract_outer_product(std::size_t rows, std::size_t cols, const double* in, const double* g, const double* u,
                            double* out) {
  static const auto kernel = KIRCHHOFF_KERNEL(RankOne);
  kernel(rows, cols, in, g, u, out);
}
}  // namespace kirchhoff::tree
#endif
