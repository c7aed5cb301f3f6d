// Forward substitution by dot products, back substitution by rows taken off: both read L by rows. O(size^2).
#include "factor/triangle.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "factor/triangle.cpp"
#include "core/highway.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::factor::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<double, 8>;

void SolveLower(const double* lower, std::size_t stride, std::size_t size, double* x) {
  const D d;
  for (std::size_t i = 0; i < size; ++i) {
    const double* row = lower + i * stride;
    auto sum = hn::Zero(d);
    std::size_t k = 0;
    for (; k + hn::Lanes(d) <= i; k += hn::Lanes(d)) sum = hn::MulAdd(hn::LoadU(d, row + k), hn::LoadU(d, x + k), sum);
    double left = x[i];
    for (std::size_t l = k; l < i; ++l) left -= row[l] * x[l];  // a vector with x[i - 1] in it would wait for its store
    x[i] = (left - hn::GetLane(hn::SumOfLanes(d, sum))) / row[i];
  }
}

void SolveLowerTransposed(const double* lower, std::size_t stride, std::size_t size, double* x) {
  const D d;
  for (std::size_t i = size; i-- > 0;) {
    const double* row = lower + i * stride;
    x[i] /= row[i];
    const auto times = hn::Set(d, x[i]);
    std::size_t k = 0;
    for (; k + hn::Lanes(d) <= i; k += hn::Lanes(d)) {
      hn::StoreU(hn::NegMulAdd(times, hn::LoadU(d, row + k), hn::LoadU(d, x + k)), d, x + k);
    }
    for (; k < i; ++k) x[k] -= x[i] * row[k];
  }
}

}  // namespace kirchhoff::factor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff::factor {

HWY_EXPORT(SolveLower);
HWY_EXPORT(SolveLowerTransposed);

void solve_lower(const double* lower, std::size_t stride, std::span<double> x) {
  static const auto kernel = KIRCHHOFF_KERNEL(SolveLower);
  kernel(lower, stride, x.size(), x.data());
}

void solve_lower_transposed(const double* lower, std::size_t stride, std::span<double> x) {
  static const auto kernel = KIRCHHOFF_KERNEL(SolveLowerTransposed);
  kernel(lower, stride, x.size(), x.data());
}

}  // namespace kirchhoff::factor
#endif
