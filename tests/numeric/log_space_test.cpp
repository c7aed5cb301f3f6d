// Functions of logarithms against arithmetic with 100 digits, also far out and at infinity.
#include "numeric/log_space.hpp"

#include "numeric/precise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace kirchhoff::numeric {
namespace {

const std::vector<double> kPoints = {-700.0, -100.0, -37.5, -36.5, -20.0, -1.0, -0.4, -1e-9, 0.0,
                                     1e-9,   0.3,    0.69,  1.0,   3.5,   3.7,  20.0, 36.5,  37.5};

template <class Function, class Exact>
void expect_equal(Function function, Exact exact, const std::vector<double>& points) {
  for (const double x : points) {
    const Precise right = exact(Precise(x));
    EXPECT_LE(static_cast<double>(Precise(abs(Precise(function(x)) - right))),
              4e-16 * (1.0 + std::abs(static_cast<double>(right))))
        << x;
  }
}

TEST(LogSpace, FunctionsOfOneNumber) {
  expect_equal(
      softplus, [](Precise x) { return Precise(log(1 + exp(x))); }, kPoints);
  expect_equal(
      sigmoid, [](Precise x) { return Precise(1 / (1 + exp(-x))); }, kPoints);
  expect_equal(
      log_softplus, [](Precise x) { return Precise(log(log(1 + exp(x)))); }, kPoints);
  const std::vector<double> small = {-700.0, -37.5, -36.5, -20.0, -1.0, -0.4, 0.0, 0.3, 0.69, 1.0, 3.5, 3.7};
  expect_equal(
      log_expm1_of_exp, [](Precise x) { return Precise(log(exp(exp(x)) - 1)); }, small);
  expect_equal(
      log_1mexp_of_exp, [](Precise x) { return Precise(log(1 - exp(-exp(x)))); }, small);
}

TEST(LogSpace, LogAdd) {
  for (const double a : kPoints) {
    for (const double b : kPoints) {
      const auto right = static_cast<double>(Precise(log(exp(Precise(a)) + exp(Precise(b)))));
      EXPECT_NEAR(log_add(a, b), right, 4e-16 * (1.0 + std::abs(right)));
    }
    EXPECT_EQ(log_add(a, -HUGE_VAL), a);
    EXPECT_EQ(log_add(HUGE_VAL, a), HUGE_VAL);
  }
  EXPECT_EQ(log_add(-HUGE_VAL, -HUGE_VAL), -HUGE_VAL);
}

TEST(LogSpace, SumsAndMaximaOfAllButOne) {
  std::mt19937_64 random(5);
  for (const double size : {1.0, 30.0, 650.0}) {
    for (int count = 1; count <= 6; ++count) {
      for (const double extra : {-HUGE_VAL, 0.0, size}) {
        std::vector<double> x(count), sums(count), maxima(count);
        for (double& value : x) value = std::uniform_real_distribution<>(-size, size)(random);
        if (count == 5) x[2] = -HUGE_VAL;
        const double whole = log_sums_without(x, extra, sums);
        EXPECT_EQ(maxima_without(x, extra, maxima), std::max(extra, *std::max_element(x.begin(), x.end())));
        Precise all = exp(Precise(extra));
        for (const double value : x) all += exp(Precise(value));
        EXPECT_NEAR(whole, static_cast<double>(Precise(log(all))), 1e-13 * (1.0 + size));
        for (int i = 0; i < count; ++i) {
          Precise rest = exp(Precise(extra));
          double top = extra;
          for (int j = 0; j < count; ++j) {
            if (j == i) continue;
            rest += exp(Precise(x[j]));
            top = std::max(top, x[j]);
          }
          EXPECT_EQ(maxima[i], top);
          if (rest == 0) {
            EXPECT_EQ(sums[i], -HUGE_VAL);
          } else {
            EXPECT_NEAR(sums[i], static_cast<double>(Precise(log(rest))), 1e-13 * (1.0 + size));
          }
        }
      }
    }
  }
}

TEST(LogSpace, InfinitiesAreCounted) {
  const std::vector<double> q = {HUGE_VAL, 0.0, -HUGE_VAL, HUGE_VAL};
  EXPECT_EQ(count_required(q), 2);
  EXPECT_EQ(finite_part(HUGE_VAL), 0.0);
  EXPECT_EQ(finite_part(-2.0), -2.0);
}

}  // namespace
}  // namespace kirchhoff::numeric
