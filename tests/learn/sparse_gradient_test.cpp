// Derivatives of LP-SparseMAP by all scores of a graph, by finite differences of the graph with other scores. u is
// piecewise linear, so quotients are exact but for rounding, unless there is a kink within the step.
#include "learn/graph_problems.hpp"

#include <gtest/gtest.h>

namespace kirchhoff {
namespace {

constexpr double kStep = 1e-4;

std::vector<double> marginals(const FactorGraph& graph) {
  const SparseGraph p = lp_sparsemap(graph, {.tolerance = 1e-12, .max_iterations = 200000});
  EXPECT_EQ(p.status, Status::converged);
  return p.marginals;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Every number that the graph is made of is moved, one by one; counts quotients that are not 0, and kinks.
void expect_gradient(const Problem& problem, const std::vector<double>& loss, int& checked, int& kinks) {
  const FactorGraph graph = problem.build(problem.scores);
  const SparseGraph p = lp_sparsemap(graph, {.tolerance = 1e-12, .max_iterations = 200000});
  ASSERT_EQ(p.status, Status::converged);
  const GraphScores found = gradient_by_scores(graph, p, loss);
  std::vector<double> all = found.variables;
  ASSERT_EQ(found.factors.size(), problem.scores.factors.size());
  for (std::size_t f = 0; f < found.factors.size(); ++f) {
    ASSERT_EQ(found.factors[f].size(), problem.scores.factors[f].size());
    all.insert(all.end(), found.factors[f].begin(), found.factors[f].end());
  }
  const double middle = dot(loss, marginals(graph));
  for (std::size_t i = 0; i < all.size(); ++i) {
    Scores moved = problem.scores;
    double& x = *moved.all()[i];
    const double own = x;
    x = own + kStep;
    const double high = dot(loss, marginals(problem.build(moved)));
    x = own - kStep;
    const double low = dot(loss, marginals(problem.build(moved)));
    if (std::abs(high + low - 2.0 * middle) > 1e-3 * kStep) {
      ++kinks;
      continue;
    }
    EXPECT_NEAR(all[i], (high - low) / (2.0 * kStep), 1e-6) << "number " << i;
    checked += std::abs(high - low) > 1e-6;
  }
}

TEST(SparseGradient, ByVariablesPairsTablesAndFactorsOfOnesOwn) {
  Random random(61);
  int checked = 0, kinks = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    for (Problem problem : {without_loops(seed), with_loops(seed, 0.5)}) {
      for (double* x : problem.scores.all()) *x *= 0.4;  // or all factors mix one configuration only
      expect_gradient(problem, random.normal(problem.scores.variables.size()), checked, kinks);
    }
  }
  EXPECT_GT(checked, 200);
  EXPECT_LT(kinks, checked / 10);
}

}  // namespace
}  // namespace kirchhoff
