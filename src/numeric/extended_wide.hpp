// ExtendedWide, a number of extended range with two doubles of digits (106 bits).
//
// A sum of weights needs them when 1 - x cancels: exp(x), +, * and / are right to about 1e-30 whatever the size of the
// numbers, so 1 - x keeps 12 digits down to 1e-18 [Dekker71].
#pragma once

#include "numeric/extended.hpp"
#include "numeric/sum.hpp"

#include <cmath>
#include <cstdint>
#include <initializer_list>

namespace kirchhoff::numeric {

/// The non-negative number (high + low) 2^e with 1 <= high < 2, or 0.
struct ExtendedWide {
  double high = 0.0, low = 0.0;
  std::int64_t e = 0;

  static ExtendedWide of(double m) { return of(m, 0.0, 0); }
  /// The number (high + low) 2^e, where low is small against high.
  static ExtendedWide of(double high, double low, std::int64_t e) {
    const double sum = high + low;
    if (!(sum > 0.0)) return {};
    const std::int64_t k = exponent_of(sum);
    const double scale = two_to(-k);
    return {sum * scale, ((high - sum) + low) * scale, e + k};
  }
  static ExtendedWide exp(double x);
  bool is_zero() const { return high == 0.0; }
  Extended extended() const { return Extended::of(high, e); }
};
inline ExtendedWide operator*(const ExtendedWide& a, const ExtendedWide& b) {
  const double p = a.high * b.high;
  return ExtendedWide::of(p, std::fma(a.high, b.high, -p) + (a.high * b.low + a.low * b.high), a.e + b.e);
}
inline ExtendedWide operator/(const ExtendedWide& a, const ExtendedWide& b) {
  const double q = a.high / b.high;
  const double rest = std::fma(-q, b.high, a.high) + (a.low - q * b.low);
  return ExtendedWide::of(q, rest / b.high, a.e - b.e);
}
inline ExtendedWide operator+(const ExtendedWide& a, const ExtendedWide& b) {
  if (a.high == 0.0 || b.high == 0.0) return a.high == 0.0 ? b : a;
  const ExtendedWide& large = a.e >= b.e ? a : b;
  const ExtendedWide& small = a.e >= b.e ? b : a;
  if (small.e - large.e < -200) return large;
  const double scale = two_to(small.e - large.e);
  const TwoSum s(large.high, small.high * scale);
  return ExtendedWide::of(s.high, s.low + (large.low + small.low * scale), large.e);
}
/// Returns 1 - x, or 0 when that is not positive.
inline ExtendedWide one_minus(const ExtendedWide& x) {
  if (x.e > 0) return {};
  if (x.is_zero() || x.e < -200) return ExtendedWide::of(1.0);
  const double scale = two_to(x.e);
  const TwoSum s(1.0, -x.high * scale);
  return ExtendedWide::of(s.high, s.low - x.low * scale, 0);
}
inline double one_minus(double x) { return 1.0 - x; }

/// With x = k ln 2 + r, this is the Taylor series of exp(r / 64), squared six times.
inline ExtendedWide ExtendedWide::exp(double x) {
  if (x == -HUGE_VAL) return {};
  const double k = std::nearbyint(x / kLn2[0]);
  double high = std::fma(-k, kLn2[0], x), low = 0.0;
  for (const double part : {kLn2[1], kLn2[2]}) {
    const double p = k * part, rest = std::fma(k, part, -p);
    const TwoSum s(high, -p);
    high = s.high;
    low += s.low - rest;
  }
  constexpr double kShrink = 1.0 / 64;
  const double r_high = high * kShrink, r_low = low * kShrink;
  double y = 0.0, y_low = 0.0;  // exp(r) - 1 = r (1 + r/2 (1 + r/3 (...)))
  for (int term = 12; term >= 1; --term) {
    const TwoSum one(1.0, y);
    const double a = one.high, b = one.low + y_low;
    const double p = a * r_high, p_low = std::fma(a, r_high, -p) + (a * r_low + b * r_high);
    y = p / term;
    y_low = (std::fma(-y, term, p) + p_low) / term;
  }
  for (int i = 0; i < 6; ++i) {  // (1 + y)^2 - 1 = 2y + y^2
    const double p = y * y, p_low = std::fma(y, y, -p) + 2 * y * y_low;
    const TwoSum s(2 * y, p);
    const double rest = s.low + 2 * y_low + p_low;
    y = s.high + rest;
    y_low = (s.high - y) + rest;
  }
  const TwoSum one(1.0, y);
  return of(one.high, one.low + y_low, static_cast<std::int64_t>(k));
}

}  // namespace kirchhoff::numeric
