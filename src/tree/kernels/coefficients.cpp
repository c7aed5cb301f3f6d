// Does the small dense part of eliminating a block of words (tree/robust/block.hpp): its coefficients, eight rows at a
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
constexpr std::size_t kBlockParts = numeric::kRowBlock / hn::MaxLanes(D());  // vectors per eight rows

// The sum of all lanes, to which the root's row (row 0) is added only if it counts.
HWY_INLINE double total(const V* sum, double root, bool root_counts) {
  const D d;
  V all = sum[0];
  for (std::size_t p = 1; p < kBlockParts; ++p) all = hn::Add(all, sum[p]);
  return hn::GetLane(hn::SumOfLanes(d, all)) + (root_counts ? root : 0.0);
}

double ColumnSum(const PackedColumn& column, bool root_counts) {
  const D d;
  const std::size_t blocks = column.blocks, stride = column.stride;
  const double* HWY_RESTRICT c = column.data;
  V sum[kBlockParts];
  const V not_first = hn::IfThenZeroElse(hn::FirstN(d, 1), hn::Set(d, 1.0));
  for (std::size_t p = 0; p < kBlockParts; ++p) {
    const V x = hn::Load(d, c + p * hn::Lanes(d));
    sum[p] = p == 0 ? hn::Mul(x, not_first) : x;
  }
  for (std::size_t b = 1; b < blocks; ++b) {
    for (std::size_t p = 0; p < kBlockParts; ++p)
      sum[p] = hn::Add(sum[p], hn::Load(d, c + b * stride + p * hn::Lanes(d)));
  }
  return total(sum, c[0], root_counts);
}

void PivotStep(const PackedColumn& column, double inverse, std::span<const double> later_factors) {
  const D d;
  const std::size_t blocks = column.blocks, stride = column.stride, later = later_factors.size();
  double* HWY_RESTRICT c = column.data;
  const double* HWY_RESTRICT factors = later_factors.data();
  const V scale = hn::Set(d, inverse);
  for (std::size_t b = 0; b < blocks; ++b) {
    for (std::size_t p = 0; p < kBlockParts; ++p) {
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

void FoldBlock(const PackedColumn& first, const numeric::ConstMatrixSpan& inner_weights) {
  const D d;
  const std::size_t blocks = first.blocks, stride = first.stride;
  const std::size_t size = inner_weights.rows, inner_stride = inner_weights.stride;
  double* HWY_RESTRICT c = first.data;
  const double* HWY_RESTRICT inner = inner_weights.data;
  for (std::size_t b = 0; b < blocks; ++b) {
    for (std::size_t p = 0; p < kBlockParts; ++p) {
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

// Pivots follow from the sum of the rows, which elimination maps like any row. Then each row is taken through the same
// steps.
template <std::size_t S>
HWY_NOINLINE bool coefficients_of(const PackedColumn& first, bool root_counts, BlockWords& words) {
  const D d;
  double inner[S][S], sum[S], inverse[S];
  for (std::size_t k = 0; k < S; ++k) {
    sum[k] = ColumnSum({first.data + k * numeric::kRowBlock, first.blocks, first.stride}, root_counts);
    for (std::size_t q = 0; q < S; ++q) inner[k][q] = words.inner[k][q];
  }
  for (std::size_t k = 0; k < S; ++k) {
    double pivot = sum[k];
    for (std::size_t a = k + 1; a < S; ++a) pivot += inner[a][k];
    words.pivots[k] = pivot;
    if (pivot == 0.0) return false;
    inverse[k] = 1.0 / pivot;
    sum[k] *= inverse[k];
    for (std::size_t a = k + 1; a < S; ++a) inner[a][k] *= inverse[k];
    for (std::size_t q = k + 1; q < S; ++q) {
      sum[q] += sum[k] * inner[k][q];
      for (std::size_t a = k + 1; a < S; ++a) inner[a][q] += inner[a][k] * inner[k][q];
    }
  }
  for (std::size_t b = 0; b < first.blocks; ++b) {
    for (std::size_t p = 0; p < kBlockParts; ++p) {
      double* const x = first.data + b * first.stride + p * hn::Lanes(d);
      V c[S];
      for (std::size_t k = 0; k < S; ++k) c[k] = hn::Load(d, x + k * numeric::kRowBlock);
      for (std::size_t k = 0; k < S; ++k) {
        c[k] = hn::Mul(c[k], hn::Set(d, inverse[k]));
        for (std::size_t q = k + 1; q < S; ++q) c[q] = hn::MulAdd(c[k], hn::Set(d, inner[k][q]), c[q]);
      }
      for (std::size_t k = S - 1; k > 0; --k) {
        for (std::size_t q = 0; q < k; ++q) c[q] = hn::MulAdd(c[k], hn::Set(d, inner[k][q]), c[q]);
      }
      for (std::size_t k = 0; k < S; ++k) hn::Store(c[k], d, x + k * numeric::kRowBlock);
    }
  }
  return true;
}

bool BlockCoefficients(const PackedColumn& first, bool root_counts, BlockWords& words) {
  constexpr decltype(&coefficients_of<1>) kOf[kBlockWords] = {&coefficients_of<1>, &coefficients_of<2>,
                                                              &coefficients_of<3>, &coefficients_of<4>};
  return kOf[words.count - 1](first, root_counts, words);
}

}  // namespace kirchhoff::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff::tree {
HWY_EXPORT(ColumnSum);
HWY_EXPORT(PivotStep);
HWY_EXPORT(FoldBlock);
HWY_EXPORT(BlockCoefficients);

double column_sum(const PackedColumn& column, bool root_counts) {
  static const auto kernel = KIRCHHOFF_KERNEL(ColumnSum);
  return kernel(column, root_counts);
}
void pivot_step(const PackedColumn& column, double inverse, std::span<const double> factors) {
  static const auto kernel = KIRCHHOFF_KERNEL(PivotStep);
  kernel(column, inverse, factors);
}
void fold_block(const PackedColumn& first, const numeric::ConstMatrixSpan& inner) {
  static const auto kernel = KIRCHHOFF_KERNEL(FoldBlock);
  kernel(first, inner);
}
bool block_coefficients(const PackedColumn& first, bool root_counts, BlockWords& words) {
  static const auto kernel = KIRCHHOFF_KERNEL(BlockCoefficients);
  return kernel(first, root_counts, words);
}
}  // namespace kirchhoff::tree
#endif
