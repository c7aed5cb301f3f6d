// What belief propagation makes of certainties: facts that several factors know, and those that rounding makes up.
#include "kirchhoff/solve.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kirchhoff {
namespace {

constexpr Schedule kSchedules[] = {Schedule::flooding, Schedule::sequential, Schedule::residual};

TEST(Certainty, IsNotTakenBackWhenOthersHaveItToo) {
  FactorGraph graph;
  const Variable a = graph.add_variable(0.5), b = graph.add_variable(-1.0);
  for (int repeat = 0; repeat < 3; ++repeat) graph.add_tree(1, {{{0, 1}, a}}, Root::single);
  graph.add_pair(a, b, 2.0);
  for (const Product product : {Product::sum, Product::max})
    for (const Schedule schedule : kSchedules)
      for (const double damping : {0.0, 0.3}) {
        const BpResult result = solve_bp(graph, {product, schedule, damping});
        EXPECT_EQ(result.status, Status::converged);
        EXPECT_EQ(result.marginals[a.index], 1.0);
        EXPECT_NEAR(result.marginals[b.index], 1.0 / (1.0 + std::exp(-1.0)), 1e-8);
        const double log_z = product == Product::sum ? 0.5 + std::log1p(std::exp(1.0)) : 0.0;
        EXPECT_NEAR(result.log_partition, log_z, 1e-8);
      }
}

// With scores of 1e15 a tree's unlikely arc has a probability of 0, which is not to say that it is forbidden.
TEST(Certainty, MadeUpByRoundingDoesNotProveInfeasibility) {
  FactorGraph graph;
  std::vector<Variable> v;
  for (const double s : {-1.2e14, 1e15, 8.5e14, -6.1e14, -1.8e14, -8.6e14, 3e15, -3.1e14})
    v.push_back(graph.add_variable(s));
  graph.add_tree(2, {{{0, 1}, v[6]}, {{0, 2}, v[7]}, {{1, 2}, v[1]}, {{2, 1}, v[5]}}, Root::single);
  graph.add_or_out({v[4], v[6]}, !v[7]);
  graph.add_table(Literals{v[1]}, {-1.3e14, 5.9e14});
  graph.add_xor_out({v[1], v[4], v[3], !v[5]}, !v[2]);
  graph.add_at_most_one({v[6], !v[2], v[3]});
  graph.add_pair(v[6], !v[7], 6.5e14);
  ASSERT_EQ(solve_exact(graph).status, Status::converged);
  for (const Schedule schedule : kSchedules) {
    const BpResult result = solve_bp(graph, {.schedule = schedule});
    EXPECT_NE(result.status, Status::infeasible);
    EXPECT_FALSE(std::isnan(result.log_partition));
    for (const double p : result.marginals) EXPECT_TRUE(p >= 0.0 && p <= 1.0);
  }
}

// Damped messages come nearer by ever smaller steps, the last of them smaller than the rounding of a large score.
TEST(Certainty, OfALargeScoreIsNoExcuseToStopEarly) {
  FactorGraph graph;
  const Variable never = graph.add_variable(-9e11), a = graph.add_variable(-0.95), b = graph.add_variable(0.0);
  graph.add_xor({never, a, b});
  for (const Schedule schedule : kSchedules) {
    const BpResult result = solve_bp(graph, {.schedule = schedule, .damping = 0.3});
    EXPECT_EQ(result.status, Status::converged);
    EXPECT_NEAR(result.marginals[b.index], 1.0 / (1.0 + std::exp(-0.95)), 1e-8);
  }
}

}  // namespace
}  // namespace kirchhoff
