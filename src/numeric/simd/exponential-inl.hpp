// The exponential of shifted scores for one vector, included once per instruction set.
//
// x - hi - lo is evaluated exactly enough that the result has about one ulp of relative error even for |x| = 1e4, where
// rounding x - hi alone would cost 1e-12: the subtraction's error (Knuth's TwoSum) goes into the reduced argument.
// exp(y) = 2^k exp(r), k = round(y / ln 2), |r| <= 0.35; ln 2 in two parts; exp(r) = 1 + r + r^2 q(r), q the Chebyshev
// interpolation of degree 9 (relative error 1.6e-17).
#if defined(KIRCHHOFF_EXPONENTIAL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef KIRCHHOFF_EXPONENTIAL_INL
#undef KIRCHHOFF_EXPONENTIAL_INL
#else
#define KIRCHHOFF_EXPONENTIAL_INL
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::numeric::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;
using U = hn::RebindToUnsigned<D>;

constexpr double kLog2e = 1.4426950408889634074;
constexpr double kLn2Hi = 0.69314718055994528623;     // ln 2 rounded to a double
constexpr double kLn2Lo = 2.3190468138462995584e-17;  // the rest
constexpr double kExactLimit = 4503599627370496.0;    // 2^52: beyond it a score's own ulp exceeds 1

// The number m 2^k.
struct Power {
  V m;  // exp(r), in (0.7, 1.42)
  V k;  // integer; NaN for x = -inf, and all comparisons with it false
};

// Computes y - k ln 2, where the product with ln 2's first part must not be rounded, since k may be 1e7. Without FMA
// this takes Dekker's product [Dekker71].
HWY_INLINE V minus_ln2(D d, V k, V y) {
  const V low = hn::Set(d, kLn2Lo);
#if HWY_NATIVE_FMA
  return hn::NegMulAdd(k, low, hn::NegMulAdd(k, hn::Set(d, kLn2Hi), y));
#else
  constexpr double kFirst = 0.6931471824645996, kSecond = -1.904654323148236e-09;  // kLn2Hi in halves of 26 bits
  const V big = hn::Mul(k, hn::Set(d, 134217729.0));                               // 2^27 + 1
  const V k_first = hn::Sub(big, hn::Sub(big, k)), k_second = hn::Sub(k, k_first);
  const V product = hn::Mul(k, hn::Set(d, kLn2Hi));
  const V first = hn::Set(d, kFirst), second = hn::Set(d, kSecond);
  V lost = hn::Sub(hn::Mul(k_first, first), product);
  lost = hn::Add(hn::Add(lost, hn::Mul(k_first, second)), hn::Mul(k_second, first));
  lost = hn::Add(lost, hn::Mul(k_second, second));
  return hn::Sub(hn::Sub(hn::Sub(y, product), lost), hn::Mul(k, low));
#endif
}

// exp(r) for |r| <= 0.35.
HWY_INLINE V exp_reduced(D d, V r) {
  constexpr double kFactor[] = {1.0,
                                1.0,
                                0.5000000000000001,
                                0.16666666666666669,
                                0.04166666666662413,
                                0.008333333333330062,
                                0.0013888888917213717,
                                0.00019841269863053618,
                                2.4801521295954376e-05,
                                2.7557268459997064e-06,
                                2.7620088445409746e-07,
                                2.510038549551032e-08};
  const V r2 = hn::Mul(r, r);
  // Even and odd halves run side by side.
  V even = hn::Set(d, kFactor[10]);
  V odd = hn::Set(d, kFactor[11]);
  for (int i = 8; i >= 0; i -= 2) {
    even = hn::MulAdd(even, r2, hn::Set(d, kFactor[i]));
    odd = hn::MulAdd(odd, r2, hn::Set(d, kFactor[i + 1]));
  }
  return hn::MulAdd(odd, r, even);
}

// Computes exp(x - hi - lo). With kLow, lo may be other than 0, as large as hi's last digit. With kHuge, x - hi - lo
// may be beyond 2^52 in size, where only the exponent means anything, and m is 1.
template <bool kLow, bool kHuge>
HWY_INLINE Power shifted_exp(D d, V x, V hi, V lo) {
  const V rounded = hn::Sub(x, hi);
  const V back = hn::Sub(x, rounded);
  V y = rounded;
  V lost = hn::Add(hn::Sub(back, hi), hn::Sub(x, hn::Add(rounded, back)));
  if (kLow) {
    const V error = hn::Sub(lost, lo);
    y = hn::Add(rounded, error);
    lost = hn::Sub(error, hn::Sub(y, rounded));  // what y rounds off in turn
  }
  const V k = hn::Round(hn::Mul(y, hn::Set(d, kLog2e)));
  V r = hn::Add(minus_ln2(d, k, y), lost);
  if (kHuge) r = hn::IfThenElseZero(hn::Lt(hn::Abs(y), hn::Set(d, kExactLimit)), r);
  return {exp_reduced(d, r), k};
}

// Computes exp(y), with a relative error of about one ulp.
HWY_INLINE Power exp_of(D d, V y) {
  const V k = hn::Round(hn::Mul(y, hn::Set(d, kLog2e)));
  return {exp_reduced(d, minus_ln2(d, k, y)), k};
}

// Returns 2^k for integers k in [-1022, 1023], and anything for others: k + 2^52 + 1023 has k + 1023 in its low
// mantissa bits.
HWY_INLINE V power_of_two(D d, V k) {
  const V biased = hn::Add(k, hn::Set(d, 4503599627370496.0 + 1023.0));
  return hn::BitCast(d, hn::ShiftLeft<52>(hn::BitCast(U(), biased)));
}

}  // namespace kirchhoff::numeric::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // KIRCHHOFF_EXPONENTIAL_INL
