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

/// Minus the multipliers of one row.
HWY_INLINE void multipliers(const MergePanel& panel, const double* HWY_RESTRICT x, double* HWY_RESTRICT a) {
  for (std::size_t k = 0; k < panel.steps; ++k) a[k] = x[panel.merged[k]] - x[panel.fixed[k]];
  for (std::size_t i = 0; i < panel.steps; ++i) {
    a[i] *= panel.inverse[i];
    for (std::size_t k = i + 1; k < panel.steps; ++k) a[k] -= panel.inner[i * kSteps + k] * a[i];
  }
}

/// Of kRowBlock rows, element (row, k) at a[k * kRowBlock + row]; `offset` is where each row begins. All steps, those
/// not in use with inverse 0.
HWY_INLINE void block_multipliers(const MergePanel& panel, const double* x, const std::int64_t* offset, double* a) {
  const D d;
  const hn::RebindToSigned<D> di;
  for (std::size_t part = 0; part < kRowBlock; part += hn::Lanes(d)) {
    const auto rows = hn::LoadU(di, offset + part);
    V t[kSteps];
    for (std::size_t k = 0; k < kSteps; ++k) {
      t[k] = hn::Sub(hn::GatherIndex(d, x + panel.merged[k], rows), hn::GatherIndex(d, x + panel.fixed[k], rows));
    }
    for (std::size_t i = 0; i < kSteps; ++i) {
      t[i] = hn::Mul(t[i], hn::Set(d, panel.inverse[i]));
      for (std::size_t k = i + 1; k < kSteps; ++k) {
        t[k] = hn::NegMulAdd(hn::Set(d, panel.inner[i * kSteps + k]), t[i], t[k]);
      }
    }
    for (std::size_t k = 0; k < kSteps; ++k) hn::Store(t[k], d, a + k * kRowBlock + part);
  }
}

RowSum ConditionalRow(const MergePanel& panel, const double* HWY_RESTRICT source, std::size_t first, std::size_t last,
                      double* HWY_RESTRICT row, std::size_t own, const HeadWeights& heads, double* HWY_RESTRICT p) {
  const D d;
  double a[kSteps];
  multipliers(panel, source, a);
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

void ReplaceAll(std::size_t count, std::int64_t from, std::int64_t to, std::int64_t* HWY_RESTRICT column) {
  const hn::ScalableTag<std::int64_t> d;
  const auto old = hn::Set(d, from), fresh = hn::Set(d, to);
  for (std::size_t v = 0; v < count; v += hn::Lanes(d)) {
    const auto x = hn::LoadU(d, column + v);
    hn::StoreU(hn::IfThenElse(hn::Eq(x, old), fresh, x), d, column + v);
  }
}

void MergeColumnsOf(const MergePanel& panel, std::size_t rows, double* x, std::size_t first, std::size_t last) {
  alignas(64) double a[kSteps * kRowBlock];
  alignas(64) std::int64_t offset[kRowBlock];
  for (std::size_t r = 0; r < rows; r += kRowBlock) {
    const std::size_t count = std::min(kRowBlock, rows - r);
    for (std::size_t i = 0; i < kRowBlock; ++i) {
      offset[i] = static_cast<std::int64_t>((r + std::min(i, count - 1)) * panel.ld);
    }
    block_multipliers(panel, x, offset, a);
    const RegularRows where{x + r * panel.ld, panel.ld};
    multiply(count, first, last, panel.steps, a, kSteps * kRowBlock, panel.rows, panel.ld, where, where);
  }
}

}  // namespace kirchhoff::core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff::core {
HWY_EXPORT(ConditionalRow);
HWY_EXPORT(MergeColumnsOf);
HWY_EXPORT(ReplaceAll);

RowSum conditional_row(const MergePanel& panel, const double* source, std::size_t first, std::size_t last, double* row,
                       std::size_t own, const HeadWeights& heads, double* p) {
  static const auto kernel = KIRCHHOFF_KERNEL(ConditionalRow);
  return kernel(panel, source, first, last, row, own, heads, p);
}

void merge_columns_of(const MergePanel& panel, std::size_t rows, double* x, std::size_t first, std::size_t last) {
  static const auto kernel = KIRCHHOFF_KERNEL(MergeColumnsOf);
  kernel(panel, rows, x, first, last);
}

void replace_all(std::size_t count, std::int64_t from, std::int64_t to, std::int64_t* column) {
  static const auto kernel = KIRCHHOFF_KERNEL(ReplaceAll);
  kernel(count, from, to, column);
}
}  // namespace kirchhoff::core
#endif
