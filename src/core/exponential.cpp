// exp of shifted scores, as doubles or with a separate exponent.
//
// x - hi - lo is evaluated exactly enough that the result has about one ulp of relative error even for |x| = 1e4, where
// rounding x - hi alone would cost 1e-12: the subtraction's error (Knuth's TwoSum) goes into the reduced argument.
// exp(y) = 2^k exp(r), k = round(y / ln 2), |r| <= 0.35; ln 2 in two parts; Taylor to r^13 / 13! (error 4e-18).
#include "core/kernels.hpp"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/exponential.cpp"
#include "core/highway.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::core::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;
using U = hn::RebindToUnsigned<D>;

constexpr double kLog2e = 1.4426950408889634074;
constexpr double kLn2Hi = 0.69314718055994528623;     // ln 2 rounded to a double
constexpr double kLn2Lo = 2.3190468138462995584e-17;  // the rest
constexpr double kExactLimit = 4503599627370496.0;    // 2^52: beyond it a score's own ulp exceeds 1

struct Scaled {
  V m;  // exp(r), in (0.7, 1.42)
  V k;  // integer; NaN for x = -inf, and all comparisons with it false
};

// exp(x - hi - lo). kLow says that lo may be other than 0, and then as large as hi's last digit.
template <bool kLow>
HWY_INLINE Scaled scaled_exp(D d, V x, V hi, V lo) {
  const V rounded = hn::Sub(x, hi);
  const V back = hn::Sub(x, rounded);
  V y = rounded;
  V lost = hn::Add(hn::Sub(back, hi), hn::Sub(x, hn::Add(rounded, back)));
  if (kLow) {
    const V error = hn::Sub(lost, lo);
    y = hn::Add(rounded, error);
    lost = hn::Sub(error, hn::Sub(y, rounded));  // what y rounds off in turn
  }
  const auto exact = hn::Lt(hn::Abs(y), hn::Set(d, kExactLimit));
  const V k = hn::Round(hn::Mul(y, hn::Set(d, kLog2e)));
  V r = hn::NegMulAdd(k, hn::Set(d, kLn2Hi), y);
  r = hn::NegMulAdd(k, hn::Set(d, kLn2Lo), r);
  r = hn::IfThenElseZero(exact, hn::Add(r, lost));  // beyond 2^52 only the exponent means anything
  constexpr double kInverse[] = {
      1.0,        1.0,         1.0 / 2,      1.0 / 6,       1.0 / 24,       1.0 / 120,       1.0 / 720,
      1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800.0};
  const V r2 = hn::Mul(r, r);
  // Even and odd halves run side by side.
  V even = hn::Set(d, kInverse[12]);
  V odd = hn::Set(d, kInverse[13]);
  for (int i = 10; i >= 0; i -= 2) {
    even = hn::MulAdd(even, r2, hn::Set(d, kInverse[i]));
    odd = hn::MulAdd(odd, r2, hn::Set(d, kInverse[i + 1]));
  }
  return {hn::MulAdd(odd, r, even), k};
}

// 2^k for integer-valued k in [-1022, 1023]: k + 2^52 + 1023 has k + 1023 in its low mantissa bits.
HWY_INLINE V power_of_two(D d, V k) {
  const V biased = hn::Add(k, hn::Set(d, 4503599627370496.0 + 1023.0));
  return hn::BitCast(d, hn::ShiftLeft<52>(hn::BitCast(U(), biased)));
}

template <bool kLow>
HWY_INLINE bool exp_rows(std::size_t rows, std::size_t cols, const double* HWY_RESTRICT x,
                         const double* HWY_RESTRICT hi, const double* HWY_RESTRICT lo, double* HWY_RESTRICT w,
                         double* HWY_RESTRICT copy) {
  const D d;
  const V smallest = hn::Set(d, -1022.0);
  auto lost = hn::Lt(hn::Zero(d), hn::Zero(d));
  for (std::size_t r = 0; r < rows; ++r, x += cols, w += cols, copy += cols) {
    for (std::size_t c = 0; c < cols; c += hn::Lanes(d)) {
      const V xv = hn::Load(d, x + c);
      const Scaled s = scaled_exp<kLow>(d, xv, hn::Load(d, hi + c), hn::Load(d, lo + c));
      const auto normal = hn::Ge(s.k, smallest);
      const V weight = hn::IfThenElseZero(normal, hn::Mul(s.m, power_of_two(d, hn::Max(s.k, smallest))));
      hn::Store(weight, d, w + c);
      hn::Store(weight, d, copy + c);
      lost = hn::Or(lost, hn::AndNot(normal, hn::Gt(xv, hn::Set(d, kNoArc))));
    }
  }
  return !hn::AllFalse(d, lost);
}

bool ExpShifted(std::size_t rows, std::size_t cols, const double* x, const double* hi, const double* lo, bool has_low,
                double* w, double* copy) {
  return has_low ? exp_rows<true>(rows, cols, x, hi, lo, w, copy) : exp_rows<false>(rows, cols, x, hi, lo, w, copy);
}

void ExpShiftedExtended(std::size_t cols, const double* HWY_RESTRICT x, const double* HWY_RESTRICT hi,
                        const double* HWY_RESTRICT lo, double* HWY_RESTRICT m, double* HWY_RESTRICT e) {
  const D d;
  for (std::size_t c = 0; c < cols; c += hn::Lanes(d)) {
    const V xv = hn::Load(d, x + c);
    const Scaled s = scaled_exp<true>(d, xv, hn::Load(d, hi + c), hn::Load(d, lo + c));
    const auto possible = hn::Gt(xv, hn::Set(d, kNoArc));
    hn::Store(hn::IfThenElseZero(possible, s.m), d, m + c);
    hn::Store(hn::IfThenElse(possible, s.k, hn::Set(d, kZeroExponent)), d, e + c);
  }
}

RowScan LoadRows(std::size_t n, std::size_t cols, const double* scores, std::size_t stride, double* HWY_RESTRICT out,
                 double* HWY_RESTRICT best) {
  const D d;
  auto valid = hn::Eq(hn::Zero(d), hn::Zero(d));
  auto impossible = hn::Not(valid);
  const V no_arc = hn::Set(d, kNoArc), width = hn::Set(d, static_cast<double>(n)), first = hn::Iota(d, 0);
  for (std::size_t r = 0; r <= n; ++r, out += cols) {
    const double* x = scores + r * stride + 1;
    const V diagonal = hn::Set(d, static_cast<double>(r) - 1.0);
    double* top = best + (r > 0 ? 0 : cols);
    for (std::size_t c = 0; c < cols; c += hn::Lanes(d)) {
      const V column = hn::Add(first, hn::Set(d, static_cast<double>(c)));
      V xv;
      if (r * stride + 1 + c + hn::Lanes(d) <= n * stride + n + 1) {
        xv = hn::LoadU(d, x + c);  // the tail of a row reads into the next ones, as far as the matrix goes
      } else {
        for (std::size_t i = c; i < c + hn::Lanes(d); ++i) out[i] = i < n ? x[i] : kNoArc;
        xv = hn::Load(d, out + c);
      }
      const auto outside = hn::Or(hn::Eq(column, diagonal), hn::Ge(column, width));
      xv = hn::IfThenElse(outside, no_arc, xv);
      hn::Store(xv, d, out + c);
      const auto forbidden = hn::Eq(xv, hn::Set(d, -HUGE_VAL));
      const auto finite = hn::Le(hn::Abs(xv), hn::Set(d, kLargestScore));
      valid = hn::And(valid, hn::Or(outside, hn::Or(forbidden, finite)));
      impossible = hn::Or(impossible, forbidden);
      hn::Store(hn::Max(hn::Load(d, top + c), xv), d, top + c);
    }
  }
  return {hn::AllTrue(d, valid), !hn::AllFalse(d, impossible)};
}

}  // namespace kirchhoff::core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff::core {
HWY_EXPORT(ExpShifted);
HWY_EXPORT(ExpShiftedExtended);
HWY_EXPORT(LoadRows);

RowScan load_rows(std::size_t n, std::size_t cols, const double* scores, std::size_t stride, double* out,
                  double* best) {
  static const auto kernel = KIRCHHOFF_KERNEL(LoadRows);
  return kernel(n, cols, scores, stride, out, best);
}

bool exp_shifted(std::size_t rows, std::size_t cols, const double* x, const double* hi, const double* lo, bool has_low,
                 double* w, double* copy) {
  static const auto kernel = KIRCHHOFF_KERNEL(ExpShifted);
  return kernel(rows, cols, x, hi, lo, has_low, w, copy);
}

void exp_shifted_extended(std::size_t cols, const double* x, const double* hi, const double* lo, double* m, double* e) {
  static const auto kernel = KIRCHHOFF_KERNEL(ExpShiftedExtended);
  kernel(cols, x, hi, lo, m, e);
}
}  // namespace kirchhoff::core
#endif
