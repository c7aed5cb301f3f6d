// Graphs for which linear and integer programs once gave a wrong answer as proved.
#include "kirchhoff/solve.hpp"

#include <gtest/gtest.h>

namespace kirchhoff {
namespace {

FactorGraph with_penalty(double penalty) {
  FactorGraph graph;
  const Variable a = graph.add_variable(-0.4), b = graph.add_variable(1.2);
  graph.add_pair(b, a, -penalty);
  return graph;
}

/// Beside such a penalty all other scores were within the linear programming solver's tolerances.
TEST(SolveRegression, LargePenaltiesHideNothing) {
  for (const double penalty : {1e4, 1e5, 1e6, 1e7, 1e8, 1e10, 1e12, 1e50, 1e100}) {
    const FactorGraph graph = with_penalty(penalty);
    for (const MapResult& r : {solve_lp(graph), solve_ilp(graph)}) {
      EXPECT_EQ(r.status, Status::converged) << penalty;
      EXPECT_EQ(r.assignment, (Assignment{0, 1})) << penalty;
      EXPECT_EQ(r.value, 1.2);
      EXPECT_NEAR(r.bound, 1.2, 1e-12);
    }
  }
}

/// A score that is small beside others in another part of the graph counts there.
TEST(SolveRegression, SmallScoresBesideLargeOnes) {
  for (const double large : {1e3, 1e6, 1e9}) {
    FactorGraph graph = with_penalty(1e12);
    const Variable c = graph.add_variable(large), d = graph.add_variable(large + 1.0);
    graph.add_xor({c, d});
    for (const MapResult& r : {solve_lp(graph), solve_ilp(graph)}) {
      EXPECT_EQ(r.status, Status::converged) << large;
      EXPECT_EQ(r.assignment, (Assignment{0, 1, 0, 1})) << large;
    }
  }
}

}  // namespace
}  // namespace kirchhoff
