// Variables of many values in belief propagation: log-odds against all other values, in linear time.
#include "factor/bp/propagation.hpp"
#include "kirchhoff/solve.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>

namespace kirchhoff {
namespace {

/// One variable whose log-weights are spread over many magnitudes, ties and impossible values among them.
FactorGraph one_variable(int values) {
  std::vector<double> scores;
  for (int k = 0; k < values; ++k) scores.push_back(k % 7 == 3 ? -HUGE_VAL : std::sin(0.5 * k) * std::pow(10.0, k % 4));
  scores.back() = *std::max_element(scores.begin(), scores.end());
  FactorGraph graph;
  graph.add_values(scores);
  return graph;
}

TEST(Values, LogOddsAgainstAllOthers) {
  for (const int values : {2, 3, 5, 40}) {
    const FactorGraph graph = one_variable(values);
    const std::vector<double>& scores = graph.scores();
    for (const Product product : {Product::sum, Product::max}) {
      const BpResult result = solve_bp(graph, {.product = product});
      for (int i = 0; i < values; ++i) {
        double largest = -HUGE_VAL;
        for (int k = 0; k < values; ++k) largest = k == i ? largest : std::max(largest, scores[k]);
        long double others = 0.0L;
        for (int k = 0; k < values; ++k)
          others += k == i ? 0.0L : std::exp(static_cast<long double>(scores[k]) - largest);
        const double log_others = largest + (product == Product::sum ? std::log(static_cast<double>(others)) : 0.0);
        const double odds = scores[i] == -HUGE_VAL ? -HUGE_VAL : scores[i] - log_others;
        if (std::isinf(odds)) {
          EXPECT_EQ(result.log_odds[i], odds);
        } else {
          EXPECT_NEAR(result.log_odds[i], odds, 1e-12 * std::max(1.0, std::abs(log_others))) << i << " of " << values;
        }
      }
    }
  }
}

/// Bethe's log Z as the sum of those of factors and variables, binary ones and one of several values.
TEST(Values, LogPartitionsOfVariablesAndFactorsAddUp) {
  FactorGraph graph;
  const std::vector<double> scores = {0.3, -1.0, 0.8};
  const int first = graph.add_multi_valued(scores).index;
  const Literals values = {Variable{first}, Variable{first + 1}, Variable{first + 2}};
  const Variable a = graph.add_variable(0.4), b = graph.add_variable(-0.7);
  graph.add_table({values, {a}}, {0.1, 0.9, -0.4, 1.2, 0.0, -2.0});
  graph.add_table({values, {b}}, {0.5, -0.3, 0.2, 0.8, -1.1, 0.6});
  graph.add_pair(values[1], graph.add_variable(0.2), 1.5);
  const BpOptions options{.tolerance = 1e-14};
  factor::Propagation propagation(graph, options);
  ASSERT_EQ(propagation.run(), Status::converged);
  double sum = propagation.beliefs().log_partition_of_variables();
  for (int f = 0; f < graph.factors(); ++f) sum += propagation.beliefs().log_partition_of(f);
  EXPECT_NEAR(sum, solve_exact(graph).log_partition, 1e-12);
}

/// Of three runs the fastest, in processor time, which other programs do not add to.
double processor_time(const FactorGraph& graph, Product product) {
  double fastest = HUGE_VAL;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const std::clock_t start = std::clock();
    solve_bp(graph, {.product = product});
    fastest = std::min(fastest, static_cast<double>(std::clock() - start));
  }
  return fastest;
}

TEST(Values, WorkIsLinearInTheirNumber) {
  const FactorGraph small = one_variable(2000), large = one_variable(16000);
  for (const Product product : {Product::sum, Product::max}) {
    const double growth = processor_time(large, product) / std::max(1.0, processor_time(small, product));
    EXPECT_LT(growth, 32.0) << "8 is linear, 64 quadratic";
  }
}

}  // namespace
}  // namespace kirchhoff
