// Intervals and p-values against all samples there can be.
#include "kirchhoff/evaluate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace kirchhoff {
namespace {

constexpr auto kUas = static_cast<std::size_t>(Metric::uas);

/// Units with so many words and so many right heads.
Evaluation evaluation(const std::vector<std::pair<int, int>>& units) {
  Evaluation out;
  for (const auto& [words, right] : units) {
    EvaluatedUnit unit;
    unit.gold_sentences = 1;
    unit.scores[static_cast<std::size_t>(Metric::words)] = {words, words, words};
    unit.scores[kUas] = {words, words, right};
    out.units.push_back(unit);
    for (std::size_t m = 0; m < kMetrics; ++m) out.total[m] += unit.scores[m];
  }
  return out;
}

const std::vector<std::pair<int, int>> kA = {{10, 9}, {4, 1}, {7, 5}, {20, 11}, {3, 3}};
const std::vector<std::pair<int, int>> kB = {{10, 10}, {4, 3}, {7, 4}, {20, 17}, {3, 2}};

/// The scores of all n^n draws.
std::vector<double> all_draws(const std::vector<std::pair<int, int>>& units) {
  std::vector<double> values;
  const std::size_t n = units.size();
  const auto draws = static_cast<std::size_t>(std::pow(n, n));
  for (std::size_t code = 0; code < draws; ++code) {
    int words = 0;
    int right = 0;
    std::size_t rest = code;
    for (std::size_t i = 0; i < n; ++i, rest /= n) {
      words += units[rest % n].first;
      right += units[rest % n].second;
    }
    values.push_back(static_cast<double>(right) / words);
  }
  return values;
}

TEST(Bootstrap, AgreesWithAllDraws) {
  const std::vector<double> values = all_draws(kA);
  const auto share = [&](auto predicate) {
    return static_cast<double>(std::count_if(values.begin(), values.end(), predicate)) /
           static_cast<double>(values.size());
  };
  const Interval found = bootstrap_intervals(evaluation(kA), {20000, 0.9, 5})[kUas];
  constexpr double kTolerance = 0.007;  // 4.5 standard deviations of a share of 0.05 in 20000: one alarm in 10^5
  EXPECT_LE(share([&](double v) { return v < found.low; }), 0.05 + kTolerance);
  EXPECT_GE(share([&](double v) { return v <= found.low; }), 0.05 - kTolerance);
  EXPECT_LE(share([&](double v) { return v > found.high; }), 0.05 + kTolerance);
  EXPECT_GE(share([&](double v) { return v >= found.high; }), 0.05 - kTolerance);
  EXPECT_LT(found.low, found.high);
}

/// Two-sided p-value from all 2^n exchanges.
double exact_p_value() {
  const auto n = kA.size();
  int total = 0;
  for (std::size_t i = 0; i < n; ++i) total += kB[i].second - kA[i].second;
  int as_large = 0;
  for (unsigned code = 0; code < 1U << n; ++code) {
    int difference = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const int d = kB[i].second - kA[i].second;
      difference += code >> i & 1U ? -d : d;
    }
    as_large += std::abs(difference) >= std::abs(total) ? 1 : 0;
  }
  return as_large / static_cast<double>(1U << n);
}

TEST(Compare, AgreesWithAllExchanges) {
  const double p = exact_p_value();
  ASSERT_GT(p, 0.05);
  ASSERT_LT(p, 0.9);
  constexpr int kSamples = 40000;
  const Comparison found = compare(evaluation(kA), evaluation(kB), {kSamples, 0.95, 3})[kUas];
  EXPECT_NEAR(found.difference, 7.0 / 44.0, 1e-12);
  EXPECT_NEAR(found.p_value, p, 4.5 * std::sqrt(p * (1 - p) / kSamples) + 1.0 / kSamples);
  const Comparison back = compare(evaluation(kB), evaluation(kA), {kSamples, 0.95, 3})[kUas];
  EXPECT_NEAR(back.difference, -found.difference, 1e-15);
  EXPECT_EQ(back.p_value, found.p_value);
}

TEST(Compare, EqualSystemsDoNotDiffer) {
  for (const Comparison& c : compare(evaluation(kA), evaluation(kA))) {
    EXPECT_EQ(c.difference, 0.0);
    EXPECT_EQ(c.p_value, 1.0);
  }
}

TEST(Compare, JoinsUnitsThatAreCutElsewhere) {
  Evaluation b = evaluation({{14, 13}, {7, 4}, {20, 17}, {3, 2}});
  b.units[0].gold_sentences = 2;
  EXPECT_NEAR(compare(evaluation(kA), b)[kUas].difference, 7.0 / 44.0, 1e-12);
  EXPECT_NEAR(compare(b, evaluation(kA))[kUas].difference, -7.0 / 44.0, 1e-12);
}

TEST(Resampling, IsReproducibleAndChecked) {
  const Evaluation a = evaluation(kA);
  const auto low = [&](std::uint64_t seed) { return bootstrap_intervals(a, {50, 0.9, seed})[kUas].low; };
  EXPECT_EQ(low(1), low(1));
  EXPECT_NE(low(1), low(2));
  EXPECT_THROW(bootstrap_intervals(a, {0, 0.9, 1}), InputError);
  EXPECT_THROW(bootstrap_intervals(a, {10, 1.0, 1}), InputError);
  EXPECT_THROW(bootstrap_intervals(a, {10, std::nan(""), 1}), InputError);
  EXPECT_THROW(bootstrap_intervals({}, {10, 0.9, 1}), InputError);
  EXPECT_THROW(compare(a, evaluation({{10, 9}})), InputError);
  EXPECT_THROW(compare(a, a, {0, 0.9, 1}), InputError);
}

}  // namespace
}  // namespace kirchhoff
