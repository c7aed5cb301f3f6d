// What the forward-backward algorithm does with a matrix of weights; for files that are compiled once per instruction
// set.
#if defined(KIRCHHOFF_CHAIN_MATRIX_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KIRCHHOFF_CHAIN_MATRIX_INL
#undef KIRCHHOFF_CHAIN_MATRIX_INL
#else
#define KIRCHHOFF_CHAIN_MATRIX_INL
#endif

#include "numeric/simd/exponential-inl.hpp"
#include "numeric/simd/part-inl.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::chain::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using numeric::HWY_NAMESPACE::D;
using numeric::HWY_NAMESPACE::load_part;
using numeric::HWY_NAMESPACE::V;
using M = hn::Mask<D>;

// Writes the part of a vector that is inside, and touches nothing else: what is beside it may be another thread's.
HWY_INLINE void store_part(V x, D d, M inside, double* p) {
  if constexpr (numeric::HWY_NAMESPACE::kHasMasks) return hn::BlendedStore(x, inside, d, p);
  std::uint8_t bits[8];  // what StoreMaskBits may write
  hn::StoreMaskBits(d, inside, bits);
  HWY_ALIGN double part[hn::MaxLanes(D())];
  hn::Store(x, d, part);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
    if ((bits[0] >> i & 1) != 0) p[i] = part[i];
  }
}

// row = sum_i factor(i) weights(i, .) for kVectors whole vectors of columns and, with kPart, a part of one. Even and
// odd rows have sums of their own, which need not wait for each other.
template <std::size_t kVectors, bool kPart>
HWY_INLINE void product_of_columns(std::size_t count, const double* HWY_RESTRICT weights, M inside,
                                   const double* HWY_RESTRICT factor, double* HWY_RESTRICT row) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  constexpr std::size_t kAll = kVectors + (kPart ? 1 : 0);
  V sums[2][kAll];
  for (std::size_t v = 0; v < kAll; ++v) sums[0][v] = sums[1][v] = hn::Zero(d);
  const auto add = [&](std::size_t i, V* sum) HWY_ATTR {
    const V f = hn::Set(d, factor[i]);
    const double* const w = weights + i * count;
    for (std::size_t v = 0; v < kVectors; ++v) sum[v] = hn::MulAdd(f, hn::LoadU(d, w + v * lanes), sum[v]);
    if constexpr (kPart) sum[kVectors] = hn::MulAdd(f, load_part(d, inside, w + kVectors * lanes), sum[kVectors]);
  };
  std::size_t i = 0;
  for (; i + 2 <= count; i += 2) {
    add(i, sums[0]);
    add(i + 1, sums[1]);
  }
  if (i < count) add(i, sums[0]);
  for (std::size_t v = 0; v < kAll; ++v) hn::Store(hn::Add(sums[0][v], sums[1][v]), d, row + v * lanes);
}

// The same for all columns.
HWY_INLINE void product(std::size_t count, const double* HWY_RESTRICT weights, const double* HWY_RESTRICT factor,
                        double* HWY_RESTRICT row) {
  const D d;
  const std::size_t lanes = hn::Lanes(d), whole = count / lanes, rest = count % lanes;
  const M inside = hn::FirstN(d, rest);
  std::size_t v = 0;
  for (; v + 4 <= whole; v += 4) {
    product_of_columns<4, false>(count, weights + v * lanes, inside, factor, row + v * lanes);
  }
  const double* const w = weights + v * lanes;
  double* const to = row + v * lanes;
  switch (2 * (whole - v) + (rest > 0 ? 1 : 0)) {
    case 1:
      return product_of_columns<0, true>(count, w, inside, factor, to);
    case 2:
      return product_of_columns<1, false>(count, w, inside, factor, to);
    case 3:
      return product_of_columns<1, true>(count, w, inside, factor, to);
    case 4:
      return product_of_columns<2, false>(count, w, inside, factor, to);
    case 5:
      return product_of_columns<2, true>(count, w, inside, factor, to);
    case 6:
      return product_of_columns<3, false>(count, w, inside, factor, to);
    case 7:
      return product_of_columns<3, true>(count, w, inside, factor, to);
    default:
      return;
  }
}

// The marginals of one matrix of pairs, and b before it:
//   pairs(i, j) = a(i) w(i, j) out(j), b(i) = sum_j w(i, j) out(j).
// For tags that fit into a part of a vector.
HWY_INLINE void pairs_of_few(std::size_t count, const double* weights, const double* a, const double* out,
                             double* pairs, double* b) {
  const D d;
  const M inside = hn::FirstN(d, count);
  const V factor = hn::Load(d, out);
  for (std::size_t i = 0; i < count; ++i) {
    const V q = hn::Mul(load_part(d, inside, weights + i * count), factor);
    store_part(hn::Mul(hn::Set(d, a[i]), q), d, inside, pairs + i * count);
    b[i] = hn::GetLane(hn::SumOfLanes(d, q));
  }
}

// For more tags: what is written is whole vectors of memory, which two rows may share, but for the first and the last.
// Past the caches, memory need not be read before it is written. What follows out is its beginning once more. Where a
// row begins in a vector does not change its sum: a lane has the same terms in the same order, and lanes are added to
// those half a vector away, then a quarter and so on, which turning them around leaves as it is.
template <bool kPastCaches>
HWY_INLINE void pairs_in_order(std::size_t count, const double* weights, const double* a, const double* out,
                               double* pairs, double* b) {
  const D d;
  const auto lanes = static_cast<std::ptrdiff_t>(hn::Lanes(d)), tags = static_cast<std::ptrdiff_t>(count);
  const auto over = static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(pairs) / sizeof(double)) % lanes;
  V sum = hn::Zero(d), now = hn::Set(d, a[0]);
  std::ptrdiff_t f = -over;  // where in the matrix the next vector begins
  const auto weighted = [&](std::ptrdiff_t j)
                            HWY_ATTR { return hn::Mul(hn::LoadU(d, weights + f), hn::LoadU(d, out + j)); };
  const auto put = [&](V x) HWY_ATTR {
    kPastCaches ? hn::Stream(x, d, pairs + f) : hn::Store(x, d, pairs + f);
    f += lanes;
  };
  const auto put_part = [&](M inside, std::ptrdiff_t j) HWY_ATTR {
    const V q = hn::Mul(load_part(d, inside, weights + f), load_part(d, inside, out + j));
    sum = hn::Add(sum, q);
    store_part(hn::Mul(now, q), d, inside, pairs + f);
    f += lanes;
  };
  if (over > 0) put_part(hn::Not(hn::FirstN(d, static_cast<std::size_t>(over))), -over);
  for (std::ptrdiff_t i = 0; i < tags; ++i) {
    const std::ptrdiff_t begin = i * tags, end = begin + tags;
    while (f + lanes <= end) {
      const V q = weighted(f - begin);
      sum = hn::Add(sum, q);
      put(hn::Mul(now, q));
    }
    V rest = hn::Zero(d);
    const V next = hn::Set(d, a[std::min(i + 1, tags - 1)]);
    if (f < end) {
      const M inside = hn::FirstN(d, static_cast<std::size_t>(end - f));
      if (i + 1 < tags) {
        const V q = weighted(f - begin);
        sum = hn::Add(sum, hn::IfThenElseZero(inside, q));
        rest = hn::IfThenZeroElse(inside, q);
        put(hn::Mul(hn::IfThenElse(inside, now, next), q));
      } else {
        put_part(inside, f - begin);
      }
    }
    b[i] = hn::GetLane(hn::SumOfLanes(d, sum));
    sum = rest;
    now = next;
  }
}

}  // namespace kirchhoff::chain::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // KIRCHHOFF_CHAIN_MATRIX_INL
