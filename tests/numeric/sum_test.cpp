// Exact sums and long products, against arithmetic with 100 digits.
#include "numeric/sum.hpp"

#include "numeric/precise.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace kirchhoff::numeric {
namespace {

double random_number(std::mt19937_64& random, double digits) {
  const double size = std::pow(10.0, std::uniform_real_distribution<>(-digits, digits)(random));
  return std::uniform_real_distribution<>(-1.0, 1.0)(random) * size;
}

TEST(TwoSum, LosesNothing) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const double a = random_number(random, 30), b = random_number(random, 30);
    const TwoSum s(a, b);
    EXPECT_EQ(s.high, a + b);
    EXPECT_EQ(Precise(s.high) + Precise(s.low), Precise(a) + Precise(b));
  }
}

TEST(Sum, HasTwiceTheDigits) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 20; ++i) {
    Sum sum;
    Precise exact = 0;
    double size = 0.0;
    std::vector<double> terms;
    for (int k = 0; k < 200; ++k) terms.push_back(random_number(random, 12));
    for (int k = 0; k < 200; ++k) terms.push_back(-terms[k] * (1.0 + 1e-9));  // nearly everything cancels
    for (const double x : terms) {
      sum.add(x);
      exact += Precise(x);
      size += std::abs(x);
    }
    EXPECT_LE(static_cast<double>(abs(Precise(sum.high) + Precise(sum.low) - exact)), 1e-26 * size);
    EXPECT_LE(relative_error(sum.value(), exact), 1e-15);
  }
}

TEST(LogProduct, HasNoRangeToLeave) {
  std::mt19937_64 random(3);
  for (const double digits : {1.0, 100.0, 300.0}) {
    LogProduct product;
    Precise exact = 1;
    for (int k = 0; k < 1000; ++k) {
      const double x = std::abs(random_number(random, digits));
      product.multiply(x, k);
      exact *= ldexp(Precise(x), k);
    }
    Sum sum;
    product.add_to(sum);
    const Precise log_exact = log(exact);
    EXPECT_LE(static_cast<double>(abs(Precise(sum.high) + Precise(sum.low) - log_exact)), 1e-12);
  }
}

TEST(NotNegative, KeepsNaN) {
  EXPECT_EQ(not_negative(-1e-300), 0.0);
  EXPECT_EQ(not_negative(2.0), 2.0);
  EXPECT_TRUE(std::isnan(not_negative(NAN)));
}

}  // namespace
}  // namespace kirchhoff::numeric
