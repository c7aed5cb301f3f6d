// ExtendedSeries, a power series in t, cut off after t^kOrder, of extended range: Taylor arithmetic [Griewank08,
// chapter 13] for derivatives of any order of what subtraction-free elimination and Eisner's recursions compute.
//
// It is what ExtendedDual is for first derivatives, for one direction and higher orders, without kernels. A product
// takes O(kOrder^2).
#pragma once

#include "numeric/extended_dual.hpp"

#include <array>
#include <cmath>
#include <cstddef>

namespace kirchhoff::numeric {

/// The series sum_k c[k] t^k times 2^e, where c[0] >= 0 and e is an integer. Results have 1 <= c[0] < 2, or are 0.
template <std::size_t kOrder>
struct ExtendedSeries {
  std::array<double, kOrder + 1> c{};
  double e = kZeroExponent;

  static ExtendedSeries one() {
    ExtendedSeries result;
    result.c[0] = 1.0;
    result.e = 0.0;
    return result;
  }
  /// exp(high + low + slope t).
  static ExtendedSeries exp(double high, double low, double slope) {
    const ExtendedDual value = exp_extended(high, low);
    ExtendedSeries result;
    result.e = value.e;
    result.c[0] = value.m;
    for (std::size_t k = 1; k <= kOrder; ++k) result.c[k] = result.c[k - 1] * slope / static_cast<double>(k);
    return result;
  }
  bool is_zero() const { return c[0] == 0.0; }
  void normalise() {
    if (is_zero()) {
      *this = {};
      return;
    }
    const std::int64_t k = exponent_of(c[0]);
    const double scale = two_to(-k);
    for (double& x : c) x *= scale;
    e += static_cast<double>(k);
  }
};

template <std::size_t kOrder>
ExtendedSeries<kOrder>& operator+=(ExtendedSeries<kOrder>& a, const ExtendedSeries<kOrder>& b) {
  if (b.is_zero()) return a;
  if (a.is_zero()) return a = b;
  const double top = a.e > b.e ? a.e : b.e;
  const double shrink_a = two_to_gap(a.e - top), shrink_b = two_to_gap(b.e - top);
  for (std::size_t k = 0; k <= kOrder; ++k) a.c[k] = a.c[k] * shrink_a + b.c[k] * shrink_b;
  a.e = top;
  a.normalise();
  return a;
}

template <std::size_t kOrder>
ExtendedSeries<kOrder> operator*(const ExtendedSeries<kOrder>& a, const ExtendedSeries<kOrder>& b) {
  if (a.is_zero() || b.is_zero()) return {};
  ExtendedSeries<kOrder> result;
  for (std::size_t k = 0; k <= kOrder; ++k) {
    for (std::size_t l = 0; l <= kOrder - k; ++l) result.c[k + l] += a.c[k] * b.c[l];
  }
  result.e = a.e + b.e;
  result.normalise();
  return result;
}

template <std::size_t kOrder>
ExtendedSeries<kOrder> operator/(const ExtendedSeries<kOrder>& a, const ExtendedSeries<kOrder>& b) {
  if (a.is_zero()) return {};
  ExtendedSeries<kOrder> result;
  for (std::size_t k = 0; k <= kOrder; ++k) {
    double rest = a.c[k];
    for (std::size_t l = 0; l < k; ++l) rest -= result.c[l] * b.c[k - l];
    result.c[k] = rest / b.c[0];
  }
  result.e = a.e - b.e;
  result.normalise();
  return result;
}

/// The coefficients of log(a) from t on: entry 0 is 0. With c = a / a(0), k c_k = sum over l <= k of l log_l c_(k-l).
template <std::size_t kOrder>
std::array<double, kOrder + 1> log_coefficients(const ExtendedSeries<kOrder>& a) {
  std::array<double, kOrder + 1> result{};
  for (std::size_t k = 1; k <= kOrder; ++k) {
    double rest = static_cast<double>(k) * a.c[k];
    for (std::size_t l = 1; l < k; ++l) rest -= static_cast<double>(l) * result[l] * a.c[k - l];
    result[k] = rest / (static_cast<double>(k) * a.c[0]);
  }
  return result;
}

}  // namespace kirchhoff::numeric
