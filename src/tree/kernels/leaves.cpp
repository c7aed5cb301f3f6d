// Eliminates all of a few words but one, for each of them, in the lanes of vectors: lane j leaves word j.
#include "tree/kernels/leaves.hpp"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/kernels/leaves.cpp"
#include "numeric/simd/highway.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::tree::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;
using M = hn::Mask<D>;
constexpr std::size_t kLeafLanes = hn::MaxLanes(D());

// The words' own rows, columns and weights from the root, filled up with zeros.
struct LeafWeights {
  alignas(64) double row[kLeafWords][kLeafWords] = {};
  alignas(64) double column[kLeafWords][kLeafWords] = {};
  alignas(64) double root[kLeafWords] = {};

  explicit LeafWeights(const LeafPart& part) {
    for (std::size_t a = 0; a < part.words.rows; ++a) {
      root[a] = part.root[part.first + a];
      for (std::size_t b = 0; b < part.words.rows; ++b) row[a][b] = column[b][a] = part.words(a, part.first + b);
    }
  }
};

// factor[k][j] is what the root's row takes up of word k's where j is left, z[j] its weight to j then.
struct LeafFactors {
  alignas(64) double factor[kLeafWords][kLeafWords];
  alignas(64) double z[kLeafWords];
};

// Lanes from `begin` on: in lane j, the row of word j stands apart as `kept`, and is 0 in `inner`.
template <std::size_t K>
HWY_INLINE V eliminate_lanes(const LeafWeights& w, bool root_counts, std::size_t begin, LeafFactors& out,
                             LeafOutcome& outcome) {
  const D d;
  const V one = hn::Set(d, 1.0), counts = hn::Set(d, root_counts ? 1.0 : 0.0);
  const V lane = hn::Iota(d, static_cast<double>(begin));
  const M used = hn::Lt(lane, hn::Set(d, static_cast<double>(K)));
  V inner[K][K], kept[K], root[K], smallest = one;
  for (std::size_t a = 0; a < K; ++a) {
    const M own = hn::Eq(lane, hn::Set(d, static_cast<double>(a)));
    for (std::size_t b = 0; b < K; ++b) inner[a][b] = hn::IfThenZeroElse(own, hn::Set(d, w.row[a][b]));
    kept[a] = hn::Load(d, w.column[a] + begin);
    root[a] = hn::Set(d, w.root[a]);
  }
  for (std::size_t k = 0; k < K; ++k) {
    V sum = hn::MulAdd(counts, root[k], kept[k]);
    for (std::size_t a = k + 1; a < K; ++a) sum = hn::Add(sum, inner[a][k]);
    const M goes = hn::And(used, hn::Ne(lane, hn::Set(d, static_cast<double>(k))));
    const V pivot = hn::IfThenElse(goes, sum, one);  // where it is 0, what follows means nothing, but is a number
    const V inverse = hn::IfThenElseZero(hn::And(goes, hn::Gt(pivot, hn::Zero(d))), hn::Div(one, pivot));
    smallest = hn::Min(smallest, pivot);
    if (begin == 0) outcome.pivots[k] = hn::GetLane(pivot);
    kept[k] = hn::Mul(kept[k], inverse);
    root[k] = hn::Mul(root[k], inverse);
    for (std::size_t a = k + 1; a < K; ++a) inner[a][k] = hn::Mul(inner[a][k], inverse);
    for (std::size_t b = k + 1; b < K; ++b) {
      const V x = inner[k][b];
      kept[b] = hn::MulAdd(kept[k], x, kept[b]);
      root[b] = hn::MulAdd(root[k], x, root[b]);
      for (std::size_t a = k + 1; a < K; ++a) inner[a][b] = hn::MulAdd(inner[a][k], x, inner[a][b]);
    }
  }
  for (std::size_t k = K - 1; k > 0; --k) {
    for (std::size_t e = 0; e < k; ++e) root[e] = hn::MulAdd(root[k], inner[k][e], root[e]);
  }
  V z = hn::Load(d, w.root + begin);
  for (std::size_t k = 0; k < K; ++k) {
    hn::Store(root[k], d, out.factor[k] + begin);
    z = hn::MulAdd(root[k], hn::Load(d, w.row[k] + begin), z);
  }
  hn::Store(z, d, out.z + begin);
  return hn::Min(smallest, hn::IfThenElse(used, z, one));
}

// Writes the slopes, and finds the range of the root's rows.
template <std::size_t K>
HWY_INLINE void write_slopes(const LeafPart& part, const LeafFactors& f, const numeric::MatrixSpan& slopes,
                             LeafOutcome& outcome) {
  const D d;
  const V one = hn::Set(d, 1.0);
  double inverse_z[K];
  for (std::size_t j = 0; j < K; ++j) inverse_z[j] = 1.0 / f.z[j];
  V least = one, most = hn::Zero(d);
  for (std::size_t c = 0; c < part.words.cols; c += kLeafLanes) {
    const V root = hn::Load(d, part.root + c), totals = hn::Load(d, part.inverse_totals + c);
    const M inside = hn::FirstN(d, part.n > c ? std::min(part.n - c, kLeafLanes) : 0);
    V x[K];
    for (std::size_t k = 0; k < K; ++k) x[k] = hn::Load(d, part.words.row(k) + c);
    for (std::size_t j = 0; j < K; ++j) {
      V a = root;
      for (std::size_t k = 0; k < K; ++k) a = hn::MulAdd(hn::Set(d, f.factor[k][j]), x[k], a);
      least = hn::Min(least, hn::IfThenElse(inside, a, one));
      most = hn::Max(most, a);
      hn::Store(hn::Mul(hn::Mul(a, totals), hn::Set(d, inverse_z[j])), d, slopes.row(j) + c);
    }
  }
  outcome.smallest = std::min(outcome.smallest, hn::GetLane(hn::MinOfLanes(d, least)));
  outcome.largest = hn::GetLane(hn::MaxOfLanes(d, most));
}

template <std::size_t K>
HWY_NOINLINE LeafOutcome leave_each_of(const LeafPart& part, const numeric::MatrixSpan& slopes) {
  const D d;
  const LeafWeights weights(part);
  LeafFactors factors;
  LeafOutcome outcome;
  V smallest = hn::Set(d, 1.0);
  for (std::size_t begin = 0; begin < K; begin += kLeafLanes) {
    smallest = hn::Min(smallest, eliminate_lanes<K>(weights, part.root_counts, begin, factors, outcome));
  }
  outcome.smallest = hn::GetLane(hn::MinOfLanes(d, smallest));
  std::copy_n(factors.z, K, outcome.z.begin());
  outcome.good = outcome.smallest > 0.0;
  if (outcome.good) write_slopes<K>(part, factors, slopes, outcome);
  return outcome;
}

LeafOutcome LeaveEach(const LeafPart& part, const numeric::MatrixSpan& slopes) {
  constexpr decltype(&leave_each_of<1>) kLeave[kLeafWords] = {&leave_each_of<1>, &leave_each_of<2>, &leave_each_of<3>,
                                                              &leave_each_of<4>, &leave_each_of<5>, &leave_each_of<6>,
                                                              &leave_each_of<7>, &leave_each_of<8>};
  return kLeave[part.words.rows - 1](part, slopes);
}

}  // namespace kirchhoff::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff::tree {
HWY_EXPORT(LeaveEach);

LeafOutcome leave_each(const LeafPart& part, const numeric::MatrixSpan& slopes) {
  static const auto kernel = KIRCHHOFF_KERNEL(LeaveEach);
  return kernel(part, slopes);
}
}  // namespace kirchhoff::tree
#endif
