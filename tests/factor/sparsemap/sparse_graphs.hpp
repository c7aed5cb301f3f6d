// What the tests of LP-SparseMAP share: a graph with other scores, and what a result says of itself.
#pragma once

#include "factor/graphs.hpp"
#include "kirchhoff/sparsemap.hpp"

#include <gtest/gtest.h>

namespace kirchhoff::brute {

/// The same graph with other scores of variables; valid while `graph` is.
inline FactorGraph with_variable_scores(const FactorGraph& graph, const std::vector<double>& scores) {
  FactorGraph result;
  for (const double s : scores) result.add_variable(s);
  for (int f = 0; f < graph.factors(); ++f) {
    Literals literals;
    for (int e = graph.first_edge(f); e < graph.first_edge(f + 1); ++e) literals.push_back(graph.edge(e));
    result.add_factor({std::shared_ptr<const void>(), &graph.factor(f)}, literals);
  }
  return result;
}

/// s - u, and -inf where the score is.
inline std::vector<double> slopes_of(const FactorGraph& graph, const SparseGraph& p) {
  std::vector<double> slopes = graph.scores();
  for (std::size_t i = 0; i < slopes.size(); ++i) slopes[i] -= p.marginals[i];
  return slopes;
}

/// (s - u).u + the factors' scores of u: what the best assignment must not exceed under s - u.
inline double own_value(const FactorGraph& graph, const SparseGraph& p) {
  double value = 0.0;
  for (int i = 0; i < graph.variables(); ++i) {
    if (graph.scores()[i] != -HUGE_VAL) value += (graph.scores()[i] - p.marginals[i]) * p.marginals[i];
  }
  for (int f = 0; f < graph.factors(); ++f) {
    for (const SparseConfiguration& c : p.factors[f]) value += c.probability * graph.factor(f).score(c.inputs);
  }
  return value;
}

/// Every factor's mixture has the mean u.
inline void expect_mixtures(const FactorGraph& graph, const SparseGraph& p, double tolerance) {
  ASSERT_EQ(p.factors.size(), static_cast<std::size_t>(graph.factors()));
  for (int f = 0; f < graph.factors(); ++f) {
    std::vector<double> mean(static_cast<std::size_t>(graph.factor(f).arity()), 0.0);
    double sum = 0.0;
    for (const SparseConfiguration& c : p.factors[f]) {
      ASSERT_EQ(c.inputs.size(), mean.size());
      EXPECT_NE(graph.factor(f).score(c.inputs), -HUGE_VAL);
      EXPECT_GT(c.probability, 0.0);
      sum += c.probability;
      for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += c.probability * c.inputs[k];
    }
    EXPECT_NEAR(sum, 1.0, 1e-12);
    for (std::size_t k = 0; k < mean.size(); ++k) {
      const Literal literal = graph.edge(graph.first_edge(f) + static_cast<int>(k));
      const double u = p.marginals[literal.variable];
      EXPECT_NEAR(mean[k], literal.negated ? 1.0 - u : u, tolerance) << graph.factor(f).name();
    }
  }
}

}  // namespace kirchhoff::brute
