// Every factor's answers against enumeration, with fixed inputs and with log-ratios up to 1e4.
#include "factor/all_factors.hpp"

#include <gtest/gtest.h>

namespace kirchhoff {
namespace {

using brute::Random;
using brute::Real;
using brute::uniform;

std::vector<double> ratios(int n, double size, double fixed, Random& random) {
  std::vector<double> q;
  for (int i = 0; i < n; ++i) {
    const bool infinite = uniform(random, 0, 1) < fixed;
    q.push_back(infinite ? (uniform(random, 0, 1) < 0.4 ? HUGE_VAL : -HUGE_VAL) : uniform(random, -size, size));
  }
  return q;
}

void expect_close(double actual, Real expected, double scale, const char* what) {
  ASSERT_FALSE(std::isnan(actual)) << what;
  if (std::isinf(static_cast<double>(expected))) {
    EXPECT_EQ(actual, static_cast<double>(expected)) << what;
  } else {
    EXPECT_NEAR(actual, static_cast<double>(expected), 1e-13 * scale) << what;
  }
}

void expect_right(const Factor& factor, const std::vector<double>& q) {
  const auto n = q.size();
  double scale = 100.0;
  for (const double x : q) scale += std::isinf(x) ? 0.0 : std::abs(x);
  const brute::Answers expected = brute::ask(factor, q);
  std::vector<double> messages(n), max_messages(n);
  std::vector<std::uint8_t> y(n);
  const Factor::Sum sum = factor.sum_product(q, messages);
  const double highest = factor.max_product(q, max_messages);
  const double best = factor.best(q, y);
  expect_close(sum.log_partition, expected.log_partition, scale, "log Z");
  expect_close(highest, expected.value, scale, "max value");
  expect_close(best, expected.value, scale, "best value");
  if (expected.log_partition == -HUGE_VALL) return;
  Real value = factor.score(y);
  for (std::size_t i = 0; i < n; ++i) {
    if (std::isinf(q[i])) {
      EXPECT_EQ(y[i] == 1, q[i] > 0) << "best configuration keeps fixed inputs";
    } else if (y[i]) {
      value += q[i];
    }
  }
  expect_close(best, value, scale, "value of the best configuration");
  expect_close(sum.expected_score, expected.expected_score, scale, "E[score]");
  // Marginals from log-ratios of 1e4 are right to 1e-12, and are multiplied with log-ratios again.
  expect_close(entropy(sum, q, messages), expected.entropy, scale * (1.0 + 1e-3 * scale), "entropy");
  for (std::size_t i = 0; i < n; ++i) {
    if (std::isinf(q[i]) && (factor.name() == "tree" || factor.name() == "head")) continue;  // documented: 0
    expect_close(messages[i], expected.sum_messages[i], scale, "message");
    expect_close(max_messages[i], expected.max_messages[i], scale, "max-message");
  }
}

TEST(Factors, AgreeWithEnumeration) {
  Random random(1);
  for (int n = 1; n <= 10; ++n)
    for (const brute::Named& named : brute::all_factors(n, random))
      for (const double size : {1.0, 30.0, 1000.0, 10000.0})
        for (const double fixed : {0.0, 0.15})
          for (int repeat = 0; repeat < (n <= 6 ? 8 : 2); ++repeat) {
            SCOPED_TRACE(testing::Message() << named.name << ", n = " << n << ", size " << size);
            expect_right(named.graph.factor(0),
                         ratios(n == named.graph.variables() ? n : named.graph.variables(), size, fixed, random));
            if (testing::Test::HasFailure()) return;
          }
}

TEST(Factors, TiesAndEqualRatios) {
  Random random(2);
  for (int n = 1; n <= 8; ++n)
    for (const brute::Named& named : brute::all_factors(n, random))
      for (const double value : {0.0, -10000.0, 10000.0, -3.0, 2.0}) {
        SCOPED_TRACE(testing::Message() << named.name << ", n = " << n << ", ratios " << value);
        expect_right(named.graph.factor(0), std::vector<double>(named.graph.variables(), value));
      }
}

// A small message must survive beside a large one: log-ratios of -1e4 and 1e4 in one factor.
TEST(Factors, SmallBesideLarge) {
  FactorGraph graph;
  graph.add_or(brute::literals(graph, 3));
  std::vector<double> messages(3);
  graph.factor(0).sum_product(std::vector<double>{10000.0, -9000.0, -9500.0}, messages);
  EXPECT_DOUBLE_EQ(messages[0], 9000.0);
  EXPECT_EQ(messages[1], 0.0);
}

TEST(Factors, MarginalsOfLargeFactorsSumUp) {
  Random random(3);
  const int n = 1000;
  FactorGraph graph;
  const Literals all = brute::literals(graph, n);
  graph.add_xor(all);
  graph.add_budget(all, 20);
  const std::vector<double> q = ratios(n, 20.0, 0.0, random);
  std::vector<double> messages(n);
  const auto total = [&](int f) {
    graph.factor(f).sum_product(q, messages);
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += 1.0 / (1.0 + std::exp(-q[i] - messages[i]));
    return sum;
  };
  EXPECT_NEAR(total(0), 1.0, 1e-12);
  EXPECT_NEAR(total(1), 20.0, 1e-6);
}

}  // namespace
}  // namespace kirchhoff
