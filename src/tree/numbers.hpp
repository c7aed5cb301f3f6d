// The scalars of subtraction-free elimination: double, double with tangent, extended range with tangent.
// Only what elimination needs: +=, *, / and a zero test.
#pragma once

#include "numeric/sum.hpp"
#include "tree/kernels/extended.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace kirchhoff::tree {

inline bool is_zero(double x) { return x == 0.0; }
inline void multiply(numeric::LogProduct& product, double x) { product.multiply(x); }

/// value + tangent * epsilon.
struct Dual {
  double v = 0.0;
  double t = 0.0;
};
inline Dual& operator+=(Dual& a, const Dual& b) {
  a.v += b.v;
  a.t += b.t;
  return a;
}
inline Dual operator*(const Dual& a, const Dual& b) { return {a.v * b.v, a.v * b.t + a.t * b.v}; }
inline Dual operator/(const Dual& a, const Dual& b) {
  const double q = a.v / b.v;
  return {q, (a.t - q * b.t) / b.v};
}
inline bool is_zero(const Dual& x) { return x.v == 0.0; }
inline void multiply(numeric::LogProduct& product, const Dual& x) { product.multiply(x.v); }

/// (m + t epsilon) 2^e; results have 1 <= m < 2 (or 0).
using Extended = tree::ExtendedScalar;
/// 2^k for integer k in [-1022, 1023]; ldexp without its care for the rest.
inline double power_of_two(int k) { return std::bit_cast<double>(static_cast<std::uint64_t>(k + 1023) << 52); }
inline Extended normalised(double m, double e, double t) {
  if (m == 0.0) return {};
  const int shift = static_cast<int>(std::bit_cast<std::uint64_t>(m) >> 52) - 1023;  // m is positive and normal
  const double scale = power_of_two(-shift);
  return {m * scale, e + shift, t * scale};
}
inline Extended& operator+=(Extended& a, const Extended& b) {
  if (b.m == 0.0) return a;
  if (a.m == 0.0) return a = b;
  const Extended& large = a.e >= b.e ? a : b;
  const Extended& small = a.e >= b.e ? b : a;
  const double gap = small.e - large.e;
  const double shrink = gap < -1000.0 ? 0.0 : power_of_two(static_cast<int>(gap));
  return a = normalised(large.m + small.m * shrink, large.e, large.t + small.t * shrink);
}
inline Extended operator*(const Extended& a, const Extended& b) {
  return normalised(a.m * b.m, a.e + b.e, a.m * b.t + a.t * b.m);
}
inline Extended operator/(const Extended& a, const Extended& b) {
  const double q = a.m / b.m;
  return normalised(q, a.e - b.e, (a.t - q * b.t) / b.m);
}
/// Sum of x[first .. last): all scaled to the largest exponent, normalised once.
inline Extended extended_sum(const Extended* x, int first, int last) {
  double top = tree::kZeroExponent;
  for (int i = first; i < last; ++i) top = x[i].e > top ? x[i].e : top;
  double m = 0.0, t = 0.0;
  for (int i = first; i < last; ++i) {
    const double gap = x[i].e - top;
    const double shrink = gap < -1000.0 ? 0.0 : power_of_two(static_cast<int>(gap));
    m += x[i].m * shrink;
    t += x[i].t * shrink;
  }
  return normalised(m, top, t);
}
inline bool is_zero(const Extended& x) { return x.m == 0.0; }
inline void multiply(numeric::LogProduct& product, const Extended& x) { product.multiply(x.m, x.e); }

}  // namespace kirchhoff::tree
