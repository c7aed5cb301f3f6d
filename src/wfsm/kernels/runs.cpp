// Rows of a Hessian, which are sums of two products, run by run.
#include "wfsm/kernels/runs.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "wfsm/kernels/runs.cpp"
#include "numeric/simd/highway.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::wfsm::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void WeightedRuns(std::size_t count, const Run* runs, double a, const double* x, double b, const double* y,
                  const double* z, const double* w, double* out) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t r = 0; r < count; ++r) {
    const Run run = runs[r];
    const double first = a * x[run.row], second = b * y[run.row];
    const double* HWY_RESTRICT from = z + run.column;
    const double* HWY_RESTRICT weight = w + run.begin;
    double* HWY_RESTRICT to = out + run.begin;
    if (run.count < lanes) {
      for (std::size_t i = 0; i < run.count; ++i) to[i] = weight[i] * (first + second * from[i]);
      continue;
    }
    const auto f = hn::Set(d, first), s = hn::Set(d, second);
    const auto at = [&](std::size_t i) {
      hn::StoreU(hn::Mul(hn::LoadU(d, weight + i), hn::MulAdd(s, hn::LoadU(d, from + i), f)), d, to + i);
    };
    std::size_t i = 0;
    for (; i + lanes <= run.count; i += lanes) at(i);
    if (i < run.count) at(run.count - lanes);  // goes once more over some of the last ones
  }
}

}  // namespace kirchhoff::wfsm::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff::wfsm {
HWY_EXPORT(WeightedRuns);
void weighted_runs(std::size_t count, const Run* runs, double a, const double* x, double b, const double* y,
                   const double* z, const double* w, double* out) {
  static const auto kernel = KIRCHHOFF_KERNEL(WeightedRuns);
  kernel(count, runs, a, x, b, y, z, w, out);
}
}  // namespace kirchhoff::wfsm
#endif
