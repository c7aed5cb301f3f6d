// Solvers that are asked to stop: they do, and what they give then holds.
#include "factor/graphs.hpp"

#include <gtest/gtest.h>

namespace kirchhoff {
namespace {

/// Variables with random scores on all pairs: hard for each solver.
FactorGraph hard_graph(int variables) {
  brute::Random random(7);
  FactorGraph graph;
  std::vector<Variable> all;
  for (int i = 0; i < variables; ++i) all.push_back(graph.add_variable(brute::uniform(random, -1, 1)));
  for (int i = 0; i < variables; ++i) {
    for (int j = 0; j < i; ++j) graph.add_pair(all[i], all[j], brute::uniform(random, -3, 3));
  }
  return graph;
}

/// Says yes once, when asked for the last time that is allowed; counts.
struct Once {
  int allowed;
  int asked = 0;
  bool operator()() { return ++asked == allowed; }
};

TEST(Stop, EndsEnumeration) {
  Once once{1000};
  const ExactResult r = solve_exact(hard_graph(18), 1 << 20, std::ref(once));
  EXPECT_EQ(r.status, Status::time_limit);
  EXPECT_TRUE(r.marginals.empty());
  EXPECT_EQ(once.asked, 1000);
  EXPECT_EQ(solve_exact(hard_graph(8), 1 << 20, [] { return false; }).status, Status::converged);
}

TEST(Stop, EndsBeliefPropagation) {
  Once once{3};
  BpOptions options;
  options.stop = std::ref(once);
  options.tolerance = 0.0;
  const BpResult r = solve_bp(hard_graph(12), options);
  EXPECT_EQ(r.status, Status::time_limit);
  EXPECT_EQ(r.iterations, 3);
  EXPECT_EQ(r.marginals.size(), 12u);
}

TEST(Stop, EndsAd3InItsFirstRunAndInLaterOnes) {
  const FactorGraph graph = hard_graph(16);
  const double best = solve_exact(graph).value;
  for (const int allowed : {1, 2, 200}) {
    Once once{allowed};
    Ad3Options options;
    options.search = Search::exact;
    options.gap = options.tolerance = 0.0;
    options.stop = std::ref(once);
    const MapResult r = solve_ad3(graph, options);
    EXPECT_EQ(r.status, Status::time_limit) << allowed;
    EXPECT_EQ(once.asked, allowed);
    EXPECT_GE(r.bound, best - 1e-9);
    EXPECT_LE(r.value, best + 1e-9);
  }
}

TEST(Stop, EndsLinearAndIntegerPrograms) {
  const FactorGraph graph = hard_graph(16);
  const double best = solve_exact(graph).value;
  for (const int allowed : {1, 100, 500}) {
    try {
      Once of_lp{allowed}, of_ilp{allowed};
      const MapResult lp = solve_lp(graph, std::ref(of_lp)), ilp = solve_ilp(graph, 1e9, std::ref(of_ilp));
      for (const auto& [r, once] : {std::pair(lp, of_lp), std::pair(ilp, of_ilp)}) {
        EXPECT_EQ(r.status == Status::time_limit, once.asked >= allowed) << allowed;
        EXPECT_GE(r.bound, best - 1e-6);
        EXPECT_LE(r.value, best + 1e-6);
      }
      EXPECT_GE(of_ilp.asked, allowed);
    } catch (const std::runtime_error&) {
      GTEST_SKIP() << "no COIN-OR in this build";
    }
  }
}

/// Time is looked at between the steps of every linear program, not only between the branches.
TEST(Stop, TimeLimitsEndLinearProgramsToo) {
  if (!brute::has_solver()) GTEST_SKIP() << "no COIN-OR in this build";
  const FactorGraph graph = hard_graph(16);
  Once steps{-1};
  const MapResult r = solve_ilp(graph, 0.0, std::ref(steps));
  EXPECT_EQ(r.status, Status::time_limit);
  EXPECT_LE(steps.asked, 1) << "steps after the time was over";
  EXPECT_GE(r.bound, solve_exact(graph).value);
  EXPECT_EQ(r.value, score(graph, r.assignment));
}

}  // namespace
}  // namespace kirchhoff
