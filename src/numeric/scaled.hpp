// Non-negative numbers with an exponent of their own: Scaled with one double of digits, Wide with two (106 bits).
//
// Wide is what a sum of weights needs when 1 - x cancels: exp(x), +, * and / are right to about 1e-30 whatever the size
// of the numbers, so 1 - x keeps 12 digits down to 1e-18 [Dekker71].
#pragma once

#include "numeric/sum.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>

namespace kirchhoff::numeric {

/// ln 2 in three doubles.
inline constexpr double kLn2[] = {6.931471805599452862e-01, 2.319046813846299558e-17, 5.707708438416212066e-34};

/// 2^k for integer k in [-1022, 1023].
inline double two_to(std::int64_t k) { return std::bit_cast<double>(static_cast<std::uint64_t>(k + 1023) << 52); }
/// The binary exponent of a positive normal number.
inline std::int64_t exponent_of(double m) {
  return static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(m) >> 52) - 1023;
}
/// m 2^e, 0 or infinite beyond the range of doubles.
inline double power(double m, std::int64_t e) {
  return e > 1100 ? (m == 0.0 ? 0.0 : HUGE_VAL) : e < -1200 ? 0.0 : std::ldexp(m, static_cast<int>(e));
}

/// m 2^e with 1 <= m < 2, or 0.
struct Scaled {
  double m = 0.0;
  std::int64_t e = 0;

  static Scaled of(double m, std::int64_t e) {
    if (m == 0.0) return {};
    const std::int64_t k = exponent_of(m);
    return {m * two_to(-k), e + k};
  }
  static Scaled exp(double x) {
    if (x == -HUGE_VAL) return {};
    const double k = std::nearbyint(x / kLn2[0]);
    const double high = std::fma(-k, kLn2[0], x);  // exact: x and k ln 2 are close
    return of(std::exp(high - k * kLn2[1]), static_cast<std::int64_t>(k));
  }
  bool is_zero() const { return m == 0.0; }
  Scaled scaled() const { return *this; }
};
inline Scaled operator*(const Scaled& a, const Scaled& b) { return Scaled::of(a.m * b.m, a.e + b.e); }
inline Scaled operator/(const Scaled& a, const Scaled& b) { return Scaled::of(a.m / b.m, a.e - b.e); }
inline Scaled operator+(const Scaled& a, const Scaled& b) {
  if (a.m == 0.0 || b.m == 0.0) return a.m == 0.0 ? b : a;
  const Scaled& large = a.e >= b.e ? a : b;
  const Scaled& small = a.e >= b.e ? b : a;
  return small.e - large.e < -1000 ? large : Scaled::of(large.m + small.m * two_to(small.e - large.e), large.e);
}
inline double log(const Scaled& a) {
  if (a.m == 0.0) return -HUGE_VAL;
  const auto e = static_cast<double>(a.e);
  return std::fma(e, kLn2[0], e * kLn2[1] + std::log(a.m));
}

/// (high + low) 2^e with 1 <= high < 2, or 0.
struct Wide {
  double high = 0.0, low = 0.0;
  std::int64_t e = 0;

  static Wide of(double m) { return of(m, 0.0, 0); }
  /// |low| is small against high.
  static Wide of(double high, double low, std::int64_t e) {
    const double sum = high + low;
    if (!(sum > 0.0)) return {};
    const std::int64_t k = exponent_of(sum);
    const double scale = two_to(-k);
    return {sum * scale, ((high - sum) + low) * scale, e + k};
  }
  static Wide exp(double x);
  bool is_zero() const { return high == 0.0; }
  Scaled scaled() const { return Scaled::of(high, e); }
};
inline Wide operator*(const Wide& a, const Wide& b) {
  const double p = a.high * b.high;
  return Wide::of(p, std::fma(a.high, b.high, -p) + (a.high * b.low + a.low * b.high), a.e + b.e);
}
inline Wide operator/(const Wide& a, const Wide& b) {
  const double q = a.high / b.high;
  const double rest = std::fma(-q, b.high, a.high) + (a.low - q * b.low);
  return Wide::of(q, rest / b.high, a.e - b.e);
}
inline Wide operator+(const Wide& a, const Wide& b) {
  if (a.high == 0.0 || b.high == 0.0) return a.high == 0.0 ? b : a;
  const Wide& large = a.e >= b.e ? a : b;
  const Wide& small = a.e >= b.e ? b : a;
  if (small.e - large.e < -200) return large;
  const double scale = two_to(small.e - large.e);
  const TwoSum s(large.high, small.high * scale);
  return Wide::of(s.high, s.low + (large.low + small.low * scale), large.e);
}
/// 1 - x; 0 when that is not positive.
inline Wide one_minus(const Wide& x) {
  if (x.e > 0) return {};
  if (x.is_zero() || x.e < -200) return Wide::of(1.0);
  const double scale = two_to(x.e);
  const TwoSum s(1.0, -x.high * scale);
  return Wide::of(s.high, s.low - x.low * scale, 0);
}
inline double one_minus(double x) { return 1.0 - x; }

/// x = k ln 2 + r; the Taylor series of exp(r / 64), squared six times.
inline Wide Wide::exp(double x) {
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
