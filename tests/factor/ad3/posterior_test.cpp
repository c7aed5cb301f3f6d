// What AD3 tells besides its answer: duals that prove the bound, and each factor's mixture of configurations.
#include "factor/graphs.hpp"

#include <gtest/gtest.h>

namespace kirchhoff {
namespace {

using brute::Random;
using brute::uniform;

/// Weak duality, from the graph and the duals alone.
double bound_of(const FactorGraph& graph, const Messages& duals) {
  double bound = 0.0;
  std::vector<double> rest = graph.scores();
  for (int f = 0; f < graph.factors(); ++f) {
    std::vector<double> q;
    for (int e = graph.first_edge(f); e < graph.first_edge(f + 1); ++e) {
      const Literal literal = graph.edge(e);
      rest[literal.variable] -= duals[e];
      q.push_back(literal.negated ? -duals[e] : duals[e]);
      if (literal.negated) bound += duals[e];  // q y = q - q (1 - y)
    }
    std::vector<std::uint8_t> y(q.size());
    bound += graph.factor(f).best(q, y);
  }
  for (const double r : rest) bound += std::max(0.0, r);
  return bound;
}

FactorGraph random_values_graph(Random& random) {
  FactorGraph graph;
  std::vector<Literals> variables;
  for (int v = 0; v < 5; ++v) {
    const auto values = graph.add_values({uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1)});
    variables.emplace_back(values.begin(), values.end());
  }
  for (int v = 0; v < 5; ++v) {
    std::vector<double> table(9);
    for (double& x : table) x = uniform(random, -1, 1);
    graph.add_table(std::vector<Literals>{variables[v], variables[(v + 1) % 5]}, table);
  }
  return graph;
}

/// Graphs of all kinds of factors, with negated literals, pairs that sleep, and variables that can only be 0.
std::vector<FactorGraph> some_graphs(unsigned seed) {
  Random random(seed);
  std::vector<FactorGraph> graphs;
  for (int repeat = 0; repeat < 40; ++repeat) graphs.push_back(brute::random_loopy_graph(9, 8, random));
  for (int repeat = 0; repeat < 8; ++repeat) graphs.push_back(random_values_graph(random));
  for (const int words : {3, 5, 8}) {
    graphs.push_back(dependency_graph(brute::random_second_order(words, Root::single, 1.0, random)).graph);
  }
  for (int repeat = 0; repeat < 10; ++repeat) {
    FactorGraph graph;
    Literals all;
    for (int i = 0; i < 6; ++i) all.push_back(graph.add_variable(i == 2 ? -HUGE_VAL : uniform(random, -1, 1)));
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < i; ++j) {
        graph.add_pair(brute::random_sign(all[i], random), brute::random_sign(all[j], random), uniform(random, -2, 2));
      }
    }
    if (repeat % 2 == 0) graph.add_or({all[2], all[3], !all[4]});
    graphs.push_back(std::move(graph));
  }
  return graphs;
}

TEST(Duals, GiveTheBound) {
  int solved = 0;
  for (const FactorGraph& graph : some_graphs(41))
    for (const int iterations : {1, 10, 60, 20000}) {
      const MapResult r = solve_ad3(graph, {.max_iterations = iterations});
      if (r.status == Status::infeasible) {
        EXPECT_TRUE(r.duals.empty());
        continue;
      }
      ++solved;
      ASSERT_EQ(static_cast<int>(r.duals.size()), graph.edges());
      const double size = std::max(1.0, std::abs(r.bound));
      const double again = bound_of(graph, r.duals);
      EXPECT_NEAR(again, r.bound, 1e-9 * size) << "after " << iterations;
      EXPECT_GE(again, (graph.variables() < 16 ? solve_exact(graph).value : r.value) - 1e-9 * size);
    }
  EXPECT_GT(solved, 200);
}

TEST(Duals, AreThoseBeforeBranching) {
  Random random(42);
  const FactorGraph graph = dependency_graph(brute::random_second_order(6, Root::single, 2.0, random)).graph;
  const MapResult relaxed = solve_ad3(graph), exact = solve_ad3(graph, {.search = Search::exact});
  ASSERT_LT(exact.bound, relaxed.bound - 1e-3) << "a graph that is branched on";
  EXPECT_EQ(exact.duals, relaxed.duals);
}

TEST(FactorPosterior, IsAMixtureWithThePointForItsMean) {
  int fractional = 0;
  for (const FactorGraph& graph : some_graphs(43)) {
    const MapResult r = solve_ad3(graph, {.gap = 1e-9, .tolerance = 1e-9, .max_iterations = 200000});
    if (r.status != Status::converged) continue;
    fractional += r.integral ? 0 : 1;
    double value = 0.0;
    for (int i = 0; i < graph.variables(); ++i) {
      if (graph.scores()[i] != -HUGE_VAL) value += graph.scores()[i] * r.point[i];
    }
    for (int f = 0; f < graph.factors(); ++f) {
      SCOPED_TRACE(graph.factor(f).name());
      const FactorPosterior posterior = factor_posterior(graph, r, f);
      const auto n = static_cast<std::size_t>(graph.factor(f).arity());
      std::vector<double> mean(n, 0.0);
      double weight = 0.0, score = 0.0;
      for (std::size_t k = 0; k < posterior.weights.size(); ++k) {
        Assignment y = posterior.configurations[k];
        for (std::size_t i = 0; i < n; ++i) mean[i] += posterior.weights[k] * y[i];
        for (std::size_t i = 0; i < n; ++i) y[i] ^= graph.is_turned(graph.first_edge(f) + static_cast<int>(i)) ? 1 : 0;
        EXPECT_GT(posterior.weights[k], 0.0);
        if (k > 0) {
          EXPECT_LE(posterior.weights[k], posterior.weights[k - 1]);
        }
        ASSERT_NE(graph.factor(f).score(y), -HUGE_VAL) << "allowed";
        weight += posterior.weights[k];
        score += posterior.weights[k] * graph.factor(f).score(y);
      }
      EXPECT_NEAR(weight, 1.0, 1e-9);
      EXPECT_NEAR(posterior.score, score, 1e-9);
      for (std::size_t i = 0; i < n; ++i) {
        const int e = graph.first_edge(f) + static_cast<int>(i);
        const Literal literal = graph.is_turned(e) ? !graph.edge(e) : graph.edge(e);
        EXPECT_NEAR(posterior.inputs[i], mean[i], 1e-9);
        const double p = r.point[literal.variable];
        EXPECT_NEAR(posterior.inputs[i], literal.negated ? 1.0 - p : p, 1e-5);
      }
      value += posterior.score;
    }
    EXPECT_NEAR(value, r.bound, 1e-4 * std::max(1.0, std::abs(r.bound))) << "no better mixtures have this mean";
  }
  EXPECT_GT(fractional, 5);
}

TEST(FactorPosterior, NeedsAResultOfTheGraph) {
  FactorGraph graph;
  graph.add_or({graph.add_variable(1.0), graph.add_variable(-1.0)});
  const MapResult r = solve_ad3(graph);
  EXPECT_EQ(factor_posterior(graph, r, 0).configurations, (std::vector<Assignment>{{1, 0}}));
  EXPECT_THROW(factor_posterior(graph, r, 1), InputError);
  EXPECT_THROW(factor_posterior(graph, r, -1), InputError);
  EXPECT_THROW(factor_posterior(graph, MapResult{}, 0), InputError);
}

// A gap alone decides, and the bound is as near the relaxation's optimum as it says, also where no assignment is near
// it and variables are in several factors.
TEST(SolveAd3, ALooserGapStopsEarlier) {
  Random random(44);
  int fractional = 0, violated = 0;
  std::vector<double> iterations(4, 0.0);
  const double gaps[] = {1e-6, 1e-4, 1e-2, 1e-1};
  for (int repeat = 0; repeat < 300; ++repeat) {
    const FactorGraph graph = brute::random_loopy_graph(10, 12, random);
    double optimum = 0.0;
    for (std::size_t g = 0; g < 4; ++g) {
      const MapResult r = solve_ad3(graph, {.gap = gaps[g], .max_iterations = 100000});
      if (r.status == Status::infeasible) break;
      ASSERT_EQ(r.status, Status::converged);
      if (g == 0) optimum = r.bound;
      iterations[g] += r.iterations;
      fractional += g == 0 && !r.integral ? 1 : 0;
      violated += r.bound - optimum > gaps[g] * std::max(1.0, std::abs(r.bound)) ? 1 : 0;
    }
  }
  EXPECT_GT(fractional, 30);
  EXPECT_EQ(violated, 0);
  for (std::size_t g = 1; g < 4; ++g) EXPECT_LT(iterations[g], 0.8 * iterations[g - 1]) << gaps[g];
}

}  // namespace
}  // namespace kirchhoff
