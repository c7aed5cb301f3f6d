// Vector loops over columns of a graph under contraction. Each is O(n).
#include "decode/columns.hpp"

#include "core/kernels.hpp"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "decode/columns.cpp"
#include "core/highway.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::decode::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::CappedTag<double, 8>;  // columns are padded to multiples of 8

void StartColumn(std::ptrdiff_t size, const Column& column, double own, double* values, double* dependents) {
  const Doubles d;
  const auto shift = hn::Set(d, own);
  const auto constant = hn::Set(d, column.dependent);
  for (std::ptrdiff_t u = 0; u < size; u += static_cast<std::ptrdiff_t>(hn::Lanes(d))) {
    hn::StoreU(hn::Sub(hn::LoadU(d, column.values + u), shift), d, values + u);
    hn::StoreU(column.dependents ? hn::LoadU(d, column.dependents + u) : constant, d, dependents + u);
  }
}

void MergeColumn(std::ptrdiff_t size, const Column& column, double own, double* values, double* dependents) {
  const Doubles d;
  const auto shift = hn::Set(d, own);
  const auto constant = hn::Set(d, column.dependent);
  for (std::ptrdiff_t u = 0; u < size; u += static_cast<std::ptrdiff_t>(hn::Lanes(d))) {
    const auto value = hn::Sub(hn::LoadU(d, column.values + u), shift);
    const auto old = hn::LoadU(d, values + u);
    const auto higher = hn::Gt(value, old);
    const auto dependent = column.dependents ? hn::LoadU(d, column.dependents + u) : constant;
    hn::StoreU(hn::IfThenElse(higher, value, old), d, values + u);
    hn::StoreU(hn::IfThenElse(higher, dependent, hn::LoadU(d, dependents + u)), d, dependents + u);
  }
}

/// Where the highest value stands, given the maximum of each lane.
template <class D, class V>
HWY_INLINE int find_best(D d, V top, const double* values) {
  const auto best = hn::MaxOfLanes(d, top);
  if (hn::GetLane(best) == -HUGE_VAL) return -1;
  for (std::ptrdiff_t u = 0;; u += static_cast<std::ptrdiff_t>(hn::Lanes(d))) {
    const std::ptrdiff_t lane = hn::FindFirstTrue(d, hn::Eq(hn::LoadU(d, values + u), best));
    if (lane >= 0) return static_cast<int>(u + lane);
  }
}

int FinishColumn(std::ptrdiff_t size, const double* inside, double* values) {
  const Doubles d;
  auto top = hn::Set(d, -HUGE_VAL);
  for (std::ptrdiff_t u = 0; u < size; u += static_cast<std::ptrdiff_t>(hn::Lanes(d))) {
    const auto value = hn::Add(hn::LoadU(d, values + u), hn::LoadU(d, inside + u));
    hn::StoreU(value, d, values + u);
    top = hn::Max(top, value);
  }
  return find_best(d, top, values);
}

int BestOfColumn(std::ptrdiff_t size, const double* values) {
  const Doubles d;
  auto top = hn::Set(d, -HUGE_VAL);
  for (std::ptrdiff_t u = 0; u < size; u += static_cast<std::ptrdiff_t>(hn::Lanes(d))) {
    top = hn::Max(top, hn::LoadU(d, values + u));
  }
  return find_best(d, top, values);
}

}  // namespace kirchhoff::decode::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff::decode {
HWY_EXPORT(StartColumn);
HWY_EXPORT(MergeColumn);
HWY_EXPORT(FinishColumn);
HWY_EXPORT(BestOfColumn);

Columns columns_of(const MatrixRef& scores, core::Buffer& buffer) {
  const std::ptrdiff_t size = scores.rows(), stride = padded_size(static_cast<int>(size) - 1), blocks = size / 4 * 4;
  double* out = buffer.take(static_cast<std::size_t>(size * stride));
  core::transpose(static_cast<std::size_t>(blocks), static_cast<std::size_t>(blocks), scores.data(),
                  static_cast<std::size_t>(scores.outerStride()), out, static_cast<std::size_t>(stride));
  for (std::ptrdiff_t d = 0; d < size; ++d) {
    double* column = out + d * stride;
    for (std::ptrdiff_t head = d < blocks ? blocks : 0; head < size; ++head) column[head] = scores(head, d);
    std::fill(column + size, column + stride, -HUGE_VAL);
    column[d] = -HUGE_VAL;
  }
  return {out, stride, static_cast<int>(size) - 1};
}

void start_column(std::ptrdiff_t size, const Column& column, double own, double* values, double* dependents) {
  static const auto kernel = KIRCHHOFF_KERNEL(StartColumn);
  kernel(size, column, own, values, dependents);
}

void merge_column(std::ptrdiff_t size, const Column& column, double own, double* values, double* dependents) {
  static const auto kernel = KIRCHHOFF_KERNEL(MergeColumn);
  kernel(size, column, own, values, dependents);
}

int finish_column(std::ptrdiff_t size, const double* inside, double* values) {
  static const auto kernel = KIRCHHOFF_KERNEL(FinishColumn);
  return kernel(size, inside, values);
}

int best_of_column(std::ptrdiff_t size, const double* values) {
  static const auto kernel = KIRCHHOFF_KERNEL(BestOfColumn);
  return kernel(size, values);
}
}  // namespace kirchhoff::decode
#endif
