// KNAPSACK with real weights against the list of its configurations, the vertices of its polytope, a projection by
// bisection, and the KNAPSACK of whole weights.
#include "factor/factors/real_knapsack.hpp"
#include "factor/factors/knapsack.hpp"
#include "factor/graphs.hpp"

#include <gtest/gtest.h>

namespace kirchhoff {
namespace {

using brute::Random;
using brute::Real;
using brute::uniform;
using factor::RealKnapsackFactor;

struct Knapsack {
  std::vector<double> weights;
  double capacity = 0.0;
  Knapsack(int n, Random& random) {
    for (int i = 0; i < n; ++i) weights.push_back(uniform(random, 0, 1) < 0.1 ? 0.0 : uniform(random, 0.1, 3.0));
    capacity = uniform(random, 0, 1) < 0.1 ? 0.0 : uniform(random, 0.0, 0.8 * n);
  }
};

std::vector<double> ratios(int n, double size, double fixed, Random& random) {
  std::vector<double> q;
  for (int i = 0; i < n; ++i) {
    const bool is_fixed = uniform(random, 0, 1) < fixed;
    q.push_back(is_fixed ? (uniform(random, 0, 1) < 0.3 ? HUGE_VAL : -HUGE_VAL) : uniform(random, -size, size));
  }
  return q;
}

/// The best value of the polytope: at a vertex at most one input is neither 0 nor 1.
double best_vertex(const Knapsack& k, const std::vector<double>& q) {
  double highest = -HUGE_VAL;
  for (std::size_t e = 0; e < std::size_t{1} << q.size(); ++e) {
    const auto y = brute::bits(e, q.size());
    double used = 0.0, value = 0.0;
    bool keeps = true;
    for (std::size_t i = 0; i < q.size(); ++i) {
      keeps = keeps && (!std::isinf(q[i]) || (q[i] > 0.0) == (y[i] == 1));
      used += y[i] ? k.weights[i] : 0.0;
      value += y[i] && !std::isinf(q[i]) ? q[i] : 0.0;
    }
    if (!keeps || used > k.capacity) continue;
    highest = std::max(highest, value);
    for (std::size_t i = 0; i < q.size(); ++i) {
      if (y[i] || std::isinf(q[i]) || used + k.weights[i] <= k.capacity) continue;
      highest = std::max(highest, value + q[i] * (k.capacity - used) / k.weights[i]);
    }
  }
  return highest;
}

TEST(RealKnapsack, AgreesWithTheListOfItsConfigurations) {
  Random random(51);
  for (int n = 1; n <= 10; ++n)
    for (int repeat = 0; repeat < 40; ++repeat) {
      const Knapsack k(n, random);
      const RealKnapsackFactor factor(k.weights, k.capacity);
      const double size = repeat % 2 == 0 ? 2.0 : 1000.0, scale = 1e-12 * n * size;
      const auto q = ratios(n, size, repeat % 3 == 0 ? 0.2 : 0.0, random);
      const brute::Answers expected = brute::ask(factor, q);
      std::vector<double> messages(n), highest(n);
      std::vector<std::uint8_t> y(n), scratch(n);
      const Factor::Sum sum = factor.sum_product(q, messages);
      if (expected.log_partition == -HUGE_VALL) {
        EXPECT_EQ(sum.log_partition, -HUGE_VAL);
        EXPECT_EQ(factor.best(q, y), -HUGE_VAL);
        EXPECT_EQ(factor.max_product(q, highest), -HUGE_VAL);
        EXPECT_EQ(factor.relaxed_best(q, scratch), -HUGE_VAL);
        continue;
      }
      EXPECT_NEAR(sum.log_partition, static_cast<double>(expected.log_partition), scale);
      EXPECT_NEAR(factor.best(q, y), static_cast<double>(expected.value), scale);
      EXPECT_EQ(factor.score(y), 0.0);
      EXPECT_NEAR(factor.max_product(q, highest), static_cast<double>(expected.value), scale);
      EXPECT_NEAR(factor.relaxed_best(q, scratch), best_vertex(k, q), 1e-9 * size);
      double value = 0.0;
      for (int i = 0; i < n; ++i) {
        if (!std::isinf(q[i])) value += y[i] ? q[i] : 0.0;
        for (const auto& [found, truth] :
             {std::pair(messages[i], expected.sum_messages[i]), std::pair(highest[i], expected.max_messages[i])}) {
          if (std::isinf(static_cast<double>(truth))) {
            EXPECT_EQ(found, static_cast<double>(truth));
          } else {
            EXPECT_NEAR(found, static_cast<double>(truth), scale);
          }
        }
      }
      EXPECT_NEAR(value, static_cast<double>(expected.value), scale);
    }
}

TEST(RealKnapsack, ProjectsOnItsPolytope) {
  Random random(52);
  for (int repeat = 0; repeat < 300; ++repeat) {
    const int n = 1 + repeat % 12;
    const Knapsack k(n, random);
    const auto target = ratios(n, 2.0, 0.0, random);
    std::vector<double> u(target.size());
    EXPECT_EQ(RealKnapsackFactor(k.weights, k.capacity).project(target, 1.0, u), 0.0);
    const auto at = [&](double tau) {
      std::vector<double> point;
      for (std::size_t i = 0; i < target.size(); ++i) {
        point.push_back(std::clamp(target[i] - tau * k.weights[i], 0.0, 1.0));
      }
      return point;
    };
    const auto fits = [&](double tau) {
      const auto point = at(tau);
      double used = 0.0;
      for (std::size_t i = 0; i < point.size(); ++i) used += k.weights[i] * point[i];
      return used <= k.capacity;
    };
    double low = 0.0, high = fits(0.0) ? 0.0 : 100.0;
    for (int step = 0; step < 200; ++step) {
      const double middle = 0.5 * (low + high);
      (fits(middle) ? high : low) = middle;
    }
    const auto expected = at(high);
    for (std::size_t i = 0; i < u.size(); ++i) EXPECT_NEAR(u[i], expected[i], 1e-10);
  }
}

// Weights that are multiples of 1/64 are whole ones, 64 times as large.
TEST(RealKnapsack, FindsTheBestOfManyAsWholeWeightsDo) {
  Random random(53);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const std::size_t n = 60;
    std::vector<double> weights, q;
    std::vector<int> whole;
    for (std::size_t i = 0; i < n; ++i) {
      whole.push_back(std::uniform_int_distribution<int>(20, 400)(random));
      weights.push_back(whole.back() / 64.0);
      // Values in proportion to the weights make every choice nearly as good as another.
      q.push_back(repeat % 2 == 0 ? uniform(random, -1, 3) : weights.back() + uniform(random, -0.01, 0.01));
    }
    std::vector<std::uint8_t> y(n), same(n);
    const double found = RealKnapsackFactor(weights, 1000.0 / 64.0).best(q, y);
    EXPECT_NEAR(found, factor::KnapsackFactor(whole, 1000).best(q, same), 1e-9);
  }
}

TEST(RealKnapsack, IsTheSameRelaxationForAllSolvers) {
  Random random(54);
  int fractional = 0;
  for (int repeat = 0; repeat < 40; ++repeat) {
    FactorGraph graph;
    const Literals all = brute::literals(graph, 8);
    for (int i = 0; i < 8; ++i) graph.set_score(Variable{i}, uniform(random, 0, 2));
    for (int f = 0; f < 2; ++f) {
      Literals some;
      for (const Literal literal : all) {
        if (uniform(random, 0, 1) < 0.8) some.push_back(brute::random_sign(literal, random));
      }
      Knapsack k(static_cast<int>(some.size()), random);
      k.capacity = 0.5 * k.capacity + 2.0;
      graph.add_knapsack(some, k.weights, k.capacity);
    }
    graph.add_pair(all[0], all[1], uniform(random, -1, 1));
    const ExactResult truth = solve_exact(graph);
    if (truth.status == Status::infeasible) continue;
    EXPECT_NEAR(solve_ad3(graph, {.search = Search::exact}).value, truth.value, 1e-5);
    const MapResult ad3 = solve_ad3(graph, {.gap = 1e-8, .tolerance = 1e-8, .max_iterations = 100000});
    EXPECT_GE(ad3.bound, truth.value - 1e-9);
#if KIRCHHOFF_HAS_LP
    const MapResult lp = solve_lp(graph);
    ASSERT_EQ(lp.status, Status::converged);
    EXPECT_NEAR(solve_ilp(graph).value, truth.value, 1e-9);
    EXPECT_GE(ad3.bound, lp.bound - 1e-7);
    if (ad3.value < ad3.bound - 1e-6) {
      EXPECT_NEAR(ad3.bound, lp.bound, 1e-5);
    }
    fractional += lp.integral ? 0 : 1;
#endif
  }
#if KIRCHHOFF_HAS_LP
  EXPECT_GT(fractional, 5);
#endif
}

TEST(RealKnapsack, SaysWhatTakesTooLong) {
  Random random(55);
  std::vector<double> weights;
  for (int i = 0; i < 40; ++i) weights.push_back(uniform(random, 0.5, 1.0));
  const RealKnapsackFactor factor(weights, 15.0);
  std::vector<double> q(40, 0.1), messages(40);
  EXPECT_THROW(factor.sum_product(q, messages), InputError);
}

}  // namespace
}  // namespace kirchhoff
