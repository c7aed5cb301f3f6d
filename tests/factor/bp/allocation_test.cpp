// No heap allocation inside an iteration: more iterations allocate as often as fewer. The counter is that of
// batch/allocation_test.cpp.
#include "factor/graphs.hpp"

#include <gtest/gtest.h>

#include <atomic>

extern std::atomic<long> allocations;

namespace kirchhoff {
namespace {

DependencyGraph graph_with_pairs() {
  brute::Random random(51);
  return dependency_graph(brute::random_second_order(6, Root::single, 0.3, random));
}

template <class Run>
long count(Run run) {
  run();  // storage of this thread
  const long before = allocations;
  run();
  return allocations - before;
}

TEST(Allocation, NoneInAnIterationOfBeliefPropagation) {
  const DependencyGraph g = graph_with_pairs();
  for (const Product product : {Product::sum, Product::max})
    for (const Schedule schedule : {Schedule::flooding, Schedule::sequential, Schedule::residual}) {
      const auto run = [&](int iterations) {
        return count([&] { solve_bp(g.graph, {product, schedule, 0.1, iterations, 0.0, {}}); });
      };
      EXPECT_EQ(run(30), run(60));
    }
}

TEST(Allocation, NoneInAnIterationOfAd3) {
  const DependencyGraph g = graph_with_pairs();
  const auto run = [&](int iterations) {
    return count([&] {
      const Ad3Options options{.gap = 0.0, .tolerance = 0.0, .max_iterations = iterations};
      EXPECT_EQ(solve_ad3(g.graph, options).iterations, iterations);
    });
  };
  // It ends after some 870 iterations, when nothing but rounding is left between bound and value.
  EXPECT_EQ(run(400), run(600)) << "once the active sets have grown to their size";
}

}  // namespace
}  // namespace kirchhoff
