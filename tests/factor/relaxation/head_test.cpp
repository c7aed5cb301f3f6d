// HEAD as a linear program: the factor's hull, the relaxation that AD3 solves, and the parser's way to it.
#include "dependency/parts.hpp"
#include "dependency/random_parts.hpp"
#include "dependency/second_order.hpp"
#include "kirchhoff/solve.hpp"

#include <gtest/gtest.h>

namespace kirchhoff::dependency {
namespace {

struct Scored {
  Candidates candidates;
  DependencyParts parts;
  std::vector<double> arc_scores, part_scores;
  Scored(int words, double spread, Random& random)
      : candidates(random_candidates(words, 0.8, graphs::random_tree(words, random), random)),
        parts(list_parts(words, candidates, kNextSiblings)),
        arc_scores(normal(candidates.size(), 1.0, random)),
        part_scores(normal(parts.size(), spread, random)) {}
  ScoredParts all() const { return {parts, candidates, Root::single, arc_scores, part_scores}; }
};

// A HEAD alone: whatever the objective, the linear program's optimum is that of the best configuration, listed.
TEST(HeadRelaxation, IsTheHull) {
  int factors = 0;
  for (unsigned seed = 0; seed < 12; ++seed) {
    Random random(seed);
    const Scored scored(5, 2.0, random);
    const FactorGraph whole = part_graph(scored.all());
    for (int f = 0; f + 1 < whole.factors(); ++f) {
      const Factor& head = whole.factor(f);
      if (head.arity() > 12) continue;
      ++factors;
      const std::vector<double> q = normal(static_cast<std::size_t>(head.arity()), 2.0, random);
      FactorGraph alone;
      Literals literals;
      for (const double score : q) literals.push_back(alone.add_variable(score));
      alone.add_factor({std::shared_ptr<const void>(), &head}, literals);
      double best = -HUGE_VAL;
      std::vector<std::uint8_t> y(q.size());
      for (std::size_t e = 0; e < std::size_t{1} << q.size(); ++e) {
        double value = 0.0;
        for (std::size_t i = 0; i < q.size(); ++i) {
          y[i] = static_cast<std::uint8_t>(e >> i & 1);
          value += y[i] * q[i];
        }
        best = std::max(best, value + head.score(y));
      }
      const MapResult lp = solve_lp(alone);
      ASSERT_EQ(lp.status, Status::converged);
      EXPECT_NEAR(lp.bound, best, 1e-8);
      EXPECT_NEAR(lp.value, best, 1e-8);
      EXPECT_TRUE(lp.integral);
    }
  }
  EXPECT_GT(factors, 40);
}

TEST(HeadRelaxation, GivesTheBoundOfAd3) {
  int fractional = 0;
  for (unsigned seed = 0; seed < 24; ++seed) {
    Random random(seed);
    const int words = seed % 3 == 0 ? 6 : 4;
    const Scored scored(words, 2.0, random);
    const FactorGraph graph = part_graph(scored.all());
    const ExactResult exact = words == 4 ? solve_exact(graph) : ExactResult{};
    const MapResult lp = solve_lp(graph), ilp = solve_ilp(graph);
    const MapResult ad3 = solve_ad3(graph, {.gap = 1e-8, .tolerance = 1e-8, .max_iterations = 200000});
    ASSERT_EQ(lp.status, Status::converged);
    ASSERT_EQ(ad3.status, Status::converged);
    EXPECT_NEAR(ad3.bound, lp.bound, 1e-6);
    EXPECT_GE(lp.bound, ilp.value - 1e-7);
    if (words == 4) {
      EXPECT_NEAR(ilp.value, exact.value, 1e-7);
    }
    fractional += lp.integral ? 0 : 1;
  }
  EXPECT_GT(fractional, 1);
}

// What the parser asks with --solver lp. Where the relaxation is integral, its tree is the best of all.
TEST(FindBestTree, ByLinearProgramming) {
  int integral = 0;
  for (unsigned seed = 100; seed < 130; ++seed) {
    Random random(seed);
    const Scored scored(5, 0.4, random);
    const FactorGraph graph = part_graph(scored.all());
    const BestTree lp = find_best_tree(scored.all(), {MapSolver::lp, 1e-8});
    const BestTree ad3 = find_best_tree(scored.all(), {MapSolver::ad3, 1e-8});
    const ExactResult exact = solve_exact(graph, 1 << 24);
    EXPECT_LE(lp.score, exact.value + 1e-8);
    Assignment assignment(static_cast<std::size_t>(graph.variables()), 0);
    for (std::size_t c = 0; c < scored.candidates.heads.size(); ++c) {
      assignment[c] = lp.heads[scored.parts.dependents[c]] == scored.candidates.heads[c] ? 1 : 0;
    }
    EXPECT_NEAR(score(graph, assignment), lp.score, 1e-9) << "a tree with this score";
    if (!solve_lp(graph).integral) continue;
    ++integral;
    EXPECT_NEAR(lp.score, exact.value, 1e-7);
    EXPECT_EQ(lp.heads, ad3.heads);
  }
  EXPECT_GT(integral, 10);
}

}  // namespace
}  // namespace kirchhoff::dependency
