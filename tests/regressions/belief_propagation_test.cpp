// Graphs on which belief propagation went wrong once: constants that grew, echoes, and convergence seen too early.
#include "kirchhoff/solve.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kirchhoff {
namespace {

constexpr Schedule kSchedules[] = {Schedule::flooding, Schedule::sequential, Schedule::residual};

void expect_exact(const FactorGraph& graph, const BpOptions& options) {
  const BpResult found = solve_bp(graph, options);
  const ExactResult exact = solve_exact(graph);
  EXPECT_EQ(found.status, Status::converged);
  for (int i = 0; i < graph.variables(); ++i) EXPECT_NEAR(found.marginals[i], exact.marginals[i], 1e-8);
  EXPECT_NEAR(found.log_partition, exact.log_partition, 1e-8);
}

/// Several TREE factors hold the head of one word as a whole; the graph has no loop.
TEST(BeliefPropagationRegression, ConstantsOfSeveralTreesDoNotGrow) {
  for (const int trees : {2, 3, 4}) {
    for (const Schedule schedule : kSchedules) {
      for (const double damping : {0.0, 0.3}) {
        FactorGraph graph;
        const Variable shared = graph.add_multi_valued(std::vector{5.0, 6.0});
        for (int t = 0; t < trees; ++t) {
          const Variable own = graph.add_multi_valued(std::vector{0.3 * t, 0.7});
          graph.add_tree(2,
                         {{{0, 1}, shared},
                          {{2, 1}, Variable{shared.index + 1}},
                          {{0, 2}, own},
                          {{1, 2}, Variable{own.index + 1}}},
                         Root::multi);
        }
        expect_exact(graph, {.schedule = schedule, .damping = damping});
      }
    }
  }
}

/// Two tables forbid the same value: neither may take back what it said because the other one says it too.
TEST(BeliefPropagationRegression, TwoFactorsMayExcludeTheSameValue) {
  for (const Schedule schedule : kSchedules) {
    FactorGraph graph;
    const std::vector<Variable> values = graph.add_values({0.0, 0.0, 0.0});
    const Literals all(values.begin(), values.end());
    for (int t = 0; t < 2; ++t) graph.add_table(std::vector<Literals>{all}, {-HUGE_VAL, 0.0, 0.0});
    expect_exact(graph, {.schedule = schedule});
  }
}

/// A value that another factor requires is no news to the factor that holds the variable.
TEST(BeliefPropagationRegression, ARequiredValueIsNotEchoed) {
  for (const Schedule schedule : kSchedules) {
    FactorGraph graph;
    const std::vector<Variable> values = graph.add_values({0.2, 0.5, -0.1});
    graph.add_table(std::vector<Literals>{Literals(values.begin(), values.end())}, {0.3, 0.1, 0.2});
    graph.add_or({values[1]});
    expect_exact(graph, {.schedule = schedule});
  }
}

/// The first beliefs are near 0, as what they are compared with was: that is no convergence.
TEST(BeliefPropagationRegression, FirstBeliefsAreNotConverged) {
  for (const Schedule schedule : kSchedules) {
    FactorGraph graph;
    const Variable a = graph.add_variable(0.0), b = graph.add_variable(-40.0);
    graph.add_or({a, b});
    graph.add_or({!a});
    expect_exact(graph, {.schedule = schedule, .convergence = Convergence::beliefs});
  }
}

/// A message that is nearly certain changed by much, and its probability by little; then it met its opposite.
TEST(BeliefPropagationRegression, SaturatedMessagesHaveNotConverged) {
  for (const Schedule schedule : kSchedules) {
    FactorGraph graph;
    const Variable a = graph.add_variable(-40.0), b = graph.add_variable(0.0), c = graph.add_variable(0.0);
    graph.add_pair(a, b, 45.0);
    graph.add_table(Literals{b}, {0.0, -15.0});
    graph.add_pair(a, c, 5.0);
    expect_exact(graph, {.schedule = schedule});
  }
}

/// Energy and entropy are as large as the scores, and log Z was what was left of their digits.
TEST(BeliefPropagationRegression, LogPartitionIsNotBelowTheValue) {
  for (const double large : {1e6, 1e8, 1e10, 1e12, 1e15, 1e50}) {
    FactorGraph tie;
    const Variable a = tie.add_variable(-6.0 * large), b = tie.add_variable(31.0 * large);
    tie.add_pair(a, b, 6.0 * large);
    FactorGraph penalties;
    const Variable c = penalties.add_variable(0.3), d = penalties.add_variable(0.7), e = penalties.add_variable(-0.2);
    penalties.add_pair(c, d, -large);
    penalties.add_table(Literals{d, e}, {0.1, -large, 0.4, 0.2});
    for (const FactorGraph* graph : {&tie, &penalties}) {
      const BpResult found = solve_bp(*graph);
      const ExactResult exact = solve_exact(*graph);
      EXPECT_EQ(found.status, Status::converged);
      EXPECT_GE(found.log_partition, found.value);
      EXPECT_NEAR(found.log_partition, exact.log_partition, 1e-9 + 1e-15 * std::abs(exact.value)) << large;
    }
  }
}

/// Messages that grow from round to round end the iteration; they are no proof that there is no assignment.
TEST(BeliefPropagationRegression, DivergingMessagesAreNoContradiction) {
  for (const Schedule schedule : kSchedules) {
    for (const Product product : {Product::sum, Product::max}) {
      FactorGraph graph;
      const Variable a = graph.add_variable(-0.7), b = graph.add_variable(-1.0);
      for (int copy = 0; copy < 3; ++copy) graph.add_xor({a, b});
      const BpResult found = solve_bp(graph, {.product = product, .schedule = schedule, .max_iterations = 100000});
      EXPECT_TRUE(found.status == Status::iteration_limit || found.status == Status::converged);
      EXPECT_TRUE(std::isfinite(found.log_partition));
      for (const double p : found.marginals) EXPECT_FALSE(std::isnan(p));
      for (const double m : found.messages) EXPECT_LT(std::abs(m), 1e50);
    }
  }
}

}  // namespace
}  // namespace kirchhoff
