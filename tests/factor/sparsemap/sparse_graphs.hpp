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

/// A configuration of the factor's own inputs, from that of the literals that it was given.
inline Assignment own_inputs(const FactorGraph& graph, int f, Assignment y) {
  for (std::size_t k = 0; k < y.size(); ++k) {
    if (graph.is_turned(graph.first_edge(f) + static_cast<int>(k))) y[k] = y[k] != 0 ? 0 : 1;
  }
  return y;
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
    double mean = 0.0;
    for (std::size_t k = 0; k < p.factors[f].weights.size(); ++k) {
      mean += p.factors[f].weights[k] * graph.factor(f).score(own_inputs(graph, f, p.factors[f].configurations[k]));
    }
    EXPECT_NEAR(mean, p.factors[f].score, 1e-9 * (1.0 + std::abs(mean)));
    value += mean;
  }
  return value;
}

/// Every factor's mixture has the mean u.
inline void expect_mixtures(const FactorGraph& graph, const SparseGraph& p, double tolerance) {
  ASSERT_EQ(p.factors.size(), static_cast<std::size_t>(graph.factors()));
  for (int f = 0; f < graph.factors(); ++f) {
    std::vector<double> mean(static_cast<std::size_t>(graph.factor(f).arity()), 0.0);
    double sum = 0.0;
    ASSERT_EQ(p.factors[f].configurations.size(), p.factors[f].weights.size());
    for (std::size_t c = 0; c < p.factors[f].weights.size(); ++c) {
      const Assignment& y = p.factors[f].configurations[c];
      const double weight = p.factors[f].weights[c];
      ASSERT_EQ(y.size(), mean.size());
      EXPECT_NE(graph.factor(f).score(own_inputs(graph, f, y)), -HUGE_VAL);
      EXPECT_GT(weight, 0.0);
      if (c > 0) {
        EXPECT_LE(weight, p.factors[f].weights[c - 1]);
      }
      sum += weight;
      for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += weight * y[k];
    }
    ASSERT_EQ(p.factors[f].inputs.size(), mean.size());
    EXPECT_NEAR(sum, 1.0, 1e-12);
    for (std::size_t k = 0; k < mean.size(); ++k) {
      const int e = graph.first_edge(f) + static_cast<int>(k);
      const double u = p.marginals[graph.edge(e).variable];
      EXPECT_NEAR(mean[k], p.factors[f].inputs[k], 1e-12);
      EXPECT_NEAR(mean[k], graph.edge(e).negated != graph.is_turned(e) ? 1.0 - u : u, tolerance)
          << graph.factor(f).name();
    }
  }
}

}  // namespace kirchhoff::brute
