// LP-SparseMAP on graphs with loops, against linear programming: u is optimal if no point x of the relaxation has
// (s - u).x + score(x) above what u has, and Clp finds the best x.
#include "factor/sparsemap/sparse_graphs.hpp"

namespace kirchhoff {
namespace {

using brute::Random;

void expect_optimal(const FactorGraph& graph, const std::string& what) {
  const SparseGraph p = lp_sparsemap(graph, {.tolerance = 1e-9, .max_iterations = 100000});
  const FactorGraph* question = &graph;
  FactorGraph moved;
  if (p.status != Status::infeasible) {
    moved = brute::with_variable_scores(graph, brute::slopes_of(graph, p));
    question = &moved;
  }
  const MapResult best = solve_lp(*question);
  if (best.status == Status::infeasible || p.status == Status::infeasible) {
    EXPECT_EQ(p.status, best.status) << what;
    return;
  }
  ASSERT_EQ(p.status, Status::converged) << what << ": residual " << p.residual;
  brute::expect_mixtures(graph, p, 1e-7);
  EXPECT_NEAR(best.bound, brute::own_value(graph, p), 1e-7) << what;
}

TEST(LpSparseMap, LoopyGraphs) {
  Random random(41);
  for (int repeat = 0; repeat < 100; ++repeat) {
    expect_optimal(brute::random_loopy_graph(4 + repeat % 6, 3 + repeat % 7, random),
                   "graph " + std::to_string(repeat));
  }
}

TEST(LpSparseMap, TreesWithPairs) {
  Random random(42);
  for (const Root root : {Root::single, Root::multi})
    for (int words = 2; words <= 5; ++words)
      for (int repeat = 0; repeat < 4; ++repeat) {
        const DependencyGraph g = dependency_graph(brute::random_second_order(words, root, 1.0, random));
        expect_optimal(g.graph, std::to_string(words) + " words");
      }
}

}  // namespace
}  // namespace kirchhoff
