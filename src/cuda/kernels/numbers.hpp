// The non-negative numbers that are eliminated with: doubles, numbers of extended range, and both with derivatives.
//
// Every number type has the same verbs, so that each algorithm is written once. No verb subtracts values.
#pragma once

#include "cuda/kernels/executor.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>

namespace kirchhoff::cuda {

KIRCHHOFF_BOTH std::uint64_t bits_of(double x) {
#ifdef __CUDA_ARCH__
  return static_cast<std::uint64_t>(__double_as_longlong(x));
#else
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
#endif
}
KIRCHHOFF_BOTH double double_of(std::uint64_t bits) {
#ifdef __CUDA_ARCH__
  return __longlong_as_double(static_cast<long long>(bits));
#else
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
#endif
}
/// 2^k for integer k in [-1022, 1023].
KIRCHHOFF_BOTH double two_to(std::int64_t k) { return double_of(static_cast<std::uint64_t>(k + 1023) << 52); }
/// The binary exponent of a positive normal number.
KIRCHHOFF_BOTH std::int64_t exponent_of(double m) { return static_cast<std::int64_t>(bits_of(m) >> 52) - 1023; }

/// ln 2 is the sum of these, and k times the first is exact for |k| < 2^20.
inline constexpr double kLn2High = 0x1.62e42fefa0000p-1, kLn2Low = 0x1.cf79abc9e3b3ap-40;

/// The number m 2^e with 1 <= m < 2, or 0.
struct Extended {
  double m;
  std::int64_t e;
};
KIRCHHOFF_BOTH Extended normal(double m, std::int64_t e) {
  if (m == 0.0) return {0.0, 0};
  const std::int64_t k = exponent_of(m);
  return {m * two_to(-k), e + k};
}

/// A number with its derivative along a direction of the scores.
struct Dual {
  double value, tangent;
};
/// The same with extended range. The tangent is the derivative of the logarithm, so that it needs no range.
struct ExtendedDual {
  Extended value;
  double tangent;
};

// Doubles.
KIRCHHOFF_BOTH double value_of(double x) { return x; }
KIRCHHOFF_BOTH bool is_zero(double x) { return x == 0.0; }
KIRCHHOFF_BOTH double add(double a, double b) { return a + b; }
KIRCHHOFF_BOTH double multiply(double a, double b) { return a * b; }
KIRCHHOFF_BOTH double multiply_add(double a, double b, double c) { return fma(a, b, c); }
KIRCHHOFF_BOTH double reciprocal(double x) { return 1.0 / x; }
/// As a double, which may be 0 or infinite.
KIRCHHOFF_BOTH double as_double(double x) { return x; }
KIRCHHOFF_BOTH Extended extended_of(double x) { return normal(x, 0); }

// Extended range.
KIRCHHOFF_BOTH double value_of(const Extended& x) { return x.m; }
KIRCHHOFF_BOTH bool is_zero(const Extended& x) { return x.m == 0.0; }
KIRCHHOFF_BOTH Extended add(const Extended& a, const Extended& b) {
  if (a.m == 0.0) return b;
  if (b.m == 0.0) return a;
  const bool first = a.e >= b.e;
  const Extended large = first ? a : b, small = first ? b : a;
  return large.e - small.e > 1000 ? large : normal(fma(small.m, two_to(small.e - large.e), large.m), large.e);
}
KIRCHHOFF_BOTH Extended multiply(const Extended& a, const Extended& b) { return normal(a.m * b.m, a.e + b.e); }
KIRCHHOFF_BOTH Extended multiply_add(const Extended& a, const Extended& b, const Extended& c) {
  return add(multiply(a, b), c);
}
KIRCHHOFF_BOTH Extended reciprocal(const Extended& x) { return normal(1.0 / x.m, -x.e); }
KIRCHHOFF_BOTH double as_double(const Extended& x) {
  return x.e < -1070 ? 0.0 : x.e > 1023 ? HUGE_VAL : ldexp(x.m, static_cast<int>(x.e));
}
KIRCHHOFF_BOTH Extended extended_of(const Extended& x) { return x; }

// Doubles with derivatives.
KIRCHHOFF_BOTH double value_of(const Dual& x) { return x.value; }
KIRCHHOFF_BOTH bool is_zero(const Dual& x) { return x.value == 0.0; }
KIRCHHOFF_BOTH Dual add(const Dual& a, const Dual& b) { return {a.value + b.value, a.tangent + b.tangent}; }
KIRCHHOFF_BOTH Dual multiply(const Dual& a, const Dual& b) {
  return {a.value * b.value, fma(a.value, b.tangent, a.tangent * b.value)};
}
KIRCHHOFF_BOTH Dual multiply_add(const Dual& a, const Dual& b, const Dual& c) {
  return {fma(a.value, b.value, c.value), fma(a.tangent, b.value, fma(a.value, b.tangent, c.tangent))};
}
KIRCHHOFF_BOTH Dual reciprocal(const Dual& x) {
  const double inverse = 1.0 / x.value;
  return {inverse, -inverse * (inverse * x.tangent)};
}
KIRCHHOFF_BOTH double as_double(const Dual& x) { return x.value; }
KIRCHHOFF_BOTH Extended extended_of(const Dual& x) { return normal(x.value, 0); }

// Extended range with derivatives: the tangent of a sum is the mean of the tangents, weighted by the terms.
KIRCHHOFF_BOTH double value_of(const ExtendedDual& x) { return x.value.m; }
KIRCHHOFF_BOTH bool is_zero(const ExtendedDual& x) { return x.value.m == 0.0; }
KIRCHHOFF_BOTH ExtendedDual add(const ExtendedDual& a, const ExtendedDual& b) {
  if (is_zero(a)) return b;
  if (is_zero(b)) return a;
  const Extended sum = add(a.value, b.value);
  const double share = as_double(multiply(b.value, reciprocal(sum)));
  return {sum, a.tangent + share * (b.tangent - a.tangent)};
}
KIRCHHOFF_BOTH ExtendedDual multiply(const ExtendedDual& a, const ExtendedDual& b) {
  return {multiply(a.value, b.value), a.tangent + b.tangent};
}
KIRCHHOFF_BOTH ExtendedDual multiply_add(const ExtendedDual& a, const ExtendedDual& b, const ExtendedDual& c) {
  return add(multiply(a, b), c);
}
KIRCHHOFF_BOTH ExtendedDual reciprocal(const ExtendedDual& x) { return {reciprocal(x.value), -x.tangent}; }
KIRCHHOFF_BOTH double as_double(const ExtendedDual& x) { return as_double(x.value); }
KIRCHHOFF_BOTH Extended extended_of(const ExtendedDual& x) { return x.value; }

// What differs from type to type beyond the verbs.
template <class N>
inline constexpr bool kHasTangent = false;
template <>
inline constexpr bool kHasTangent<Dual> = true;
template <>
inline constexpr bool kHasTangent<ExtendedDual> = true;
/// Numbers in which nothing under- or overflows.
template <class N>
inline constexpr bool kIsExtended = false;
template <>
inline constexpr bool kIsExtended<Extended> = true;
template <>
inline constexpr bool kIsExtended<ExtendedDual> = true;

/// exp(high + low), of which the derivative along the direction is `slope` times the number.
template <class N>
KIRCHHOFF_BOTH N exponential(double high, double low, double slope) {
  if constexpr (kIsExtended<N>) {
    Extended power{0.0, 0};
    if (high != -HUGE_VAL) {
      const double k = rint(high * 0x1.71547652b82fep+0);
      power = normal(exp(fma(-k, kLn2High, high) + fma(-k, kLn2Low, low)), static_cast<std::int64_t>(k));
    }
    if constexpr (kHasTangent<N>) {
      return {power, power.m == 0.0 ? 0.0 : slope};
    } else {
      return power;
    }
  } else {
    const double power = exp(high + low);
    if constexpr (kHasTangent<N>) {
      return {power, power == 0.0 ? 0.0 : power * slope};
    } else {
      return power;
    }
  }
}

/// A number that does not depend on the scores.
template <class N>
KIRCHHOFF_BOTH N constant(double x) {
  if constexpr (kIsExtended<N>) {
    if constexpr (kHasTangent<N>) {
      return {normal(x, 0), 0.0};
    } else {
      return normal(x, 0);
    }
  } else {
    if constexpr (kHasTangent<N>) {
      return {x, 0.0};
    } else {
      return x;
    }
  }
}

/// The derivative of the number itself.
KIRCHHOFF_BOTH double tangent_of(const Dual& x) { return x.tangent; }
KIRCHHOFF_BOTH double tangent_of(const ExtendedDual& x) {
  return x.tangent == 0.0 ? 0.0 : as_double(x.value) * x.tangent;
}

}  // namespace kirchhoff::cuda
