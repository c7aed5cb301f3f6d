// The scalars of subtraction-free elimination: double, double with a tangent, and extended range with a tangent or with
// two tangents and their mixed derivative.
//
// Each has what elimination needs: +=, *, /, a test for zero, and a way into a product.
#pragma once

#include "numeric/extended_dual.hpp"
#include "numeric/extended_jet.hpp"
#include "numeric/sum.hpp"

#include <type_traits>

namespace kirchhoff::tree {

inline bool is_zero(double x) { return x == 0.0; }
inline void multiply(numeric::LogProduct& product, double x) { product.multiply(x); }

/// The number v + t epsilon, epsilon^2 = 0.
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

using numeric::ExtendedDual;
inline bool is_zero(const ExtendedDual& x) { return x.m == 0.0; }
inline void multiply(numeric::LogProduct& product, const ExtendedDual& x) { product.multiply(x.m, x.e); }

using numeric::ExtendedJet;
inline bool is_zero(const ExtendedJet& x) { return x.m == 0.0; }
inline void multiply(numeric::LogProduct& product, const ExtendedJet& x) { product.multiply(x.m, x.e); }

/// Whether the scalar has an exponent of its own.
template <class T>
inline constexpr bool kIsExtended = std::is_same_v<T, ExtendedDual> || std::is_same_v<T, ExtendedJet>;

}  // namespace kirchhoff::tree
