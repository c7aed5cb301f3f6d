// The small dense part of eliminating a block of words (tree/leave_one_out.cpp): its coefficients, eight rows at a
// time.
#include "tree/kernels/coefficients.hpp"
#include "numeric/simd/products.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/kernels/coefficients.cpp"
#include "numeric/simd/highway.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::tree::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;
constexpr std::size_t kParts = numeric::kRowBlock / hn::MaxLanes(D());  // vectors per eight rows

// The sum without the root's row (row 0) unless it counts.
HWY_INLINE double total(const V* sum, double root, bool root_counts) {
  const D d;
  V all = sum[0];
  for (std::size_t p = 1; p < kParts; ++p) all = hn::Add(all, sum[p]);
  return hn::GetLane(hn::SumOfLanes(d, all)) + (root_counts ? root : 0.0);
}

double ColumnSum(std::size_t blocks, const double* HWY_RESTRICT c, std::size_t stride, bool root_counts) {
  const D d;
  V sum[kParts];
  const V not_first = hn::IfThenZeroElse(hn::FirstN(d, 1), hn::Set(d, 1.0));
  for (std::size_t p = 0; p < kParts; ++p) {
    const V x = hn::Load(d, c + p * hn::Lanes(d));
    sum[p] = p == 0 ? hn::Mul(x, not_first) : x;
  }
  for (std::size_t b = 1; b < blocks; ++b) {
    for (std::size_t p = 0; p < kParts; ++p) sum[p] = hn::Add(sum[p], hn::Load(d, c + b * stride + p * hn::Lanes(d)));
  }
  return total(sum, c[0], root_counts);
}

void PivotStep(std::size_t blocks, double* HWY_RESTRICT c, std::size_t stride, double inverse, std::size_t later,
               const double* HWY_RESTRICT factors) {
  const D d;
  const V scale = hn::Set(d, inverse);
  for (std::size_t b = 0; b < blocks; ++b) {
    for (std::size_t p = 0; p < kParts; ++p) {
      double* x = c + b * stride + p * hn::Lanes(d);
      const V own = hn::Mul(hn::Load(d, x), scale);
      hn::Store(own, d, x);
      for (std::size_t k = 0; k < later; ++k) {
        double* y = x + (k + 1) * numeric::kRowBlock;
        hn::Store(hn::MulAdd(own, hn::Set(d, factors[k]), hn::Load(d, y)), d, y);
      }
    }
  }
}

void FoldBlock(std::size_t blocks, double* HWY_RESTRICT c, std::size_t stride, std::size_t size,
               const double* HWY_RESTRICT inner, std::size_t inner_stride) {
  const D d;
  for (std::size_t b = 0; b < blocks; ++b) {
    for (std::size_t p = 0; p < kParts; ++p) {
      double* x = c + b * stride + p * hn::Lanes(d);
      for (std::size_t k = size - 1; k > 0; --k) {
        const V own = hn::Load(d, x + k * numeric::kRowBlock);
        for (std::size_t e = 0; e < k; ++e) {
          double* y = x + e * numeric::kRowBlock;
          hn::Store(hn::MulAdd(own, hn::Set(d, inner[k * inner_stride + e]), hn::Load(d, y)), d, y);
        }
      }
    }
  }
}

}  // namespace kirchhoff::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff::tree {
HWY_EXPORT(ColumnSum);
HWY_EXPORT(PivotStep);
HWY_EXPORT(FoldBlock);

double column_sum(std::size_t blocks, const double* c, std::size_t stride, bool root_counts) {
  static const auto kernel = KIRCHHOFF_KERNEL(ColumnSum);
  return kernel(blocks, c, stride, root_counts);
}
void pivot_step(std::size_t blocks, double* c, std::size_t stride, double inverse, std::size_t later,
                const double* factors) {
  static const auto kernel = KIRCHHOFF_KERNEL(PivotStep);
  kernel(blocks, c, stride, inverse, later, factors);
}
void fold_block(std::size_t blocks, double* c, std::size_t stride, std::size_t size, const double* inner,
                std::size_t inner_stride) {
  static const auto kernel = KIRCHHOFF_KERNEL(FoldBlock);
  kernel(blocks, c, stride, size, inner, inner_stride);
}
}  // namespace kirchhoff::tree
#endif
