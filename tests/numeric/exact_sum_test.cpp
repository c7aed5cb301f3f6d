// Exact sums against integers of any size: their digits, their rounding, and that order and parts do not matter.
#include "kirchhoff/exact_sum.hpp"

#include <gtest/gtest.h>
#include <boost/multiprecision/cpp_int.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace kirchhoff {
namespace {

using boost::multiprecision::cpp_int;

/// x in units of 2^-1074.
cpp_int units(double x) {
  int exponent = 0;
  const double mantissa = std::frexp(x, &exponent);
  const cpp_int whole = static_cast<std::int64_t>(std::ldexp(mantissa, 53));
  const int shift = exponent - 53 + 1074;
  return shift >= 0 ? cpp_int(whole * (cpp_int(1) << shift)) : cpp_int(whole / (cpp_int(1) << -shift));
}

/// The nearest double by bisection of all doubles in their order, and the even one of two that are equally near.
double nearest(const cpp_int& sum) {
  if (sum < 0) return -nearest(-sum);
  std::uint64_t low = 0, high = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::max());
  while (low < high) {
    const std::uint64_t middle = (low + high + 1) / 2;
    if (units(std::bit_cast<double>(middle)) <= sum) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  const double below = std::bit_cast<double>(low), above = std::bit_cast<double>(low + 1);
  const cpp_int above_units = std::isinf(above) ? cpp_int(cpp_int(1) << (1024 + 1074)) : units(above);
  const cpp_int twice = 2 * sum - units(below) - above_units;
  return twice < 0 || (twice == 0 && low % 2 == 0) ? below : above;
}

cpp_int integer(const ExactSum::Digits& digits) {
  cpp_int value = 0;
  for (std::size_t i = 0; i < digits.bytes.size(); ++i) value |= cpp_int(digits.bytes[i]) << (8 * i);
  if (!digits.bytes.empty() && digits.bytes.back() >= 0x80) value -= cpp_int(1) << (8 * digits.bytes.size());
  return value << (digits.bytes.empty() ? 0 : digits.exponent + 1074);
}

std::vector<double> random_terms(std::mt19937_64& random, int count, bool any_size) {
  std::vector<double> terms;
  while (static_cast<int>(terms.size()) < count) {
    const double x = any_size
                         ? std::bit_cast<double>(random())
                         : std::ldexp(std::uniform_real_distribution<>(-1, 1)(random), static_cast<int>(random() % 60));
    if (!std::isfinite(x)) continue;
    terms.push_back(x);
    if (random() % 3 == 0) terms.push_back(-x * (1 + std::ldexp(1.0, -static_cast<int>(random() % 54))));
    if (!std::isfinite(terms.back())) terms.pop_back();
  }
  return terms;
}

TEST(ExactSum, IsTheSumOfIntegersRoundedOnce) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 300; ++i) {
    ExactSum sum;
    cpp_int exact = 0;
    for (const double x : random_terms(random, 1 + i % 30, i % 2 == 0)) {
      sum.add(x);
      exact += units(x);
    }
    ASSERT_EQ(integer(sum.digits()), exact);
    ASSERT_EQ(sum.value(), nearest(exact)) << i;
  }
}

TEST(ExactSum, RoundsHardCasesAsIntegersDo) {
  const double least = std::numeric_limits<double>::denorm_min(), largest = std::numeric_limits<double>::max();
  const double ulp = std::ldexp(1.0, -52);
  const std::vector<std::vector<double>> cases = {{},
                                                  {0.0, -0.0},
                                                  {least},
                                                  {-least, -least},
                                                  {1.0, ulp / 2},
                                                  {1.0 + ulp, ulp / 2},
                                                  {1.0, ulp / 2, least},
                                                  {1.0, ulp / 2, -least},
                                                  {largest, std::ldexp(1.0, 969)},
                                                  {largest, std::ldexp(1.0, 970), -least},
                                                  {largest, std::ldexp(1.0, 970)},
                                                  {-largest, -largest},
                                                  {largest, largest, -largest},
                                                  {1e300, 1.0, -1e300},
                                                  {std::ldexp(1.0, -1022), -least},
                                                  {std::ldexp(1.0, -1021), least}};
  for (const auto& terms : cases) {
    ExactSum sum;
    cpp_int exact = 0;
    for (const double x : terms) {
      sum.add(x);
      exact += units(x);
    }
    EXPECT_EQ(sum.value(), nearest(exact));
    EXPECT_EQ(integer(sum.digits()), exact);
  }
}

TEST(ExactSum, DoesNotDependOnOrderOrParts) {
  std::mt19937_64 random(2);
  std::vector<double> terms = random_terms(random, 2000, true);
  ExactSum whole;
  for (const double x : terms) whole.add(x);
  for (const std::size_t parts : {1, 2, 7, 100}) {
    std::shuffle(terms.begin(), terms.end(), random);
    std::vector<ExactSum> sums(parts);
    for (std::size_t i = 0; i < terms.size(); ++i) sums[random() % parts].add(terms[i]);
    std::shuffle(sums.begin(), sums.end(), random);
    ExactSum merged, received;
    for (const ExactSum& part : sums) {
      merged.add(part);
      const ExactSum::Digits digits = part.digits();
      received.add(digits.exponent, digits.bytes);
    }
    EXPECT_EQ(merged.digits(), whole.digits());
    EXPECT_EQ(received.digits(), whole.digits());
    EXPECT_EQ(merged.value(), whole.value());
  }
}

TEST(ExactSum, CarriesInTime) {
  ExactSum sum;  // doubled by adding it to itself, which fills the limbs as fast as anything
  sum.add(-1.0);
  sum.add(std::ldexp(1.0, -40));
  for (int i = 0; i < 60; ++i) sum.add(ExactSum(sum));
  EXPECT_EQ(sum.value(), std::ldexp(-1.0 + std::ldexp(1.0, -40), 60));
}

TEST(ExactSum, RefusesWhatIsNoNumberAndNoSum) {
  ExactSum sum;
  EXPECT_THROW(sum.add(std::nan("")), InputError);
  EXPECT_THROW(sum.add(HUGE_VAL), InputError);
  const std::vector<std::uint8_t> byte = {1}, many(300, 1);
  EXPECT_THROW(sum.add(0, byte), InputError);  // 1074 is no multiple of 8
  EXPECT_THROW(sum.add(-1082, byte), InputError);
  EXPECT_THROW(sum.add(-1074, many), InputError);
  EXPECT_THROW(sum.add(8, std::span<const std::uint8_t>()), InputError);
  EXPECT_EQ(sum.digits(), ExactSum::Digits());
}

}  // namespace
}  // namespace kirchhoff
