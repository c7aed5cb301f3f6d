// Linear and integer programs: relaxations against enumeration, against AD3 and against the decoder; and how they stop.
#include "factor/hard_graph.hpp"

#include <gtest/gtest.h>

namespace kirchhoff {
namespace {

using brute::hard_graph;
using brute::Once;
using brute::Random;
using brute::uniform;

// A factor alone, with random scores: its rows describe the hull exactly, so the optimum is that of best().
TEST(Relaxation, OfEveryFactorIsItsHull) {
  Random random(21);
  for (int n = 1; n <= 6; ++n)
    for (const brute::Named& named : brute::all_factors(n, random))
      for (int repeat = 0; repeat < 3; ++repeat) {
        SCOPED_TRACE(testing::Message() << named.name << ", n = " << n);
        const Factor& factor = named.graph.factor(0);
        FactorGraph graph;
        Literals literals;
        std::vector<double> q;
        double constant = 0.0;
        for (int i = 0; i < factor.arity(); ++i) {
          q.push_back(uniform(random, -2, 2));
          const bool negate = uniform(random, 0, 1) < 0.3;
          const Literal v = graph.add_variable(negate ? -q.back() : q.back());
          if (negate) constant -= q.back();
          literals.push_back(negate ? !v : v);
        }
        graph.add_factor(std::shared_ptr<const Factor>(std::shared_ptr<const void>(), &factor), literals);
        std::vector<std::uint8_t> y(q.size());
        const double expected = factor.best(q, y) + constant;
        const MapResult lp = solve_lp(graph);
        ASSERT_EQ(lp.status, Status::converged);
        EXPECT_NEAR(lp.bound, expected, 1e-7);
        EXPECT_NEAR(lp.value, expected, 1e-7);
        EXPECT_TRUE(lp.integral);
        const MapResult ad3 = solve_ad3(graph);
        EXPECT_NEAR(ad3.bound, expected, 1e-5);
        EXPECT_NEAR(ad3.value, expected, 1e-5);
      }
}

TEST(SolveLp, BoundsTheBestAssignment) {
  Random random(23);
  int infeasible = 0;
  for (int repeat = 0; repeat < 150; ++repeat) {
    const FactorGraph graph = brute::random_loopy_graph(8, 8, random);
    const ExactResult exact = solve_exact(graph);
    const MapResult lp = solve_lp(graph);
    const MapResult ilp = solve_ilp(graph);
    const MapResult ad3 = solve_ad3(graph, {.search = Search::exact});
    EXPECT_EQ(ilp.status, exact.status);
    EXPECT_EQ(ad3.status, exact.status);
    if (exact.status == Status::infeasible) {
      ++infeasible;
      EXPECT_EQ(ilp.value, -HUGE_VAL);
      continue;
    }
    EXPECT_GE(lp.bound, exact.value - 1e-7);
    if (lp.integral) {
      EXPECT_NEAR(lp.value, exact.value, 1e-6);
    }
    EXPECT_NEAR(ilp.value, exact.value, 1e-6);
    EXPECT_NEAR(ad3.value, exact.value, 1e-5);
    EXPECT_NEAR(score(graph, ilp.assignment), exact.value, 1e-6);
    EXPECT_NEAR(score(graph, ad3.assignment), exact.value, 1e-5);
  }
  EXPECT_GT(infeasible, 3);
}

TEST(SolveAd3, AgreesWithTheLinearProgram) {
  Random random(24);
  int fractional = 0;
  const auto check = [&](const FactorGraph& graph) {
    const MapResult lp = solve_lp(graph);
    const MapResult ad3 = solve_ad3(graph, {.gap = 1e-8, .tolerance = 1e-8, .max_iterations = 200000});
    EXPECT_EQ(ad3.status, lp.status);
    if (lp.status == Status::infeasible) return;
    fractional += lp.integral ? 0 : 1;
    EXPECT_NEAR(ad3.bound, lp.bound, 1e-6);
    EXPECT_GE(ad3.bound, lp.bound - 1e-7) << "a bound";
  };
  for (int repeat = 0; repeat < 100; ++repeat) check(brute::random_loopy_graph(10, 10, random));
  // Most pairs sleep here, and some wake again.
  for (int repeat = 0; repeat < 20; ++repeat) {
    check(dependency_graph(brute::random_second_order(7, Root::single, 0.5, random)).graph);
  }
  EXPECT_GT(fractional, 3);
}

// The bound is as near the relaxation's optimum as it says, also where no assignment is near it.
TEST(SolveAd3, StopsOnlyWhenTheGapIsClosed) {
  Random random(28);
  constexpr double kGap = 1e-4;
  int fractional = 0;
  const auto check = [&](const FactorGraph& graph) {
    const MapResult lp = solve_lp(graph);
    const MapResult ad3 = solve_ad3(graph, {.gap = kGap, .tolerance = kGap, .max_iterations = 100000});
    ASSERT_EQ(ad3.status, lp.status);
    if (lp.status == Status::infeasible) return;
    fractional += lp.integral ? 0 : 1;
    EXPECT_LE(ad3.bound - lp.bound, kGap * std::max(1.0, std::abs(ad3.bound)));
    EXPECT_GE(ad3.bound, lp.bound - 1e-7) << "a bound";
  };
  for (int repeat = 0; repeat < 300; ++repeat) check(brute::random_loopy_graph(10, 12, random));
  for (int repeat = 0; repeat < 30; ++repeat) {
    const int words = repeat < 25 ? 6 : 10;
    check(dependency_graph(brute::random_second_order(words, Root::single, 1.0, random)).graph);
  }
  EXPECT_GT(fractional, 30);
}

TEST(SolveLp, OfArcFactoredTreesIsIntegral) {
  Random random(25);
  for (const Root root : {Root::single, Root::multi})
    for (int n = 1; n <= 8; ++n)
      for (const TreeForm form : {TreeForm::factor, TreeForm::flow}) {
        const Matrix scores = brute::random_scores(n, 1.0, random, 0.3);
        Tree best;
        try {
          best = best_tree(scores, root);
        } catch (const Infeasible&) {
          continue;
        }
        const DependencyGraph g = dependency_graph({scores, root, {}, {}, {}, form});
        const MapResult lp = solve_lp(g.graph);
        EXPECT_NEAR(lp.bound, best.score, 1e-6);
        EXPECT_NEAR(lp.value, best.score, 1e-6);
        EXPECT_TRUE(lp.integral);
        EXPECT_EQ(heads_of(g, lp.assignment), best.heads);
      }
}

TEST(Stop, EndsLinearAndIntegerPrograms) {
  const FactorGraph graph = hard_graph(16);
  const double best = solve_exact(graph).value;
  for (const int allowed : {1, 100, 500}) {
    Once of_lp{allowed}, of_ilp{allowed};
    const MapResult lp = solve_lp(graph, std::ref(of_lp)), ilp = solve_ilp(graph, 1e9, std::ref(of_ilp));
    for (const auto& [r, once] : {std::pair(lp, of_lp), std::pair(ilp, of_ilp)}) {
      EXPECT_EQ(r.status == Status::time_limit, once.asked >= allowed) << allowed;
      EXPECT_GE(r.bound, best - 1e-6);
      EXPECT_LE(r.value, best + 1e-6);
    }
    EXPECT_GE(of_ilp.asked, allowed);
  }
}

/// Time is looked at between the steps of every linear program, not only between the branches.
TEST(Stop, TimeLimitsEndLinearProgramsToo) {
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
