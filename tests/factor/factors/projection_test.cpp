// Projections against a quadratic program solved another way: Frank-Wolfe over all configurations, listed.
#include "factor/ad3/active_set.hpp"
#include "factor/ad3/table_set.hpp"
#include "factor/graphs.hpp"

#include <gtest/gtest.h>

namespace kirchhoff {
namespace {

using brute::Random;
using brute::uniform;

struct Listed {
  std::vector<std::vector<std::uint8_t>> configurations;
  std::vector<double> scores;
  explicit Listed(const Factor& factor) {
    const auto n = static_cast<std::size_t>(factor.arity());
    for (std::size_t e = 0; e < std::size_t{1} << n; ++e) {
      const auto y = brute::bits(e, n);
      if (factor.score(y) == -HUGE_VAL) continue;
      configurations.push_back(y);
      scores.push_back(factor.score(y));
    }
  }
};

struct Mixture {
  std::vector<double> u;
  double score = 0.0;
};

double objective(const std::vector<double>& target, double weight, const Mixture& m) {
  double sum = -weight * m.score;
  for (std::size_t i = 0; i < target.size(); ++i) sum += 0.5 * (m.u[i] - target[i]) * (m.u[i] - target[i]);
  return sum;
}

/// How much better than u a step towards configuration k is, to first order.
double slope(const Listed& all, std::size_t k, const std::vector<double>& target, double weight, const Mixture& m) {
  double sum = weight * (all.scores[k] - m.score);
  for (std::size_t i = 0; i < target.size(); ++i) sum += (target[i] - m.u[i]) * (all.configurations[k][i] - m.u[i]);
  return sum;
}

/// Pairwise Frank-Wolfe: weight moves from the worst configuration in use to the best one.
Mixture reference(const Listed& all, const std::vector<double>& target, double weight) {
  const std::size_t n = target.size();
  std::vector<double> a(all.scores.size(), 0.0);
  a[0] = 1.0;
  Mixture m;
  const auto mix = [&] {
    m = {std::vector<double>(n, 0.0), 0.0};
    for (std::size_t k = 0; k < a.size(); ++k) {
      m.score += a[k] * all.scores[k];
      for (std::size_t i = 0; i < n; ++i) m.u[i] += a[k] * all.configurations[k][i];
    }
  };
  for (int step = 0; step < 4000; ++step) {
    mix();
    std::size_t best = 0, worst = a.size();
    for (std::size_t k = 0; k < a.size(); ++k) {
      if (slope(all, k, target, weight, m) > slope(all, best, target, weight, m)) best = k;
      if (a[k] > 0.0 && (worst == a.size() || slope(all, k, target, weight, m) < slope(all, worst, target, weight, m)))
        worst = k;
    }
    const double gain = slope(all, best, target, weight, m) - slope(all, worst, target, weight, m);
    if (gain < 1e-11) break;
    double square = 0.0;
    for (std::size_t i = 0; i < n; ++i)
      square += all.configurations[best][i] != all.configurations[worst][i] ? 1.0 : 0.0;
    const double move = std::min(a[worst], square > 0.0 ? gain / square : a[worst]);
    a[best] += move;
    a[worst] -= move;
  }
  mix();
  return m;
}

void expect_projection(const Factor& factor, const Listed& all, const std::vector<double>& target, double weight,
                       const Mixture& found) {
  // Optimal within the hull: no configuration is a way down.
  for (std::size_t k = 0; k < all.scores.size(); ++k) EXPECT_LE(slope(all, k, target, weight, found), 1e-8);
  // And within the hull: a point outside it could be lower than the best inside.
  const Mixture expected = reference(all, target, weight);
  EXPECT_NEAR(objective(target, weight, found), objective(target, weight, expected), 1e-6);
  for (std::size_t i = 0; i < target.size(); ++i) EXPECT_NEAR(found.u[i], expected.u[i], 2e-3) << factor.name();
}

TEST(Projection, AgreesWithAnotherMethod) {
  Random random(31);
  int tables = 0;
  for (int n = 1; n <= 7; ++n)
    for (const brute::Named& named : brute::all_factors(n, random)) {
      const Factor& factor = named.graph.factor(0);
      const Listed all(factor);
      const auto arity = static_cast<std::size_t>(factor.arity());
      factor::ActiveSet active;
      std::optional<factor::TableSet> table = factor::TableSet::of(factor);
      for (int repeat = 0; repeat < 6; ++repeat) {
        SCOPED_TRACE(testing::Message() << named.name << ", n = " << n);
        const double weight = uniform(random, 0.05, 1.0);
        std::vector<double> target(arity);
        for (double& t : target) t = uniform(random, -0.7, 1.7);
        Mixture found{std::vector<double>(arity), 0.0};
        if (const auto score = factor.project(target, weight, found.u)) {
          found.score = *score;
          expect_projection(factor, all, target, weight, found);
        }
        // Tables over two variables have a method of their own.
        if (table) {
          found.score = table->project(target, weight, found.u, 1000);
          EXPECT_TRUE(table->is_optimal());
          expect_projection(factor, all, target, weight, found);
          ++tables;
        }
        // The general method is right for every factor, and with what it kept from the last target.
        found.score = active.project(factor, target, weight, found.u);
        expect_projection(factor, all, target, weight, found);
        if (testing::Test::HasFailure()) return;
      }
    }
  EXPECT_EQ(tables, 8 * 6);
}

TEST(Projection, OfAPointInTheHullIsThePoint) {
  FactorGraph graph;
  graph.add_or_out(brute::literals(graph, 3), graph.add_variable());
  std::vector<double> u(4);
  const std::vector<double> inside = {0.5, 0.25, 0.0, 0.7};
  graph.factor(0).project(inside, 1.0, u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(u[i], inside[i], 1e-12);
}

}  // namespace
}  // namespace kirchhoff
