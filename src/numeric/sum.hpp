// Sums and products that neither lose digits nor leave the range of a double.
#pragma once

#include <cmath>

namespace kirchhoff::numeric {

/// Returns 0 for a number that only rounding made negative. Unlike std::max, this keeps a NaN visible.
inline double not_negative(double x) { return x < 0.0 ? 0.0 : x; }

/// The exact sum a + b = high + low, by Knuth's algorithm.
struct TwoSum {
  double high, low;
  TwoSum(double a, double b) : high(a + b) {
    const double back = high - a;
    low = (a - (high - back)) + (b - back);
  }
};

/// A running sum with twice the precision of a double.
struct Sum {
  double high = 0.0, low = 0.0;
  void add(double x) {
    const TwoSum s(high, x);
    high = s.high;
    low += s.low;
  }
  double value() const { return high + low; }
};

/// The logarithm of a product of positive numbers. The product is kept as mantissa and exponent, so that it has no
/// range to leave, and is rounded once per factor.
class LogProduct {
 public:
  void multiply(double x, double exponent = 0.0) {
    exponent_ += exponent;
    if (x < 1e-100 || x > 1e100) x = split(x);
    mantissa_ *= x;
    if (mantissa_ < 1e-150 || mantissa_ > 1e150) mantissa_ = split(mantissa_);
  }
  /// Adds log(product) to `s`.
  void add_to(Sum& s) const {
    constexpr double kLn2High = 0.69314718055994528623, kLn2Low = 2.3190468138462995584e-17;
    const double main = exponent_ * kLn2High;
    s.add(main);
    s.add(std::fma(exponent_, kLn2High, -main));
    s.add(exponent_ * kLn2Low);
    s.add(std::log(mantissa_));
  }

 private:
  double split(double x) {
    int e = 0;
    const double m = std::frexp(x, &e);
    exponent_ += e;
    return m;
  }
  double mantissa_ = 1.0;
  double exponent_ = 0.0;
};

}  // namespace kirchhoff::numeric
