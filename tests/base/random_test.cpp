// Random streams: functions of their key, whatever is asked in whichever order, with the moments they should have.
#include "base/random.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace kirchhoff::base {
namespace {

TEST(Random, AStreamIsAFunctionOfItsKey) {
  Random first(7, 3, 1), again(7, 3, 1);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t bits = first.bits();
    EXPECT_EQ(bits, again.bits());
    seen.insert(bits);
  }
  EXPECT_EQ(seen.size(), 1000u);
  for (Random other : {Random(8, 3, 1), Random(7, 4, 1), Random(7, 3, 2)}) {
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(seen.count(other.bits()), 0u);
  }
}

TEST(Random, LookingAheadTakesNothingAway) {
  Random stream(1, 2), plain(1, 2);
  std::vector<std::uint64_t> expected(500);
  for (auto& bits : expected) bits = plain.bits();
  std::size_t at = 0;
  while (at + 16 < expected.size()) {
    const auto ahead = stream.ahead();
    ASSERT_FALSE(ahead.empty());
    for (std::size_t i = 0; i < ahead.size(); ++i) EXPECT_EQ(ahead[i], expected[at + i]);
    const std::size_t taken = (ahead.size() + 1) / 2;
    stream.skip(taken);
    at += taken;
    EXPECT_EQ(stream.bits(), expected[at++]);
  }
}

TEST(Random, UniformAndExponentialHaveTheirMoments) {
  constexpr int kCount = 200000;
  Random stream(2024, 0);
  double uniform = 0.0, square = 0.0, exponential = 0.0, exponential_square = 0.0;
  for (int i = 0; i < kCount; ++i) {
    const double u = stream.uniform(), e = stream.exponential();
    ASSERT_TRUE(u >= 0.0 && u < 1.0);
    ASSERT_GT(e, 0.0);
    uniform += u / kCount;
    square += u * u / kCount;
    exponential += e / kCount;
    exponential_square += e * e / kCount;
  }
  // Five standard errors: one false alarm in a million seeds.
  EXPECT_NEAR(uniform, 1.0 / 2, 5 * std::sqrt(1.0 / 12 / kCount));
  EXPECT_NEAR(square, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / kCount));
  EXPECT_NEAR(exponential, 1.0, 5 * std::sqrt(1.0 / kCount));
  EXPECT_NEAR(exponential_square, 2.0, 5 * std::sqrt(20.0 / kCount));
}

}  // namespace
}  // namespace kirchhoff::base
