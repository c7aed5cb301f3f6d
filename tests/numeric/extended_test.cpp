// Numbers of extended range: +, *, /, exp, log and 1 - x against arithmetic with 100 digits, for exponents of any size.
#include "numeric/extended.hpp"

#include "numeric/extended_dual.hpp"
#include "numeric/extended_series.hpp"
#include "numeric/extended_wide.hpp"
#include "numeric/precise.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace kirchhoff::numeric {
namespace {

Precise value(const Extended& x) { return ldexp(Precise(x.m), x.e); }
Precise value(const ExtendedWide& x) { return ldexp(Precise(x.high) + Precise(x.low), x.e); }
Precise value(const ExtendedDual& x) { return x.m == 0.0 ? Precise(0) : ldexp(Precise(x.m), std::int64_t(x.e)); }
Precise tangent(const ExtendedDual& x) { return x.m == 0.0 ? Precise(0) : ldexp(Precise(x.t), std::int64_t(x.e)); }

class Numbers {
 public:
  double mantissa() { return std::uniform_real_distribution<>(0.5, 2.0)(random_); }
  double tangent() { return std::uniform_real_distribution<>(-2.0, 2.0)(random_); }
  std::int64_t exponent() {
    const int size = std::uniform_int_distribution<>(0, 30)(random_);
    return std::uniform_int_distribution<std::int64_t>(-(std::int64_t{1} << size), std::int64_t{1} << size)(random_);
  }
  double score() { return std::uniform_real_distribution<>(-1.0, 1.0)(random_) * std::ldexp(1.0, int(random_() % 30)); }

 private:
  std::mt19937_64 random_{7};
};

/// Checks +, * and / of a and b; one_minus and exp have tests of their own.
template <class T>
void expect_arithmetic(const T& a, const T& b, double tolerance) {
  EXPECT_LE(relative_error(value(a + b), value(a) + value(b)), tolerance);
  EXPECT_LE(relative_error(value(a * b), value(a) * value(b)), tolerance);
  EXPECT_LE(relative_error(value(a / b), value(a) / value(b)), tolerance);
  EXPECT_EQ(value(a + T{}), value(a));
  EXPECT_TRUE((a * T{}).is_zero());
}

TEST(Extended, ArithmeticIsRightToTheLastDigits) {
  Numbers numbers;
  for (int i = 0; i < 500; ++i) {
    const Extended a = Extended::of(numbers.mantissa(), numbers.exponent());
    const Extended b = Extended::of(numbers.mantissa(), i % 2 ? a.e + i % 60 : numbers.exponent());
    EXPECT_TRUE(a.m >= 1.0 && a.m < 2.0);
    expect_arithmetic(a, b, 3e-16);
  }
}

TEST(ExtendedWide, ArithmeticHasThirtyDigits) {
  Numbers numbers;
  for (int i = 0; i < 500; ++i) {
    const ExtendedWide a = ExtendedWide::of(numbers.mantissa(), 1e-17 * numbers.mantissa(), numbers.exponent());
    const ExtendedWide b =
        ExtendedWide::of(numbers.mantissa(), 1e-17 * numbers.mantissa(), i % 2 ? a.e + i % 60 : numbers.exponent());
    expect_arithmetic(a, b, 1e-30);
  }
}

TEST(Extended, ExponentialsAndLogarithms) {
  Numbers numbers;
  for (int i = 0; i < 200; ++i) {
    const double x = numbers.score();
    const Precise exact = exp(Precise(x));
    EXPECT_LE(relative_error(value(Extended::exp(x)), exact), 1e-15) << x;
    EXPECT_LE(relative_error(value(ExtendedWide::exp(x)), exact), 1e-27) << x;
    EXPECT_NEAR(log(Extended::exp(x)), x, 3e-16 * std::abs(x) + 3e-16);
  }
  EXPECT_TRUE(Extended::exp(-HUGE_VAL).is_zero());
  EXPECT_TRUE(ExtendedWide::exp(-HUGE_VAL).is_zero());
  EXPECT_EQ(log(Extended{}), -HUGE_VAL);
}

TEST(ExtendedWide, OneMinusKeepsItsDigits) {
  for (int k = 1; k < 60; ++k) {
    const ExtendedWide x = ExtendedWide::exp(-std::ldexp(1.0, -k));
    EXPECT_LE(relative_error(value(one_minus(x)), 1 - value(x)), 1e-12) << k;
  }
  EXPECT_TRUE(one_minus(ExtendedWide::of(1.0)).is_zero());
  EXPECT_TRUE(one_minus(ExtendedWide::of(1.5)).is_zero());
  EXPECT_EQ(value(one_minus(ExtendedWide{})), 1);
}

TEST(ExtendedDual, ArithmeticAndTangents) {
  Numbers numbers;
  for (int i = 0; i < 500; ++i) {
    const auto near = [&](double e) { return e + i % 60; };
    const ExtendedDual a = ExtendedDual::of(numbers.mantissa(), double(numbers.exponent()), numbers.tangent());
    const ExtendedDual b =
        ExtendedDual::of(numbers.mantissa(), i % 2 ? near(a.e) : double(numbers.exponent()), numbers.tangent());
    ExtendedDual sum = a;
    sum += b;
    const Precise va = value(a), vb = value(b), ta = tangent(a), tb = tangent(b);
    EXPECT_LE(relative_error(value(sum), va + vb), 3e-16);
    EXPECT_LE(relative_error(value(a * b), va * vb), 3e-16);
    EXPECT_LE(relative_error(value(a / b), va / vb), 3e-16);
    const auto expect_tangent = [](const ExtendedDual& x, const Precise& exact, const Precise& size) {
      EXPECT_LE(static_cast<double>(Precise(abs(tangent(x) - exact) / size)), 1e-15);
    };
    expect_tangent(sum, ta + tb, abs(ta) + abs(tb));
    expect_tangent(a * b, va * tb + ta * vb, abs(va * tb) + abs(ta * vb));
    expect_tangent(a / b, (ta * vb - va * tb) / (vb * vb), (abs(ta * vb) + abs(va * tb)) / (vb * vb));
  }
}

TEST(ExtendedDual, SumsOfManyAreThoseOfOneAfterTheOther) {
  Numbers numbers;
  std::vector<ExtendedDual> terms(50);  // with a zero here and there
  Precise exact = 0, exact_tangent = 0, size = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (i % 7 != 3) terms[i] = ExtendedDual::of(numbers.mantissa(), 1e6 + double(i), numbers.tangent());
    if (i < 2) continue;
    exact += value(terms[i]);
    exact_tangent += tangent(terms[i]);
    size += abs(tangent(terms[i]));
  }
  const ExtendedDual sum = sum_of(terms.data(), 2, 50);
  EXPECT_LE(relative_error(value(sum), exact), 1e-15);
  EXPECT_LE(static_cast<double>(Precise(abs(tangent(sum) - exact_tangent) / size)), 1e-15);
  EXPECT_EQ(sum_of(terms.data(), 3, 4).m, 0.0);
}

constexpr std::size_t kOrder = 6;
using Series = ExtendedSeries<kOrder>;

/// The series, term by term.
std::vector<Precise> terms(const Series& x) {
  std::vector<Precise> result;
  for (const double c : x.c) result.push_back(x.is_zero() ? Precise(0) : ldexp(Precise(c), std::int64_t(x.e)));
  return result;
}
void expect_terms(const std::vector<Precise>& found, const std::vector<Precise>& exact) {
  for (std::size_t k = 0; k <= kOrder; ++k) {
    EXPECT_LE(static_cast<double>(Precise(abs(found[k] - exact[k]) / abs(exact[0]))), 1e-12) << k;
  }
}

TEST(ExtendedSeries, ArithmeticIsThatOfPolynomials) {
  Numbers numbers;
  for (int i = 0; i < 200; ++i) {
    const auto random = [&](double e) {
      Series x;
      x.e = e;
      for (double& c : x.c) c = numbers.tangent();
      x.c[0] = numbers.mantissa();
      x.normalise();
      EXPECT_TRUE(x.c[0] >= 1.0 && x.c[0] < 2.0);
      return x;
    };
    const Series a = random(double(numbers.exponent())), b = random(i % 2 ? a.e + i % 60 : double(numbers.exponent()));
    const std::vector<Precise> ta = terms(a), tb = terms(b);
    std::vector<Precise> sum = ta, product(kOrder + 1, Precise(0));
    for (std::size_t k = 0; k <= kOrder; ++k) {
      sum[k] += tb[k];
      for (std::size_t l = 0; l <= k; ++l) product[k] += ta[l] * tb[k - l];
    }
    Series total = a;
    total += b;
    expect_terms(terms(total), sum);
    expect_terms(terms(a * b), product);
    expect_terms(terms(a * b / b), ta);
    total = a;
    total += Series{};
    EXPECT_EQ(total.c, a.c);
    EXPECT_TRUE((a * Series{}).is_zero() && (Series{} / a).is_zero());
  }
}

TEST(ExtendedSeries, ExponentialsAndLogarithms) {
  for (const double x : {0.0, -3.5, 700.25, -1e6, 1e15, -1e99}) {
    const std::array<double, kOrder + 1> log = log_coefficients(Series::exp(x, 0.0, 0.75));
    for (std::size_t k = 1; k <= kOrder; ++k) EXPECT_NEAR(log[k], k == 1 ? 0.75 : 0.0, 1e-15) << x;
  }
  // log(1 + exp(t)) = log 2 + t / 2 + t^2 / 8 - t^4 / 192 + t^6 / 2880
  Series sum = Series::one();
  sum += Series::exp(0.0, 0.0, 1.0);
  const double exact[] = {0.0, 0.5, 0.125, 0.0, -1.0 / 192, 0.0, 1.0 / 2880};
  for (std::size_t k = 0; k <= kOrder; ++k) EXPECT_NEAR(log_coefficients(sum)[k], exact[k], 1e-16);
  EXPECT_TRUE(Series::exp(-HUGE_VAL, 0.0, 1.0).is_zero());
}

TEST(Extended, DoublesAtTheEndsOfTheirRange) {
  EXPECT_EQ(power(1.5, 10), 1536.0);
  EXPECT_EQ(power(1.0, 2000), HUGE_VAL);
  EXPECT_EQ(power(0.0, 2000), 0.0);
  EXPECT_EQ(power(1.0, -2000), 0.0);
  EXPECT_EQ(power(1.0, -1074), 5e-324);
}

}  // namespace
}  // namespace kirchhoff::numeric
