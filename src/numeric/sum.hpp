// Sums and products that neither lose digits nor leave the range of a double.
#pragma once

#include <cmath>

namespace kirchhoff::numeric {

/// 0 for a number that only rounding made negative; unlike std::max, keeps a NaN visible.
inline double not_negative(double x) { return x < 0.0 ? 0.0 : x; }

/// a + b = high + low exactly (Knuth).
struct TwoSum {
  double high, low;
  TwoSum(double a, double b) : high(a + b) {
    const double back = high - a;
    low = (a - (high - back)) + (b - back);
  }
};

/// Running sum with twice the precision.
struct Sum {
  double high = 0.0, low = 0.0;
  void add(double x) {
    const TwoSum s(high, x);
    high = s.high;
    low += s.low;
  }
  double value() const { return high + low; }
};

/// Logarithm of a product of positive numbers, as mantissa and exponent: no range to leave, one rounding per factor.
class LogProduct {
 public:
  void multiply(double x, double exponent = 0.0) {
    exponent_ += exponent;
    if (x < 1e-100 || x > 1e100) x = split(x);
    mantissa_ *= x;
    if (mantissa_ < 1e-150 || mantissa_ > 1e150) mantissa_ = split(mantissa_);
  }
  /// log(product) added to `s`.
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
