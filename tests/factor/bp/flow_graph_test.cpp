// The graph of [Martins10, appendix B], on which belief propagation has no fixed point to come to.
#include "kirchhoff/dependency_graph.hpp"
#include "kirchhoff/solve.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kirchhoff {
namespace {

// [Martins10, appendix B]: two words, all scores 0, the flow graph.
TEST(SolveExact, BetheEntropyOfTheFlowGraph) {
  const DependencyGraph flow = dependency_graph({Matrix::Zero(3, 3), Root::multi, {}, {}, {}, TreeForm::flow});
  EXPECT_EQ(flow.graph.variables(), 8);
  EXPECT_EQ(flow.graph.factors(), 10);
  const ExactResult exact = solve_exact(flow.graph);
  EXPECT_NEAR(exact.entropy, std::log(3.0), 1e-12);
  EXPECT_NEAR(exact.bethe_entropy, -0.3488, 5e-5);
  const double h = -std::log(1.0 / 3) / 3 - 2 * std::log(2.0 / 3) / 3;
  EXPECT_NEAR(exact.bethe_entropy, -4 * h + 2 * std::log(3.0), 1e-12) << "eq. 26";
  // With one TREE factor instead, Bethe is exact.
  const DependencyGraph tree = dependency_graph({Matrix::Zero(3, 3), Root::multi, {}, {}, {}, TreeForm::factor});
  EXPECT_NEAR(solve_bp(tree.graph).bethe_entropy, std::log(3.0), 1e-12);
}

// On that graph propagation comes to no fixed point under any schedule, and says so; what it has is still a number. A
// TREE factor in the place of the flow, or the convex free energy, converge under each.
TEST(SolveBp, DoesNotConvergeOnTheFlowGraph) {
  const DependencyGraph flow = dependency_graph({Matrix::Zero(3, 3), Root::multi, {}, {}, {}, TreeForm::flow});
  const DependencyGraph tree = dependency_graph({Matrix::Zero(3, 3), Root::multi, {}, {}, {}, TreeForm::factor});
  for (const Schedule schedule : {Schedule::flooding, Schedule::sequential, Schedule::residual})
    for (const double damping : {0.0, 0.5}) {
      SCOPED_TRACE(std::string(to_string(schedule)) + ", damping " + std::to_string(damping));
      BpOptions options;
      options.schedule = schedule;
      options.damping = damping;
      options.max_iterations = 2000;
      const BpResult loopy = solve_bp(flow.graph, options);
      EXPECT_EQ(loopy.status, Status::iteration_limit);
      EXPECT_EQ(loopy.iterations, 2000);
      EXPECT_GT(loopy.residual, options.tolerance);
      for (const double p : loopy.marginals) EXPECT_TRUE(p >= 0.0 && p <= 1.0) << p;
      EXPECT_TRUE(std::isfinite(loopy.bethe_entropy));
      const BpResult exact = solve_bp(tree.graph, options);
      EXPECT_EQ(exact.status, Status::converged);
      for (const TreeArc& arc : tree.arcs) {
        EXPECT_NEAR(exact.marginals[arc.literal.variable], arc.arc.head == 0 ? 2.0 / 3 : 1.0 / 3, 1e-9);
      }
      options.free_energy = FreeEnergy::convex;
      options.max_iterations = 100000;
      const BpResult convex = solve_bp(flow.graph, options);
      EXPECT_EQ(convex.status, Status::converged);
      EXPECT_GE(convex.log_partition, std::log(3.0) - 1e-9);
    }
}

}  // namespace
}  // namespace kirchhoff
