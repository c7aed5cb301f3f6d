// The forward-backward algorithm in doubles [Rabiner89]: exponentials once, then products of rows and matrices.
//
// Notation: w_t(i, j) is the weight of a transition, u_t(j) that of an emission, a_t the forward row, scaled to the sum
// 1 by c_t, and b_t the backward row, so that a_t b_t are the marginals:
//   a_t(j) = sum_i a_{t-1}(i) w_t(i, j) u_t(j) / c_t,  b_{t-1}(i) = sum_j w_t(i, j) u_t(j) b_t(j) / c_t,  Z = prod c_t,
//   p_t(i, j) = a_{t-1}(i) w_t(i, j) u_t(j) b_t(j) / c_t.
// Weights lie where the marginals of pairs will be. T K^2 exponentials and 5 T K^2 flops.
#include "chain/kernels/forward_backward.hpp"

#include "base/buffer.hpp"
#include "numeric/sum.hpp"

#include <algorithm>
#include <cmath>

#include <hwy/cache_control.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "chain/kernels/forward_backward.cpp"
#include "numeric/simd/highway.hpp"
// These need the instruction set that the header above chose.
#include "chain/kernels/matrix-inl.hpp"
#include "numeric/simd/exponential_below-inl.hpp"
#include "numeric/simd/part-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::chain::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using numeric::HWY_NAMESPACE::D;
using numeric::HWY_NAMESPACE::exp_below;
using numeric::HWY_NAMESPACE::load_part;
using numeric::HWY_NAMESPACE::V;
using M = hn::Mask<D>;

constexpr std::size_t kVectors = 4;   // exponentials side by side
constexpr std::size_t kAhead = 1024;  // how many doubles ahead memory is fetched

// The lowest and the highest score seen. NaNs may pass unseen, and make the sum of a row NaN.
struct ScoreWatch {
  V low, high;
  explicit ScoreWatch(D d) : low(hn::Zero(d)), high(hn::Zero(d)) {}
  HWY_INLINE void see(V x) {
    low = hn::Min(low, x);
    high = hn::Max(high, x);
  }
  double lowest(D d) const { return hn::GetLane(hn::MinOfLanes(d, low)); }
  double highest(D d) const { return hn::GetLane(hn::MaxOfLanes(d, high)); }
};

// weights = exp(scores).
HWY_INLINE void exponentials(std::size_t count, const double* HWY_RESTRICT scores, double* HWY_RESTRICT weights,
                             ScoreWatch& watch) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t c = 0;
  for (; c + kVectors * lanes <= count; c += kVectors * lanes) {  // as many side by side
    V x[kVectors];
    for (std::size_t r = 0; r < kVectors; ++r) {
      x[r] = hn::LoadU(d, scores + c + r * lanes);
      __builtin_prefetch(scores + c + r * lanes + kAhead, 0);  // of the next matrix, too; past the end it does nothing
      __builtin_prefetch(weights + c + r * lanes + kAhead, 1);
      watch.see(x[r]);
    }
    exp_below(d, x);
    for (std::size_t r = 0; r < kVectors; ++r) hn::StoreU(x[r], d, weights + c + r * lanes);
  }
  for (; c < count; c += lanes) {
    const M inside = hn::FirstN(d, count - c);
    const V x = load_part(d, inside, scores + c);
    watch.see(x);
    hn::BlendedStore(exp_below(d, x), inside, d, weights + c);
  }
}

// The same for a matrix. Returns whether all scores are moderate.
HWY_INLINE bool weigh(std::size_t rows, std::size_t columns, const double* scores, std::ptrdiff_t stride,
                      double* weights, std::size_t width) {
  const D d;
  ScoreWatch watch(d);
  const bool flat = stride == static_cast<std::ptrdiff_t>(columns) && width == columns;
  const std::size_t parts = flat ? 1 : rows, size = flat ? rows * columns : columns;
  const auto part = [&](std::size_t i) { return scores + static_cast<std::ptrdiff_t>(i) * stride; };
  for (std::size_t i = 0; i < parts; ++i) exponentials(size, part(i), weights + i * width, watch);
  if (watch.highest(d) > kModerateScore) return false;
  if (watch.lowest(d) >= -kModerateScore) return true;
  for (std::size_t i = 0; i < parts; ++i) {  // which -inf may have been
    const double* const x = part(i);
    if (!std::all_of(x, x + size, [](double s) { return s >= -kModerateScore || s == -HUGE_VAL; })) return false;
  }
  return true;
}

// row *= factor, then divides by the sum. Returns the sum, which may be NaN, or -1 when a positive entry is too small
// beside it.
HWY_INLINE double scale_row(std::size_t padded, const double* HWY_RESTRICT factor, double* HWY_RESTRICT row) {
  const D d;
  V sums = hn::Zero(d);
  for (std::size_t c = 0; c < padded; c += hn::Lanes(d)) {
    const V x = hn::Mul(hn::Load(d, row + c), hn::Load(d, factor + c));
    hn::Store(x, d, row + c);
    sums = hn::Add(sums, x);
  }
  const double sum = hn::GetLane(hn::SumOfLanes(d, sums));
  if (sum == 0.0) return 0.0;
  const V inverse = hn::Set(d, 1.0 / sum), smallest = hn::Set(d, kSmallestEntry);
  M small = hn::Lt(hn::Zero(d), hn::Zero(d));
  for (std::size_t c = 0; c < padded; c += hn::Lanes(d)) {
    const V before = hn::Load(d, row + c);
    const V x = hn::Mul(before, inverse);
    hn::Store(x, d, row + c);
    small = hn::Or(small, hn::And(hn::Lt(x, smallest), hn::Gt(before, hn::Zero(d))));
  }
  return hn::AllFalse(d, small) ? sum : -1.0;
}

// out = u b / scale where a > 0, else 0.
HWY_INLINE void outgoing(std::size_t padded, const double* HWY_RESTRICT a, const double* HWY_RESTRICT u,
                         const double* HWY_RESTRICT b, double scale, double* HWY_RESTRICT out) {
  const D d;
  const V inverse = hn::Set(d, 1.0 / scale);
  for (std::size_t c = 0; c < padded; c += hn::Lanes(d)) {
    const V x = hn::Mul(hn::Mul(hn::Load(d, u + c), inverse), hn::Load(d, b + c));
    hn::Store(hn::IfThenElseZero(hn::Gt(hn::Load(d, a + c), hn::Zero(d)), x), d, out + c);
  }
}

// Rows of scratch memory, each padded.
struct Rows {
  double *a, *u, *b, *out, *scale, *weights;
  Rows(double* scratch, std::size_t length, std::size_t tags) {
    const std::size_t padded = base::padded(tags);
    a = scratch;
    u = a + length * padded;
    b = u + length * padded;
    out = b + padded;
    scale = out + padded + base::kPad;
    weights = scale + base::padded(length);
  }
};

// Where exp of the transition scores lies: a matrix after the other, or the same one for all positions.
struct Weights {
  double* first;
  std::size_t step;
  double* matrix(std::size_t t) const { return first + (t - 1) * step; }
};

Weights place_of_weights(const Rows& rows, std::size_t count, bool shared, const FastAnswers& answers) {
  if (shared || answers.transitions == nullptr) return {rows.weights, 0};
  return {answers.transitions, count * count};
}

bool backward(const ChainView& chain, const Rows& rows, const Weights& weights, const FastAnswers& answers) {
  const std::size_t count = chain.tags, padded = base::padded(count), lanes = hn::Lanes(D());
  const bool past_caches = answers.past_caches && weights.step == 0;  // else the memory has been read: the weights
  std::fill_n(rows.b, padded, 1.0);
  for (std::size_t t = chain.length; t-- > 0;) {
    const double* const a = rows.a + t * padded;
    double* const marginals = answers.emissions + t * count;
    bool small = false;
    for (std::size_t i = 0; i < count; ++i) {
      marginals[i] = a[i] * rows.b[i];
      small = small || (a[i] > 0.0 && rows.b[i] > 0.0 && rows.b[i] < kSmallestEntry);
    }
    if (small) return false;
    if (t == 0) break;
    outgoing(padded, a, rows.u + t * padded, rows.b, rows.scale[t], rows.out);
    double* const pairs = answers.transitions + (t - 1) * count * count;
    const double* const w = weights.matrix(t);
    if (count < lanes) {
      pairs_of_few(count, w, a - padded, rows.out, pairs, rows.b);
      continue;
    }
    std::copy_n(rows.out, lanes, rows.out + count);
    const auto pairs_of_matrix = past_caches ? pairs_in_order<true> : pairs_in_order<false>;
    pairs_of_matrix(count, w, a - padded, rows.out, pairs, rows.b);
  }
  if (past_caches) hwy::FlushStream();
  return true;
}

FastOutcome ForwardBackward(const ChainView& chain, double* scratch, const FastAnswers& answers) {
  const std::size_t count = chain.tags, padded = base::padded(count);
  const Rows rows(scratch, chain.length, count);
  const bool shared = chain.transition_stride == 0 && chain.length > 2;
  const Weights weights = place_of_weights(rows, count, shared, answers);
  std::fill_n(rows.u, chain.length * padded, 0.0);
  std::fill_n(rows.out, padded, 0.0);
  if (!weigh(chain.length, count, chain.emissions, chain.emission_stride, rows.u, padded) ||
      (shared && !weigh(count, count, chain.transitions, chain.row_stride, weights.first, count))) {
    return FastOutcome::unsuitable;
  }
  numeric::LogProduct z;
  for (std::size_t t = 0; t < static_cast<std::size_t>(chain.length); ++t) {
    double* const a = rows.a + t * padded;
    std::fill_n(a, padded, t == 0 ? 1.0 : 0.0);
    if (t > 0) {
      const double* const scores = chain.transitions + static_cast<std::ptrdiff_t>(t - 1) * chain.transition_stride;
      if (!shared && !weigh(count, count, scores, chain.row_stride, weights.matrix(t), count)) {
        return FastOutcome::unsuitable;
      }
      product(count, weights.matrix(t), a - padded, a);
    }
    rows.scale[t] = scale_row(padded, rows.u + t * padded, a);
    if (rows.scale[t] == 0.0) return FastOutcome::no_path;
    if (!(rows.scale[t] > 0.0)) return FastOutcome::unsuitable;
    z.multiply(rows.scale[t]);
  }
  numeric::Sum log_z;
  z.add_to(log_z);
  *answers.log_partition = log_z.value();
  if (answers.emissions == nullptr) return FastOutcome::done;
  return backward(chain, rows, weights, answers) ? FastOutcome::done : FastOutcome::unsuitable;
}

}  // namespace kirchhoff::chain::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff::chain {
HWY_EXPORT(ForwardBackward);

std::size_t forward_backward_scratch(int length, int tags) {
  const std::size_t padded = base::padded(static_cast<std::size_t>(tags));
  const auto rows = static_cast<std::size_t>(2 * static_cast<std::ptrdiff_t>(length) + 2 + tags);
  return rows * padded + base::kPad + base::padded(static_cast<std::size_t>(length));
}

FastOutcome forward_backward(const ChainView& chain, double* scratch, const FastAnswers& answers) {
  static const auto kernel = KIRCHHOFF_KERNEL(ForwardBackward);
  return kernel(chain, scratch, answers);
}
}  // namespace kirchhoff::chain
#endif
