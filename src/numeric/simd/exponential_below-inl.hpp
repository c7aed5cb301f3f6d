// The exponential of numbers of at most 0, included once per instruction set: half the work of the general one.
#if defined(KIRCHHOFF_EXPONENTIAL_BELOW_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KIRCHHOFF_EXPONENTIAL_BELOW_INL
#undef KIRCHHOFF_EXPONENTIAL_BELOW_INL
#else
#define KIRCHHOFF_EXPONENTIAL_BELOW_INL
#endif

#include "numeric/simd/exponential-inl.hpp"

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::numeric::HWY_NAMESPACE {

// Turns each y <= 0 into exp(y) with a relative error of 6e-16 + |y| 2e-16, and into 0 where the result is no normal
// number: in fewer instructions than the above. A polynomial is a chain of instructions that wait for each other:
// processors keep busy with several of them side by side, but do not find them far ahead, so they are written side by
// side.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
// Two vectors of eight hold all 2^(j/16): exp(y) = 2^e 2^(j/16) exp(r), |r| <= 0.022, where a polynomial of degree 6 is
// enough. Shifted up, the bits of 16 e + j are those of e as an exponent and those of j below it, which the entries of
// the table make up for. Highway 1.0 has no look-up in two vectors; of its index, the instruction takes four bits.
template <std::size_t T>
HWY_INLINE void exp_below(D d, V (&y)[T]) {
  constexpr double kRound = 6755399441055744.0, kLowest = -708.39;  // 1.5 2^52; exp of less is no normal number
  constexpr double kFactor[] = {1.0,
                                1.0000000000000022,
                                0.5000000000000003,
                                0.16666666662843196,
                                0.04166666666188734,
                                0.008333496281271884,
                                0.001388909257348018};
  HWY_ALIGN static constexpr std::uint64_t kTable[] = {
      // the bits of 2^(j/16), less j 2^48
      0x3ff0000000000000, 0x3fefb5586cf9890f, 0x3fef72b83c7d517b, 0x3fef387a6e756238,
      0x3fef06fe0a31b715, 0x3feedea64c123422, 0x3feebfdad5362a27, 0x3feeab07dd485429,
      0x3feea09e667f3bcd, 0x3feea11473eb0187, 0x3feeace5422aa0db, 0x3feec49182a3f090,
      0x3feee89f995ad3ad, 0x3fef199bdd85529c, 0x3fef5818dcfba487, 0x3fefa4afa2a490da};
  const U u;
  const auto low = hn::Load(u, kTable), high = hn::Load(u, kTable + 8);
  const V round = hn::Set(d, kRound);
  V r[T], scale[T], p[T];
  for (std::size_t t = 0; t < T; ++t) {
    const V rounded = hn::MulAdd(y[t], hn::Set(d, 16.0 * kLog2e), round);
    const auto bits = hn::BitCast(u, rounded);
    const hn::Vec<U> root{_mm512_permutex2var_epi64(low.raw, bits.raw, high.raw)};
    scale[t] = hn::BitCast(d, hn::Add(root, hn::ShiftLeft<48>(bits)));
    r[t] = hn::NegMulAdd(hn::Sub(rounded, round), hn::Set(d, kLn2Hi / 16.0), y[t]);
  }
  for (std::size_t t = 0; t < T; ++t) p[t] = hn::MulAdd(hn::Set(d, kFactor[6]), r[t], hn::Set(d, kFactor[5]));
  for (int i = 4; i >= 0; --i) {
    for (std::size_t t = 0; t < T; ++t) p[t] = hn::MulAdd(p[t], r[t], hn::Set(d, kFactor[i]));
  }
  for (std::size_t t = 0; t < T; ++t) {
    y[t] = hn::IfThenZeroElse(hn::Lt(y[t], hn::Set(d, kLowest)), hn::Mul(p[t], scale[t]));
  }
}
#else
// Returns y, or -709 where y is less: 2^-1023 becomes 0. NaNs stay, which Highway's scalar Max would drop.
HWY_INLINE V not_below(D d, V y) {
  const V lowest = hn::Set(d, -709.0);
#if HWY_TARGET == HWY_SCALAR
  return hn::IfThenElse(hn::Lt(y, lowest), lowest, y);
#else
  return hn::Max(lowest, y);
#endif
}

// Adding a large number rounds y / ln 2, and leaves the exponent's bits at the end.
template <std::size_t T>
HWY_INLINE void exp_below(D d, V (&y)[T]) {
  constexpr double kRound = 6755399441055744.0 + 1023.0;  // 1.5 2^52, and the exponent of 1
  constexpr double kFactor[] = {1.0,
                                1.0000000000000013,
                                0.5000000000000001,
                                0.16666666666615443,
                                0.04166666666662399,
                                0.008333333367413728,
                                0.0013888888917281794,
                                0.00019841190488906993,
                                2.480152119021773e-05,
                                2.7632716110097874e-06,
                                2.7620138719733994e-07};
  const V round = hn::Set(d, kRound);
  V rounded[T], r[T];
  for (std::size_t t = 0; t < T; ++t) {
    y[t] = not_below(d, y[t]);
    rounded[t] = hn::MulAdd(y[t], hn::Set(d, kLog2e), round);
  }
  for (std::size_t t = 0; t < T; ++t) r[t] = hn::NegMulAdd(hn::Sub(rounded[t], round), hn::Set(d, kLn2Hi), y[t]);
  for (std::size_t t = 0; t < T; ++t) y[t] = hn::MulAdd(hn::Set(d, kFactor[10]), r[t], hn::Set(d, kFactor[9]));
  for (int i = 8; i >= 0; --i) {
    for (std::size_t t = 0; t < T; ++t) y[t] = hn::MulAdd(y[t], r[t], hn::Set(d, kFactor[i]));
  }
  for (std::size_t t = 0; t < T; ++t) {
    y[t] = hn::Mul(y[t], hn::BitCast(d, hn::ShiftLeft<52>(hn::BitCast(U(), rounded[t]))));
  }
}
#endif

HWY_INLINE V exp_below(D d, V y) {
  V one[1] = {y};
  exp_below(d, one);
  return one[0];
}

}  // namespace kirchhoff::numeric::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // KIRCHHOFF_EXPONENTIAL_BELOW_INL
