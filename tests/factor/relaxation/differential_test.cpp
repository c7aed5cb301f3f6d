// Best assignments by all solvers on the same random graphs, against each other and against a list of all assignments.
#include "factor/magnitudes.hpp"

#include <gtest/gtest.h>

namespace kirchhoff {
namespace {

using namespace brute;  // NOLINT: a test's own helpers

/// What holds of every answer: its value is that of its assignment, and its bound is one.
void expect_sound(const FactorGraph& graph, const Truth& truth, const MapResult& r) {
  if (!truth.feasible) {
    EXPECT_TRUE(r.assignment.empty());
    EXPECT_EQ(r.value, -HUGE_VAL);
    return;
  }
  ASSERT_NE(r.status, Status::infeasible);
  const Real rounding = 1e-14L * truth.size;
  EXPECT_GE(r.bound, truth.value - rounding) << "a bound";
  if (r.assignment.empty()) return;
  EXPECT_EQ(r.value, score(graph, r.assignment));
  EXPECT_LE(r.value, truth.value + rounding);
  EXPECT_LE(r.value, r.bound);
}

struct Count {
  int graphs = 0, infeasible = 0, fractional = 0, unproved = 0, unproved_ad3 = 0;
};

void compare_maps(const FactorGraph& graph, const Truth& truth, Count& count) {
  const MapResult lp = solve_lp(graph), ilp = solve_ilp(graph);
  {
    SCOPED_TRACE("lp");
    expect_sound(graph, truth, lp);
    if (truth.feasible && lp.integral && lp.status == Status::converged) {
      EXPECT_GE(lp.value, truth.value - 1e-11L * truth.size);
    }
  }
  {
    SCOPED_TRACE("ilp");
    expect_sound(graph, truth, ilp);
    ASSERT_EQ(ilp.status, truth.feasible ? Status::converged : Status::infeasible);
    if (truth.feasible) {
      EXPECT_GE(ilp.value, truth.value - 1e-11L * truth.size);
    }
  }
  ++count.graphs;
  count.infeasible += truth.feasible ? 0 : 1;
  count.fractional += lp.status == Status::converged && !lp.integral ? 1 : 0;
  count.unproved += lp.status == Status::iteration_limit ? 1 : 0;
  Ad3Options options;
  options.max_iterations = 2000;
  for (const Search search : {Search::relaxation, Search::exact}) {
    SCOPED_TRACE(search == Search::exact ? "ad3 --exact" : "ad3");
    options.search = search;
    const MapResult ad3 = solve_ad3(graph, options);
    expect_sound(graph, truth, ad3);
    if (lp.status == Status::converged && ad3.status == Status::converged && search == Search::relaxation) {
      EXPECT_LE(ad3.bound - lp.bound, 1e-5 * std::max(1.0, std::abs(lp.bound)));
    }
    if (search != Search::exact) continue;
    count.unproved_ad3 += ad3.status == Status::iteration_limit ? 1 : 0;
    if (ad3.status == Status::converged) {
      EXPECT_GE(ad3.value, truth.value - 1e-6L * std::max(1.0L, std::abs(truth.value)) - 1e-13L * truth.size);
    }
  }
}

void compare_exact(const FactorGraph& graph, const Truth& truth) {
  const ExactResult exact = solve_exact(graph);
  ASSERT_EQ(exact.status, truth.feasible ? Status::converged : Status::infeasible);
  if (!truth.feasible) return;
  EXPECT_NEAR(exact.value, truth.value, 1e-14L * truth.size);
  EXPECT_NEAR(exact.log_partition, truth.log_partition, 1e-14L * (1 + truth.size));
  const Real noise = std::expm1(1e-14L * truth.size) + 1e-14L;
  for (int i = 0; i < graph.variables(); ++i) EXPECT_NEAR(exact.marginals[i], truth.marginals[i], noise);
}

TEST(Differential, BestAssignmentsOverAllMagnitudes) {
  Random random(31);
  for (int kind = 0; kind < 3; ++kind) {
    Count count;
    for (int exponent = -12; exponent <= 12; ++exponent)
      for (int repeat = 0; repeat < 6 * times(); ++repeat) {
        SCOPED_TRACE(testing::Message() << "kind " << kind << ", 1e" << exponent << ", graph " << repeat);
        const FactorGraph graph = random_graph(repeat % 3 > 0, scores_of(kind, exponent, random));
        const Truth truth = truth_of(graph);
        compare_exact(graph, truth);
        compare_maps(graph, truth, count);
        if (HasFatalFailure()) return;
      }
    std::printf("%d graphs, %d infeasible, %d with a fractional relaxation; without proof: lp %d, ad3 --exact %d\n",
                count.graphs, count.infeasible, count.fractional, count.unproved, count.unproved_ad3);
    EXPECT_LE(count.unproved, count.graphs / (kind < 2 ? 30 : 5)) << "a proof is the rule";
    EXPECT_EQ(count.unproved_ad3, 0);
  }
}

// A large score that is sure to be had must not hide the small ones: beside 2e12 a double still has three decimals.
TEST(Differential, IntegerProgramsHaveSmallScoresBesideLargeOnes) {
  FactorGraph graph;
  const Variable large = graph.add_variable(2e12), a = graph.add_variable(0.73), b = graph.add_variable(0.51);
  const Variable c = graph.add_variable(-345.0);
  graph.add_imply(c, b);
  const MapResult result = solve_ilp(graph);
  EXPECT_EQ(result.status, Status::converged);
  EXPECT_EQ(result.assignment[large.index], 1);
  EXPECT_EQ(result.assignment[a.index], 1);
  EXPECT_EQ(result.assignment[b.index], 1);
  EXPECT_EQ(result.value, solve_exact(graph).value);
}

}  // namespace
}  // namespace kirchhoff
