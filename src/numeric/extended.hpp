// Extended, the library's number of extended range: a double's digits and an exponent of its own.
//
// A number m 2^e is right to 1e-16 whatever its size, where a logarithm of size 1e4 knows its number only to 1e-12, and
// to add two of them takes a shift where log-sum-exp takes an exponential and a logarithm.
//
// Two relatives have files of their own. ExtendedWide (extended_wide.hpp) has two doubles of digits for sums that must
// survive 1 - x; to carry them everywhere would cost several times the work. ExtendedDual (extended_dual.hpp) has a
// tangent, and a double for its exponent, because rows of it are arrays of doubles on which vector instructions work:
// integers of 64 bits have no maximum and no conversion there before AVX-512.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace kirchhoff::numeric {

/// The sum of these three doubles is ln 2.
inline constexpr double kLn2[] = {6.931471805599452862e-01, 2.319046813846299558e-17, 5.707708438416212066e-34};

/// 2^k for integer k in [-1022, 1023].
inline double two_to(std::int64_t k) { return std::bit_cast<double>(static_cast<std::uint64_t>(k + 1023) << 52); }
/// The binary exponent of a positive normal number.
inline std::int64_t exponent_of(double m) {
  return static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(m) >> 52) - 1023;
}
/// The number m 2^e as a double, 0 or infinite beyond their range.
inline double power(double m, std::int64_t e) {
  return e > 1100 ? (m == 0.0 ? 0.0 : HUGE_VAL) : e < -1200 ? 0.0 : std::ldexp(m, static_cast<int>(e));
}

/// The non-negative number m 2^e with 1 <= m < 2, or 0.
struct Extended {
  double m = 0.0;
  std::int64_t e = 0;

  static Extended of(double m, std::int64_t e) {
    if (m == 0.0) return {};
    const std::int64_t k = exponent_of(m);
    return {m * two_to(-k), e + k};
  }
  static Extended exp(double x) {
    if (x == -HUGE_VAL) return {};
    const double k = std::nearbyint(x / kLn2[0]);
    const double high = std::fma(-k, kLn2[0], x);  // exact: x and k ln 2 are close
    return of(std::exp(high - k * kLn2[1]), static_cast<std::int64_t>(k));
  }
  bool is_zero() const { return m == 0.0; }
  Extended extended() const { return *this; }
};
inline Extended operator*(const Extended& a, const Extended& b) { return Extended::of(a.m * b.m, a.e + b.e); }
inline Extended operator/(const Extended& a, const Extended& b) { return Extended::of(a.m / b.m, a.e - b.e); }
inline Extended operator+(const Extended& a, const Extended& b) {
  if (a.m == 0.0 || b.m == 0.0) return a.m == 0.0 ? b : a;
  const Extended& large = a.e >= b.e ? a : b;
  const Extended& small = a.e >= b.e ? b : a;
  return small.e - large.e < -1000 ? large : Extended::of(large.m + small.m * two_to(small.e - large.e), large.e);
}
inline double log(const Extended& a) {
  if (a.m == 0.0) return -HUGE_VAL;
  const auto e = static_cast<double>(a.e);
  return std::fma(e, kLn2[0], e * kLn2[1] + std::log(a.m));
}

}  // namespace kirchhoff::numeric
