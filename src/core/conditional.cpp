// Lazy elimination: the multipliers of a panel of steps come from a triangular solve on a few of a row's entries, then
// all steps are applied in one pass over the row. Rows that share a panel are done eight at a time.
#include "core/conditional.hpp"

#include "core/kernels.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/conditional.cpp"
#include "core/highway.hpp"
#include "core/products-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::core::HWY_NAMESPACE {
constexpr std::size_t kSteps = MergePanel::kSteps;

/// Minus the multipliers of kLanes rows of stride ld, element (row, k) at a[k * kLanes + row].
template <std::size_t kLanes>
HWY_INLINE void multipliers(const MergePanel& panel, const double* HWY_RESTRICT x, double* HWY_RESTRICT a) {
  for (std::size_t k = 0; k < panel.steps; ++k) {
    const std::int64_t fixed = panel.fixed[k], merged = panel.merged[k];
    for (std::size_t r = 0; r < kLanes; ++r) a[k * kLanes + r] = x[r * panel.ld + merged] - x[r * panel.ld + fixed];
  }
  for (std::size_t i = 0; i < panel.steps; ++i) {
    for (std::size_t r = 0; r < kLanes; ++r) a[i * kLanes + r] *= panel.inverse[i];
    for (std::size_t k = i + 1; k < panel.steps; ++k) {
      const double factor = panel.inner[i * kSteps + k];
      for (std::size_t r = 0; r < kLanes; ++r) a[k * kLanes + r] -= factor * a[i * kLanes + r];
    }
  }
}

RowSum ConditionalRow(const MergePanel& panel, const double* HWY_RESTRICT source, std::size_t first, std::size_t last,
                      double* HWY_RESTRICT row, std::size_t own, const HeadWeights& heads, double* HWY_RESTRICT p) {
  const D d;
  double a[kSteps];
  multipliers<1>(panel, source, a);
  for (std::size_t c = first; c < last; c += hn::Lanes(d)) {
    V x = hn::Load(d, source + c);
    for (std::size_t k = 0; k < panel.steps; ++k) {
      x = hn::MulAdd(hn::Set(d, a[k]), hn::Load(d, panel.rows + k * panel.ld + c), x);
    }
    hn::Store(x, d, row + c);
  }
  const hn::RebindToSigned<D> di;
  const V at_own = hn::Set(d, row[own]);
  V sum = hn::Zero(d), smallest = hn::Zero(d);
  for (std::size_t v = 0; v < heads.heads; v += hn::Lanes(d)) {
    const V there = hn::GatherIndex(d, row, hn::LoadU(di, heads.column + v));
    const V product = hn::Mul(hn::Load(d, heads.weights + v), hn::Sub(at_own, there));
    sum = hn::Add(sum, product);
    smallest = hn::Min(smallest, product);
    hn::Store(hn::Max(product, hn::Zero(d)), d, p + v);
  }
  return {hn::GetLane(hn::SumOfLanes(d, sum)), hn::GetLane(hn::MinOfLanes(d, smallest))};
}

void MergeColumnsOf(const MergePanel& panel, std::size_t rows, double* x, std::size_t first, std::size_t last) {
  alignas(64) double a[kSteps * kRowBlock] = {};
  std::size_t r = 0;
  for (; r + kRowBlock <= rows; r += kRowBlock) {
    double* block_rows = x + r * panel.ld;
    multipliers<kRowBlock>(panel, block_rows, a);
    const RegularRows where{block_rows, panel.ld};
    multiply(kRowBlock, first, last, panel.steps, a, kSteps * kRowBlock, panel.rows, panel.ld, where, where);
  }
  for (; r < rows; ++r) {
    double one[kSteps];
    double* row = x + r * panel.ld;
    multipliers<1>(panel, row, one);
    for (std::size_t k = 0; k < panel.steps; ++k) a[k * kRowBlock] = one[k];
    multiply(1, first, last, panel.steps, a, kSteps * kRowBlock, panel.rows, panel.ld, RegularRows{row, panel.ld},
             RegularRows{row, panel.ld});
  }
}

}  // namespace kirchhoff::core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff::core {
HWY_EXPORT(ConditionalRow);
HWY_EXPORT(MergeColumnsOf);

RowSum conditional_row(const MergePanel& panel, const double* source, std::size_t first, std::size_t last, double* row,
                       std::size_t own, const HeadWeights& heads, double* p) {
  static const auto kernel = KIRCHHOFF_KERNEL(ConditionalRow);
  return kernel(panel, source, first, last, row, own, heads, p);
}

void merge_columns_of(const MergePanel& panel, std::size_t rows, double* x, std::size_t first, std::size_t last) {
  static const auto kernel = KIRCHHOFF_KERNEL(MergeColumnsOf);
  kernel(panel, rows, x, first, last);
}
}  // namespace kirchhoff::core
#endif
