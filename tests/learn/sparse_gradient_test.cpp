// Derivatives of LP-SparseMAP by all scores of a graph, by finite differences of the graph with other scores. u is
// piecewise linear, so quotients are exact but for rounding, unless there is a kink within the step.
#include "learn/part_problems.hpp"

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

// SEQUENCE, HEAD and ROOTED-TREE, whose scores are of parts of their configurations.
TEST(SparseGradient, ByPartsOfFactors) {
  Random random(63);
  int checked = 0, kinks = 0;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    for (Problem problem : {parts_without_loops(seed), parts_with_loops(seed, 0.5)}) {
      for (double* x : problem.scores.all()) *x *= 0.4;
      expect_gradient(problem, random.normal(problem.scores.variables.size()), checked, kinks);
    }
  }
  EXPECT_GT(checked, 200);
  EXPECT_LT(kinks, checked / 10);
}

// A factor of one's own that takes the place of a NAND has the NAND's inputs, which are the opposites of its literals.
TEST(SparseGradient, OfAFactorInThePlaceOfANand) {
  Random random(64);
  int checked = 0, kinks = 0;
  for (int repeat = 0; repeat < 10; ++repeat) {
    Problem problem;
    problem.scores = {random.normal(3, 0.3), {random.normal(8, 0.3)}};
    problem.build = [](const Scores& s) {
      FactorGraph g;
      Literals literals;
      for (const double score : s.variables) literals.push_back(g.add_variable(score));
      g.add_nand({literals[0], !literals[1], literals[2]});
      g.set_factor(0, std::make_shared<OwnFactor>(3, s.factors[0]));
      return g;
    };
    expect_gradient(problem, random.normal(3), checked, kinks);
  }
  EXPECT_GT(checked, 20);
  EXPECT_LT(kinks, checked / 4);
}

// All numbers move at once, forwards; backwards is the transpose.
TEST(SparseGradient, Forwards) {
  Random random(62);
  int checked = 0, kinks = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    for (Problem problem : {without_loops(seed), with_loops(seed, 0.5)}) {
      for (double* x : problem.scores.all()) *x *= 0.4;
      const FactorGraph graph = problem.build(problem.scores);
      const SparseGraph p = lp_sparsemap(graph, {.tolerance = 1e-12, .max_iterations = 200000});
      ASSERT_EQ(p.status, Status::converged);
      Scores direction = problem.scores;
      for (double* x : direction.all()) *x = random.normal(1)[0];
      const std::vector<double> found = marginals_along(graph, p, GraphScores{direction.variables, direction.factors});
      const std::vector<double> loss = random.normal(found.size());
      const GraphScores back = gradient_by_scores(graph, p, loss);
      double transposed = dot(back.variables, direction.variables);
      for (std::size_t f = 0; f < back.factors.size(); ++f) transposed += dot(back.factors[f], direction.factors[f]);
      EXPECT_NEAR(dot(loss, found), transposed, 1e-9 * (1.0 + std::abs(transposed)));
      const auto at = [&](double step) {
        Scores moved = problem.scores;
        for (std::size_t i = 0; i < moved.all().size(); ++i) *moved.all()[i] += step * *direction.all()[i];
        return marginals(problem.build(moved));
      };
      const std::vector<double> low = at(-kStep), high = at(kStep), middle = at(0.0);
      double bend = 0.0;
      for (std::size_t i = 0; i < low.size(); ++i) bend += std::abs(low[i] + high[i] - 2.0 * middle[i]);
      if (bend > 1e-3 * kStep) {
        ++kinks;
        continue;
      }
      for (std::size_t i = 0; i < low.size(); ++i) {
        EXPECT_NEAR(found[i], (high[i] - low[i]) / (2.0 * kStep), 1e-6) << "variable " << i;
        checked += std::abs(high[i] - low[i]) > 1e-6;
      }
    }
  }
  EXPECT_GT(checked, 100);
  EXPECT_LT(kinks, 10);
}

TEST(SparseGradient, BadDirections) {
  FactorGraph graph;
  const Variable a = graph.add_variable(0.1), b = graph.add_variable(0.2);
  graph.add_xor({a, b});
  graph.add_pair(a, b, 0.3);
  const SparseGraph p = lp_sparsemap(graph);
  EXPECT_EQ(marginals_along(graph, p, GraphScores{{1.0, 1.0}, {}}).size(), 2u);
  const std::vector<GraphScores> bad = {{{1.0}, {}},
                                        {{1.0, std::nan("")}, {}},
                                        {{1.0, 1.0}, {{}}},
                                        {{1.0, 1.0}, {{1.0}, {}}},
                                        {{1.0, 1.0}, {{}, {1.0, 2.0}}},
                                        {{1.0, 1.0}, {{}, {kInf}}}};
  for (const GraphScores& direction : bad) EXPECT_THROW(marginals_along(graph, p, direction), InputError);
  EXPECT_THROW(marginals_along(graph, p, SparseGradient{{1.0, 1.0}, {}}), InputError);
}

}  // namespace
}  // namespace kirchhoff
