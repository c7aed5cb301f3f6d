// Backward sums of eight machines at once, with one exponential for each arc and one logarithm for each node.
#include "wfsm/kernels/lane_solve.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "wfsm/kernels/lane_solve.cpp"
#include "numeric/simd/highway.hpp"

#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::wfsm::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, kLanes>;
using V = hn::Vec<D>;

/// Solves the machines of one vector, which begin at lane i of every block.
void SolveVector(int sink, const std::size_t* begin, const LaneArc* arcs, const LaneArrays& arrays, std::size_t i) {
  const D d;
  const auto at = [&](auto* array, std::size_t block) { return array + block * kLanes + i; };
  const V zero = hn::Zero(d), lowest = hn::Set(d, -1e300);
  for (int v = sink; v-- > 0;) {
    V most = lowest;
    for (std::size_t a = begin[v]; a < begin[v + 1]; ++a) {
      const V total = hn::Add(hn::Load(d, at(arrays.level, arcs[a].to)), hn::Load(d, at(arrays.rest, arcs[a].to)));
      most = hn::Max(most, hn::Add(hn::Load(d, at(arrays.log_weights, arcs[a].place)), total));
    }
    const V level = hn::IfThenElseZero(hn::Gt(most, lowest), hn::Round(most));
    V sum = zero;
    for (std::size_t a = begin[v]; a < begin[v + 1]; ++a) {
      const V shift = hn::Sub(hn::Load(d, at(arrays.level, arcs[a].to)), level);
      const V m = hn::Load(d, at(arrays.m, arcs[a].to));
      const V w = hn::Exp(d, hn::Add(hn::Load(d, at(arrays.log_weights, arcs[a].place)), shift));
      const V p = hn::IfThenElseZero(hn::Gt(m, zero), hn::Mul(w, m));  // w means nothing where there is no way on
      hn::Store(p, d, at(arrays.p, a));
      sum = hn::Add(sum, p);
    }
    const auto possible = hn::Gt(sum, zero);
    const V inverse = hn::IfThenElseZero(possible, hn::Div(hn::Set(d, 1.0), sum));
    for (std::size_t a = begin[v]; a < begin[v + 1]; ++a) {
      hn::Store(hn::Mul(hn::Load(d, at(arrays.p, a)), inverse), d, at(arrays.p, a));
    }
    hn::Store(sum, d, at(arrays.m, v));
    hn::Store(level, d, at(arrays.level, v));
    hn::Store(hn::IfThenElse(possible, hn::Log(d, sum), hn::Set(d, -HUGE_VAL)), d, at(arrays.rest, v));
  }
}

void SolveLanes(int sink, const std::size_t* begin, const LaneArc* arcs, const LaneArrays& arrays) {
  for (std::size_t i = 0; i < kLanes; i += hn::Lanes(D())) SolveVector(sink, begin, arcs, arrays, i);
}

}  // namespace kirchhoff::wfsm::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff::wfsm {
HWY_EXPORT(SolveLanes);
void solve_lanes(int sink, const std::size_t* begin, const LaneArc* arcs, const LaneArrays& arrays) {
  static const auto kernel = KIRCHHOFF_KERNEL(SolveLanes);
  kernel(sink, begin, arcs, arrays);
}
}  // namespace kirchhoff::wfsm
#endif
