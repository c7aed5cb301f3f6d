// HEAD as a linear program: the same integer points as the factor, and a bound where it is looser than the hull.
#include "dependency/parts.hpp"
#include "dependency/random_parts.hpp"
#include "dependency/second_order.hpp"
#include "kirchhoff/solve.hpp"

#include <gtest/gtest.h>

namespace kirchhoff::dependency {
namespace {

TEST(HeadRelaxation, HasTheFactorsIntegerPoints) {
  int integral = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    Random random(seed);
    constexpr int kWords = 4;
    const Candidates c = random_candidates(kWords, 0.8, graphs::random_tree(kWords, random), random);
    const DependencyParts parts = list_parts(kWords, c, kNextSiblings);
    const auto arc_scores = normal(c.size(), 1.0, random), part_scores = normal(parts.size(), 1.0, random);
    const FactorGraph graph = part_graph({parts, c, Root::single, arc_scores, part_scores});
    const ExactResult exact = solve_exact(graph);
    ASSERT_EQ(exact.status, Status::converged);
    const MapResult ilp = solve_ilp(graph);
    EXPECT_EQ(ilp.status, Status::converged);
    EXPECT_NEAR(ilp.value, exact.value, 1e-7);
    const MapResult lp = solve_lp(graph);
    EXPECT_GE(lp.bound, exact.value - 1e-7);
    integral += lp.integral ? 1 : 0;
    if (lp.integral) {
      EXPECT_NEAR(lp.value, exact.value, 1e-7);
    }
  }
  EXPECT_GT(integral, 0);
}

}  // namespace
}  // namespace kirchhoff::dependency
