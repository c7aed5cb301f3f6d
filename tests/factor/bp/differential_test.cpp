// Belief propagation on random graphs without loops and with scores of all magnitudes, against a list of all
// assignments.
#include "factor/magnitudes.hpp"

#include <gtest/gtest.h>

namespace kirchhoff {
namespace {

using namespace brute;  // NOLINT: a test's own helpers

/// On a graph without loops. Log-ratios are doubles: those of a size M are known to about 1e-16 M. Returns whether the
/// answers are as exact as if there were no large scores but those that the best assignment has.
bool compare_beliefs(const FactorGraph& graph, const Truth& truth) {
  bool exact = true;
  for (const Schedule schedule : {Schedule::flooding, Schedule::sequential, Schedule::residual}) {
    SCOPED_TRACE(to_string(schedule));
    const BpResult bp = solve_bp(graph, {.schedule = schedule});
    EXPECT_EQ(bp.status, truth.feasible ? Status::converged : Status::infeasible);
    if (!truth.feasible) continue;
    Real largest = truth.size, error = std::abs(bp.log_partition - truth.log_partition);
    for (const double s : graph.scores()) largest = std::max<Real>(largest, std::isinf(s) ? 0.0 : std::abs(s));
    for (const double m : bp.messages) largest = std::max<Real>(largest, std::isinf(m) ? 0.0 : std::abs(m));
    EXPECT_LE(error, 1e-8L + 1e-14L * largest);
    EXPECT_GE(bp.log_partition, bp.value);
    for (int i = 0; i < graph.variables(); ++i) {
      const Real off = std::abs(bp.marginals[i] - truth.marginals[i]);
      EXPECT_LE(off, 1e-8L + std::expm1(1e-14L * largest));
      error = std::max(error, off);
    }
    exact = exact && error <= 1e-8L + 1e-14L * truth.size;
  }
  return exact;
}

TEST(Differential, BeliefsOverAllMagnitudes) {
  Random random(32);
  int graphs = 0, inexact = 0;
  for (int kind = 0; kind < 3; ++kind)
    for (int exponent = -12; exponent <= 12; ++exponent)
      for (int repeat = 0; repeat < 10 * times(); ++repeat) {
        SCOPED_TRACE(testing::Message() << "kind " << kind << ", 1e" << exponent << ", graph " << repeat);
        const FactorGraph graph = random_graph(/*loopy=*/false, scores_of(kind, exponent, random));
        ++graphs;
        inexact += compare_beliefs(graph, truth_of(graph)) ? 0 : 1;
      }
  std::printf("%d graphs; in %d of them, large messages cost digits\n", graphs, inexact);
  EXPECT_LE(inexact, graphs / 200);
}

}  // namespace
}  // namespace kirchhoff
