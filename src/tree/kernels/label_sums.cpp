// Exponentiates the labels of one arc after the other, a register of labels at a time.
#include "tree/kernels/label_sums.hpp"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/kernels/label_sums.cpp"
#include "numeric/simd/highway.hpp"
#include "numeric/simd/part-inl.hpp"
#include "tree/kernels/exponential-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::tree::HWY_NAMESPACE {
using numeric::HWY_NAMESPACE::kHasMasks;
using numeric::HWY_NAMESPACE::load_part;

constexpr double kLargestLabelScore = 1e100;

// T vectors of labels from `first` on; -inf beyond the last.
template <std::size_t T>
HWY_INLINE void load_labels(const double* scores, std::size_t first, std::size_t labels, V (&x)[T]) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t t = 0; t < T; ++t) {
    const std::size_t at = first + t * lanes;
    if (at + lanes <= labels) {
      x[t] = hn::LoadU(d, scores + at);
    } else {
      const auto inside = hn::FirstN(d, labels - at);
      x[t] = hn::IfThenElse(inside, load_part(d, inside, scores + at), hn::Set(d, -HUGE_VAL));
    }
  }
}

template <std::size_t T>
HWY_INLINE V weigh_part(const double* scores, std::size_t first, std::size_t labels, V top, double* weights) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  V x[T];
  load_labels(scores, first, labels, x);
  for (std::size_t t = 0; t < T; ++t) x[t] = hn::Sub(x[t], top);
  exp_below(d, x);
  V sum = x[0];
  for (std::size_t t = 0; t < T; ++t) {
    const std::size_t at = first + t * lanes;
    if (t > 0) sum = hn::Add(sum, x[t]);
    if (at + lanes <= labels) {
      hn::StoreU(x[t], d, weights + at);
    } else if constexpr (kHasMasks) {
      hn::BlendedStore(x[t], hn::FirstN(d, labels - at), d, weights + at);
    } else {
      HWY_ALIGN double part[hn::MaxLanes(D())];
      hn::Store(x[t], d, part);
      std::copy_n(part, labels - at, weights + at);
    }
  }
  return sum;
}

bool WeighLabels(const LabelledRow& row, double* weights, double* tops, double* sums) {
  const D d;
  const std::size_t lanes = hn::Lanes(d), labels = row.labels;
  const V impossible = hn::Set(d, -HUGE_VAL), zeros = hn::Zero(d), largest = hn::Set(d, kLargestLabelScore);
  auto good = hn::Eq(zeros, zeros);
  for (std::size_t arc = 0; arc < row.arcs; ++arc, weights += labels) {
    const double* const scores = row.scores + static_cast<std::ptrdiff_t>(arc) * row.stride;
    V best = impossible;
    for (std::size_t y = 0; y < labels; y += lanes) {
      V x[1];
      load_labels(scores, y, labels, x);
      good = hn::And(good, hn::Or(hn::Le(hn::Abs(x[0]), largest), hn::Eq(x[0], impossible)));
      best = hn::Max(best, x[0]);
    }
    tops[arc] = hn::GetLane(hn::MaxOfLanes(d, best));
    const V top = hn::Set(d, tops[arc] == -HUGE_VAL ? 0.0 : tops[arc]);
    V sum = zeros;
    std::size_t y = 0;
    for (; y + 4 * lanes <= labels; y += 4 * lanes) sum = hn::Add(sum, weigh_part<4>(scores, y, labels, top, weights));
    for (; y + lanes < labels; y += 2 * lanes) sum = hn::Add(sum, weigh_part<2>(scores, y, labels, top, weights));
    if (y < labels) sum = hn::Add(sum, weigh_part<1>(scores, y, labels, top, weights));
    sums[arc] = hn::GetLane(hn::SumOfLanes(d, sum));
  }
  return hn::AllTrue(d, good);
}

void ShareAmongLabels(const double* p, const double* sums, std::size_t arcs, std::size_t labels, double* weights) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t arc = 0; arc < arcs; ++arc, weights += labels) {
    const double share = p[arc] > 0.0 ? p[arc] / sums[arc] : 0.0;
    const V factor = hn::Set(d, share);
    std::size_t y = 0;
    for (; y + lanes <= labels; y += lanes) {
      hn::StoreU(hn::Mul(factor, hn::LoadU(d, weights + y)), d, weights + y);
    }
    for (; y < labels; ++y) weights[y] *= share;
  }
}

}  // namespace kirchhoff::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff::tree {
HWY_EXPORT(WeighLabels);
HWY_EXPORT(ShareAmongLabels);

bool weigh_labels(const LabelledRow& row, double* weights, double* tops, double* sums) {
  static const auto kernel = KIRCHHOFF_KERNEL(WeighLabels);
  return kernel(row, weights, tops, sums);
}

void share_among_labels(const double* p, const double* sums, std::size_t arcs, std::size_t labels, double* weights) {
  static const auto kernel = KIRCHHOFF_KERNEL(ShareAmongLabels);
  kernel(p, sums, arcs, labels, weights);
}
}  // namespace kirchhoff::tree
#endif
