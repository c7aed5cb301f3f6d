// ExtendedDual, a number of extended range with a tangent, in doubles only so that vector kernels can work on rows of
// it.
//
// It has what subtraction-free elimination needs: +=, *, / and sums (extended.hpp says why it is not Extended).
#pragma once

#include "numeric/extended.hpp"

namespace kirchhoff::numeric {

/// The exponent of 0: far below every other, so that comparisons of exponents need no special case.
constexpr double kZeroExponent = -1e200;

/// The number m 2^e with the tangent t 2^e, where m >= 0 and e is an integer. Results have 1 <= m < 2, or are 0.
struct ExtendedDual {
  double m = 0.0;
  double e = kZeroExponent;
  double t = 0.0;

  static ExtendedDual of(double m, double e, double t) {
    if (m == 0.0) return {};
    const std::int64_t k = exponent_of(m);
    const double scale = two_to(-k);
    return {m * scale, e + static_cast<double>(k), t * scale};
  }
};

/// exp(high + low), without a tangent, of numbers of any size; 0 for -inf.
inline ExtendedDual exp_extended(double high, double low) {
  if (high == -HUGE_VAL) return {};
  const double k = std::nearbyint(high / kLn2[0]);
  const double rest = (std::fma(-k, kLn2[0], high) - k * kLn2[1]) + low;
  const double m = std::abs(rest) < 1.0 ? std::exp(rest) : 1.0;  // beyond 2^53 a score does not know its mantissa
  return ExtendedDual::of(m, k, 0.0);
}

/// Returns 2^gap for a difference of exponents gap <= 0, and 0 where that is below what a sum can show.
inline double two_to_gap(double gap) { return gap < -1000.0 ? 0.0 : two_to(static_cast<std::int64_t>(gap)); }

inline ExtendedDual& operator+=(ExtendedDual& a, const ExtendedDual& b) {
  if (b.m == 0.0) return a;
  if (a.m == 0.0) return a = b;
  const ExtendedDual& large = a.e >= b.e ? a : b;
  const ExtendedDual& small = a.e >= b.e ? b : a;
  const double shrink = two_to_gap(small.e - large.e);
  return a = ExtendedDual::of(large.m + small.m * shrink, large.e, large.t + small.t * shrink);
}
inline ExtendedDual operator*(const ExtendedDual& a, const ExtendedDual& b) {
  return ExtendedDual::of(a.m * b.m, a.e + b.e, a.m * b.t + a.t * b.m);
}
inline ExtendedDual operator/(const ExtendedDual& a, const ExtendedDual& b) {
  const double q = a.m / b.m;
  return ExtendedDual::of(q, a.e - b.e, (a.t - q * b.t) / b.m);
}
/// The sum of x[first .. last), in which all are scaled to the largest exponent, and the sum normalised once.
inline ExtendedDual sum_of(const ExtendedDual* x, int first, int last) {
  double top = kZeroExponent;
  for (int i = first; i < last; ++i) top = x[i].e > top ? x[i].e : top;
  double m = 0.0, t = 0.0;
  for (int i = first; i < last; ++i) {
    const double shrink = two_to_gap(x[i].e - top);
    m += x[i].m * shrink;
    t += x[i].t * shrink;
  }
  return ExtendedDual::of(m, top, t);
}

}  // namespace kirchhoff::numeric
