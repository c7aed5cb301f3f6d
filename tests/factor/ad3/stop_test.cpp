// Solvers that are asked to stop: they do, and what they give then holds.
#include "factor/hard_graph.hpp"

#include <gtest/gtest.h>

namespace kirchhoff {
namespace {

using brute::hard_graph;
using brute::Once;

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

}  // namespace
}  // namespace kirchhoff
