// ExtendedJet, a number of extended range with tangents along two directions and their mixed second derivative.
//
// It is what ExtendedDual is for first derivatives, without kernels: third derivatives of log Z are rarely asked for
// where doubles are not enough.
#pragma once

#include "numeric/extended_dual.hpp"

namespace kirchhoff::numeric {

/// The number (m + r epsilon + s delta + rs epsilon delta) 2^e, where epsilon^2 = delta^2 = 0, m >= 0 and e is an
/// integer. Results have 1 <= m < 2, or are 0.
struct ExtendedJet {
  double m = 0.0;
  double e = kZeroExponent;
  double r = 0.0;
  double s = 0.0;
  double rs = 0.0;

  static ExtendedJet of(const ExtendedJet& x) {
    if (x.m == 0.0) return {};
    const std::int64_t k = exponent_of(x.m);
    const double scale = two_to(-k);
    return {x.m * scale, x.e + static_cast<double>(k), x.r * scale, x.s * scale, x.rs * scale};
  }
};

inline ExtendedJet& operator+=(ExtendedJet& a, const ExtendedJet& b) {
  if (b.m == 0.0) return a;
  if (a.m == 0.0) return a = b;
  const ExtendedJet& large = a.e >= b.e ? a : b;
  const ExtendedJet& small = a.e >= b.e ? b : a;
  const double shrink = two_to_gap(small.e - large.e);
  return a = ExtendedJet::of({large.m + small.m * shrink, large.e, large.r + small.r * shrink,
                              large.s + small.s * shrink, large.rs + small.rs * shrink});
}
inline ExtendedJet operator*(const ExtendedJet& a, const ExtendedJet& b) {
  return ExtendedJet::of({a.m * b.m, a.e + b.e, a.m * b.r + a.r * b.m, a.m * b.s + a.s * b.m,
                          a.m * b.rs + a.r * b.s + a.s * b.r + a.rs * b.m});
}
inline ExtendedJet operator/(const ExtendedJet& a, const ExtendedJet& b) {
  const double q = a.m / b.m;
  const double r = (a.r - q * b.r) / b.m;
  const double s = (a.s - q * b.s) / b.m;
  return ExtendedJet::of({q, a.e - b.e, r, s, (a.rs - r * b.s - s * b.r - q * b.rs) / b.m});
}

}  // namespace kirchhoff::numeric
