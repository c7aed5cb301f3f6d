// Lazy elimination: the multipliers of a panel of steps come from a triangular solve on a few of a row's entries, then
// all steps are applied in one pass over the row. Rows that share a panel are done eight at a time.
#include "sample/kernels/merge_panel.hpp"

#include "numeric/simd/products.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sample/kernels/merge_panel.cpp"
#include "numeric/simd/highway.hpp"
#include "numeric/simd/products-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::sample::HWY_NAMESPACE {
using namespace numeric::HWY_NAMESPACE;  // NOLINT: vectors and products, for this instruction set
constexpr std::size_t kSteps = MergePanel::kSteps;

/// Minus the multipliers of up to numeric::kRowBlock rows, element (row, k) at a[k * numeric::kRowBlock + row]. All
/// steps take part, those not in use with inverse 0. Scattered elements are taken one by one, which was measured to be
/// faster than a gather.
HWY_INLINE void multipliers(const MergePanel& panel, std::size_t rows, const double* HWY_RESTRICT x,
                            double* HWY_RESTRICT a) {
  const D d;
  for (std::size_t r = 0; r < rows; ++r, x += panel.ld) {
    for (std::size_t k = 0; k < kSteps; ++k) {
      a[k * numeric::kRowBlock + r] = (x[panel.merged[k]] - x[panel.fixed[k]]) * panel.inverse[k];
    }
  }
  for (std::size_t part = 0; part < numeric::kRowBlock; part += hn::Lanes(d)) {
    V t[kSteps];
    for (std::size_t k = 0; k < kSteps; ++k) t[k] = hn::Load(d, a + k * numeric::kRowBlock + part);
    for (std::size_t i = 0; i < kSteps; ++i) {
      for (std::size_t k = i + 1; k < kSteps; ++k) {
        t[k] = hn::NegMulAdd(hn::Set(d, panel.inner[i * kSteps + k]), t[i], t[k]);
      }
    }
    for (std::size_t k = 0; k < kSteps; ++k) hn::Store(t[k], d, a + k * numeric::kRowBlock + part);
  }
}

/// row = source after the first kUsed steps: their number is known to the compiler, so that all stays in registers.
template <std::size_t kUsed>
void merge_row(const MergePanel& panel, const double* HWY_RESTRICT source, double* HWY_RESTRICT row) {
  const D d;
  const std::size_t ld = panel.ld;
  const double* HWY_RESTRICT rows = panel.rows;
  double a[kUsed + 1];  // minus the multipliers
  for (std::size_t k = 0; k < kUsed; ++k) {
    a[k] = (source[panel.merged[k]] - source[panel.fixed[k]]) * panel.inverse[k];
    for (std::size_t i = 0; i < k; ++i) a[k] -= panel.inner[i * kSteps + k] * a[i];
  }
  for (std::size_t c = panel.first; c < ld; c += hn::Lanes(d)) {
    V x = hn::Load(d, source + c);
    for (std::size_t k = 0; k < kUsed; ++k) x = hn::MulAdd(hn::Set(d, a[k]), hn::Load(d, rows + k * ld + c), x);
    hn::Store(x, d, row + c);
  }
}

RowSum ConditionalRow(const MergePanel& panel, const double* HWY_RESTRICT source, const HeadWeights& heads,
                      double* HWY_RESTRICT row, double* HWY_RESTRICT p) {
  static constexpr std::array kMerge = {merge_row<0>, merge_row<1>, merge_row<2>, merge_row<3>, merge_row<4>,
                                        merge_row<5>, merge_row<6>, merge_row<7>, merge_row<8>};
  kMerge[panel.steps](panel, source, row);
  const D d;
  for (std::size_t v = 0; v < heads.heads; ++v) p[v] = row[heads.column[v]];
  const V at_own = hn::Set(d, row[heads.own]);
  constexpr std::size_t kLanes = hn::MaxLanes(d), kParts = numeric::kRowBlock / kLanes;
  V sum = hn::Zero(d), smallest = hn::Zero(d);
  V lanes[kParts];
  for (std::size_t i = 0; i < kParts; ++i) lanes[i] = hn::Zero(d);
  for (std::size_t v = 0; v < heads.heads; v += numeric::kRowBlock) {
    for (std::size_t i = 0; i < kParts; ++i) {
      const std::size_t at = v + i * kLanes;
      const V product = hn::Mul(hn::Load(d, heads.weights + at), hn::Sub(at_own, hn::Load(d, p + at)));
      const V clamped = hn::Max(product, hn::Zero(d));
      sum = hn::Add(sum, product);
      smallest = hn::Min(smallest, product);
      lanes[i] = hn::Add(lanes[i], clamped);
      hn::Store(clamped, d, p + at);
    }
  }
  RowSum result{hn::GetLane(hn::SumOfLanes(d, sum)), hn::GetLane(hn::MinOfLanes(d, smallest)), {}};
  for (std::size_t i = 0; i < kParts; ++i) hn::StoreU(lanes[i], d, result.lanes.data() + i * kLanes);
  return result;
}

void ReplaceAll(std::size_t count, std::int64_t from, std::int64_t to, std::int64_t* HWY_RESTRICT column) {
  const hn::ScalableTag<std::int64_t> d;
  const auto old = hn::Set(d, from), fresh = hn::Set(d, to);
  for (std::size_t v = 0; v < count; v += hn::Lanes(d)) {
    const auto x = hn::LoadU(d, column + v);
    hn::StoreU(hn::IfThenElse(hn::Eq(x, old), fresh, x), d, column + v);
  }
}

kirchhoff::sample::LaneSums SumLanes(const double* HWY_RESTRICT p, std::size_t count) {
  const hn::CappedTag<double, 8> d;
  constexpr std::size_t kWidth = hn::MaxLanes(d), kParts = 8 / kWidth;
  hn::Vec<decltype(d)> sums[kParts];
  for (std::size_t i = 0; i < kParts; ++i) sums[i] = hn::Zero(d);
  std::size_t v = 0;
  for (; v + 8 <= count; v += 8) {
    for (std::size_t i = 0; i < kParts; ++i) sums[i] = hn::Add(sums[i], hn::LoadU(d, p + v + i * kWidth));
  }
  kirchhoff::sample::LaneSums lanes;
  for (std::size_t i = 0; i < kParts; ++i) hn::StoreU(sums[i], d, lanes.data() + i * kWidth);
  for (std::size_t l = 0; v + l < count; ++l) lanes[l] += p[v + l];
  return lanes;
}

void MergeColumnsOf(const MergePanel& panel, std::size_t rows, const double* x, double* out) {
  alignas(64) double a[kSteps * numeric::kRowBlock] = {};
  for (std::size_t r = 0; r < rows; r += numeric::kRowBlock) {
    const std::size_t count = std::min(numeric::kRowBlock, rows - r);
    multipliers(panel, count, x + r * panel.ld, a);
    const RegularRows to{out + r * panel.ld, panel.ld};
    const RegularSource from{x + r * panel.ld, panel.ld};
    multiply(count, panel.first, panel.ld, panel.steps, Packed{a, kSteps * numeric::kRowBlock}, panel.rows, panel.ld,
             from, to);
  }
}

}  // namespace kirchhoff::sample::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff::sample {
HWY_EXPORT(ConditionalRow);
HWY_EXPORT(MergeColumnsOf);
HWY_EXPORT(ReplaceAll);
HWY_EXPORT(SumLanes);

RowSum conditional_row(const MergePanel& panel, const double* source, const HeadWeights& heads, double* row,
                       double* p) {
  static const auto kernel = KIRCHHOFF_KERNEL(ConditionalRow);
  return kernel(panel, source, heads, row, p);
}

void merge_columns_of(const MergePanel& panel, std::size_t rows, const double* x, double* out) {
  static const auto kernel = KIRCHHOFF_KERNEL(MergeColumnsOf);
  kernel(panel, rows, x, out);
}

LaneSums lane_sums(const double* p, std::size_t count) {
  static const auto kernel = KIRCHHOFF_KERNEL(SumLanes);
  return kernel(p, count);
}

void replace_all(std::size_t count, std::int64_t from, std::int64_t to, std::int64_t* column) {
  static const auto kernel = KIRCHHOFF_KERNEL(ReplaceAll);
  kernel(count, from, to, column);
}
}  // namespace kirchhoff::sample
#endif
