// Vector loops over columns of a graph under contraction. Each is O(n).
#include "core/columns.hpp"

#include "core/kernels.hpp"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/columns.cpp"
#include "core/highway.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::core::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::CappedTag<double, 8>;  // columns are padded to multiples of 8

/// Where the highest value stands, given the maximum of each lane over all vectors but the first.
template <class D, class V>
HWY_INLINE int find_best(D d, V top, const double* values, int lowest) {
  const auto none = hn::Set(d, -HUGE_VAL);
  const auto first = hn::IfThenElse(hn::FirstN(d, static_cast<std::size_t>(lowest)), none, hn::LoadU(d, values));
  const auto best = hn::MaxOfLanes(d, hn::Max(top, first));
  if (hn::GetLane(best) == -HUGE_VAL) return -1;
  std::ptrdiff_t lane = hn::FindFirstTrue(d, hn::Eq(first, best));
  std::ptrdiff_t u = 0;
  while (lane < 0) {
    u += static_cast<std::ptrdiff_t>(hn::Lanes(d));
    lane = hn::FindFirstTrue(d, hn::Eq(hn::LoadU(d, values + u), best));
  }
  return static_cast<int>(u + lane);
}

int MergeColumns(std::ptrdiff_t size, const Column& a, const Column& b, const double* inside, double* values,
                 double* dependents, int lowest) {
  const Doubles d;
  const auto own_a = hn::Set(d, a.own), own_b = hn::Set(d, b.own);
  const auto all_a = hn::Set(d, a.dependent), all_b = hn::Set(d, b.dependent);
  auto top = hn::Set(d, -HUGE_VAL);
  for (std::ptrdiff_t u = 0; u < size; u += static_cast<std::ptrdiff_t>(hn::Lanes(d))) {
    const auto from_a = hn::Sub(hn::LoadU(d, a.values + u), own_a);
    const auto from_b = hn::Sub(hn::LoadU(d, b.values + u), own_b);
    const auto dependent_a = a.dependents ? hn::LoadU(d, a.dependents + u) : all_a;
    const auto dependent_b = b.dependents ? hn::LoadU(d, b.dependents + u) : all_b;
    const auto value = hn::Add(hn::Max(from_a, from_b), hn::LoadU(d, inside + u));
    hn::StoreU(value, d, values + u);
    hn::StoreU(hn::IfThenElse(hn::Gt(from_b, from_a), dependent_b, dependent_a), d, dependents + u);
    if (u > 0) top = hn::Max(top, value);
  }
  return find_best(d, top, values, lowest);
}

int BestOfColumn(std::ptrdiff_t size, const double* values, int lowest) {
  const Doubles d;
  auto top = hn::Set(d, -HUGE_VAL);
  const auto step = static_cast<std::ptrdiff_t>(hn::Lanes(d));
  for (std::ptrdiff_t u = step; u < size; u += step) {
    top = hn::Max(top, hn::LoadU(d, values + u));
  }
  return find_best(d, top, values, lowest);
}

}  // namespace kirchhoff::core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff::core {
HWY_EXPORT(MergeColumns);
HWY_EXPORT(BestOfColumn);

Columns columns_of(const MatrixRef& scores, Buffer& buffer) {
  const std::ptrdiff_t size = scores.rows(), stride = padded_size(static_cast<int>(size) - 1), blocks = size / 4 * 4;
  double* out = buffer.take(static_cast<std::size_t>(size * stride));
  transpose(static_cast<std::size_t>(blocks), static_cast<std::size_t>(blocks), scores.data(),
            static_cast<std::size_t>(scores.outerStride()), out, static_cast<std::size_t>(stride));
  for (std::ptrdiff_t d = 0; d < size; ++d) {
    double* column = out + d * stride;
    for (std::ptrdiff_t head = d < blocks ? blocks : 0; head < size; ++head) column[head] = scores(head, d);
    std::fill(column + size, column + stride, -HUGE_VAL);
    column[d] = -HUGE_VAL;
  }
  return {out, stride, static_cast<int>(size) - 1};
}

int merge_columns(std::ptrdiff_t size, const Column& a, const Column& b, const double* inside, double* values,
                  double* dependents, int lowest) {
  static const auto kernel = KIRCHHOFF_KERNEL(MergeColumns);
  return kernel(size, a, b, inside, values, dependents, lowest);
}

int best_of_column(std::ptrdiff_t size, const double* values, int lowest) {
  static const auto kernel = KIRCHHOFF_KERNEL(BestOfColumn);
  return kernel(size, values, lowest);
}
}  // namespace kirchhoff::core
#endif
