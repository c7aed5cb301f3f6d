// The tests of samplers themselves: known values, the promised rate of false alarms, and wrong samples found out.
#include "support/chi_square.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace kirchhoff {
namespace {

using statistics::Counts;

TEST(ChiSquare, TailInClosedForm) {
  // Two degrees of freedom: exp(-x/2); four: (1 + x/2) exp(-x/2); one: erfc(sqrt(x/2)).
  for (double x : {0.1, 1.0, 5.0, 30.0, 200.0}) {
    EXPECT_NEAR(statistics::chi_square_tail(x, 2) / std::exp(-x / 2), 1, 1e-12);
    EXPECT_NEAR(statistics::chi_square_tail(x, 4) / ((1 + x / 2) * std::exp(-x / 2)), 1, 1e-12);
    EXPECT_NEAR(statistics::chi_square_tail(x, 1) / std::erfc(std::sqrt(x / 2)), 1, 1e-12);
  }
  EXPECT_EQ(statistics::chi_square_tail(0, 3), 1);
}

/// p-values of right samples, as often below each level as they should be.
void expect_calibrated(const std::vector<double>& p_values) {
  for (double level : {0.5, 0.1, 0.01, 0.001}) {
    const double expected = level * static_cast<double>(p_values.size());
    const double slack = 0.05 * expected + 4 * std::sqrt(expected);
    EXPECT_NEAR(
        static_cast<double>(std::count_if(p_values.begin(), p_values.end(), [&](double p) { return p < level; })),
        expected, slack)
        << level;
  }
}

TEST(ChiSquare, RightSamplesPass) {
  std::mt19937_64 random(1);
  const std::vector<long double> p = {0.5L, 0.2L, 0.1L, 0.1L, 0.05L, 0.04L, 0.005L, 0.003L, 0.002L};
  std::discrete_distribution<std::size_t> draw(p.begin(), p.end());
  std::vector<double> p_values;
  for (int repeat = 0; repeat < 20000; ++repeat) {
    Counts counts(p.size(), 0);
    for (int i = 0; i < 300; ++i) ++counts[draw(random)];
    p_values.push_back(statistics::fit(counts, p));
  }
  expect_calibrated(p_values);
}

TEST(ChiSquare, IndependentTablesPass) {
  std::mt19937_64 random(2);
  std::discrete_distribution<std::size_t> row{0.6, 0.3, 0.1}, column{0.4, 0.3, 0.2, 0.08, 0.02};
  std::vector<double> p_values;
  for (int repeat = 0; repeat < 20000; ++repeat) {
    std::vector<Counts> table(3, Counts(5, 0));
    for (int i = 0; i < 500; ++i) {
      const std::size_t r = row(random);
      ++table[r][column(random)];
    }
    p_values.push_back(statistics::independence(table));
  }
  expect_calibrated(p_values);
}

TEST(ChiSquare, WrongSamplesFail) {
  // One part in ten moved from one cell to another: a z-value of 10 or so.
  EXPECT_LT(statistics::fit({5500, 4500}, {0.5L, 0.5L}), 1e-20);
  EXPECT_GT(statistics::fit({5100, 4900}, {0.5L, 0.5L}), 0.01);
  EXPECT_EQ(statistics::fit({99, 1}, {1.0L, 0.0L}), 0) << "the impossible happened";
  EXPECT_EQ(statistics::fit({100, 0}, {1.0L, 0.0L}), 1);
  EXPECT_LT(statistics::independence({{600, 400}, {400, 600}}), 1e-15);
  EXPECT_GT(statistics::independence({{510, 490}, {490, 510}}), 0.01);
  EXPECT_THROW(statistics::fit({1, 2}, {0.5L, 0.4L}), std::invalid_argument);
}

TEST(ChiSquare, RareCellsCountTogether) {
  std::vector<long double> p(1001, 1e-4L);
  p[0] = 0.9L;
  Counts counts(1001, 0);
  counts[0] = 900;
  for (int i = 10; i <= 1000; i += 10) counts[i] = 1;
  EXPECT_GT(statistics::fit(counts, p), 1e-3);
  counts[0] = 800;
  for (int i = 10; i <= 1000; i += 10) counts[i] = 2;
  EXPECT_LT(statistics::fit(counts, p), 1e-6);
}

TEST(ChiSquare, Binomial) {
  EXPECT_NEAR(statistics::binomial(0, 10, 0.5), 2 * std::pow(0.5, 10), 1e-15);
  EXPECT_NEAR(statistics::binomial(10, 10, 0.5), 2 * std::pow(0.5, 10), 1e-15);
  EXPECT_NEAR(statistics::binomial(9, 10, 0.5), 2 * 11 * std::pow(0.5, 10), 1e-14);
  EXPECT_EQ(statistics::binomial(5, 10, 0.5), 1);
}

TEST(ChiSquare, UniformAndMean) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> draw;
  std::vector<double> values(5000), squares;
  for (double& value : values) value = draw(random);
  for (double value : values) squares.push_back(value * value);
  EXPECT_GT(statistics::uniform(values), 1e-3);
  EXPECT_LT(statistics::uniform(squares), 1e-9);
  EXPECT_GT(statistics::mean(values, 0.5), 1e-3);
  EXPECT_GT(statistics::mean(squares, 1.0 / 3), 1e-3);
  EXPECT_LT(statistics::mean(values, 0.53), 1e-9);
  // Two values: t has Cauchy's distribution, here at t = 1.
  EXPECT_NEAR(statistics::mean({0.0, 2.0}, 0.0), 0.5, 1e-14);
}

}  // namespace
}  // namespace kirchhoff
