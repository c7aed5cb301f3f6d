// Graphs for which AD3 once gave the wrong point.
#include "factor/graphs.hpp"

#include <gtest/gtest.h>

namespace kirchhoff {
namespace {

/// The point was that of the last iterate when the assignment had closed the gap.
TEST(SolveRegression, ThePointOfAd3IsTheOneThatProvesTheValue) {
  brute::Random random(41);
  int closed = 0;
  for (int repeat = 0; repeat < 200; ++repeat) {
    const FactorGraph graph = brute::random_loopy_graph(8, 7, random);
    const MapResult r = solve_ad3(graph);
    if (r.status != Status::converged || r.bound - r.value > 1e-6 * std::max(1.0, std::abs(r.bound))) continue;
    ++closed;
    EXPECT_TRUE(r.integral);
    EXPECT_EQ(r.point, std::vector<double>(r.assignment.begin(), r.assignment.end()));
  }
  EXPECT_GT(closed, 100);
}

}  // namespace
}  // namespace kirchhoff
