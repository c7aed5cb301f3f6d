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

}  // namespace
}  // namespace kirchhoff
