// Best assignments: relaxations against enumeration and against each other.
#include "factor/graphs.hpp"

#include <gtest/gtest.h>

namespace kirchhoff {
namespace {

using brute::has_solver;
using brute::Random;
using brute::uniform;

// A factor alone, with random scores: its rows describe the hull exactly, so the optimum is that of best().
TEST(Relaxation, OfEveryFactorIsItsHull) {
  if (!has_solver()) GTEST_SKIP() << "no COIN-OR in this build";
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

// The allowed configurations satisfy the rows, and with no columns of the factor's own the others do not.
TEST(Relaxation, RowsTellConfigurationsApart) {
  Random random(22);
  for (int n = 1; n <= 6; ++n)
    for (const brute::Named& named : brute::all_factors(n, random)) {
      const Factor& factor = named.graph.factor(0);
      const Relaxation relaxation = factor.relaxation();
      if (!relaxation.costs.empty()) continue;
      for (std::size_t e = 0; e < std::size_t{1} << factor.arity(); ++e) {
        const auto y = brute::bits(e, static_cast<std::size_t>(factor.arity()));
        bool satisfied = true;
        for (const Relaxation::Row& row : relaxation.rows) {
          double sum = 0.0;
          for (const auto& [column, coefficient] : row.terms) sum += coefficient * y[column];
          satisfied = satisfied && sum >= row.lower && sum <= row.upper;
        }
        EXPECT_EQ(satisfied, factor.score(y) == 0.0) << named.name;
      }
    }
}

TEST(SolveLp, BoundsTheBestAssignment) {
  if (!has_solver()) GTEST_SKIP() << "no COIN-OR in this build";
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
  if (!has_solver()) GTEST_SKIP() << "no COIN-OR in this build";
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
  if (!has_solver()) GTEST_SKIP() << "no COIN-OR in this build";
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

TEST(SolveAd3, PointHasTheValueOfTheBound) {
  Random random(29);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const DependencyModel model = brute::random_second_order(5, Root::single, 1.0, random);
    const DependencyGraph g = dependency_graph(model);
    const MapResult ad3 = solve_ad3(g.graph, {.gap = 1e-5, .max_iterations = 100000});
    ASSERT_EQ(ad3.status, Status::converged);
    if (ad3.bound - ad3.value <= 1e-5 * std::abs(ad3.bound)) continue;  // closed by an assignment
    Matrix z = Matrix::Zero(6, 6);
    double value = 0.0;
    for (const TreeArc& arc : g.arcs) {
      z(arc.arc.head, arc.arc.dependent) = ad3.point[arc.literal.variable];
      value += model.scores(arc.arc.head, arc.arc.dependent) * ad3.point[arc.literal.variable];
    }
    for (const ArcPair& pair : model.pairs) {
      const double a = z(pair.first.head, pair.first.dependent), b = z(pair.second.head, pair.second.dependent);
      value += pair.score * (pair.score > 0 ? std::min(a, b) : std::max(0.0, a + b - 1));
    }
    EXPECT_NEAR(value, ad3.bound, 1.01e-5 * std::max(1.0, std::abs(ad3.bound)));
    for (int d = 1; d <= 5; ++d) EXPECT_NEAR(z.col(d).sum(), 1.0, 1e-9) << "one head for each word";
  }
}

TEST(SolveMap, PermutedVariablesPermuteTheAnswer) {
  Random random(30);
  for (int repeat = 0; repeat < 40; ++repeat) {
    const FactorGraph graph = brute::random_loopy_graph(8, 7, random);
    const brute::Permuted other = brute::permuted(graph, random);
    const auto compare = [&](const MapResult& a, const MapResult& b) {
      ASSERT_EQ(a.status, b.status);
      if (a.status == Status::infeasible) return;
      EXPECT_NEAR(a.bound, b.bound, 1e-5);
    };
    const auto compare_best = [&](const MapResult& a, const MapResult& b) {
      compare(a, b);
      if (a.status == Status::infeasible) return;
      EXPECT_NEAR(a.value, b.value, 1e-5);
      for (int i = 0; i < graph.variables(); ++i) EXPECT_EQ(a.assignment[i], b.assignment[other.to[i]]);
    };
    const Ad3Options options{.gap = 1e-6, .tolerance = 1e-7, .max_iterations = 100000};
    compare(solve_ad3(graph, options), solve_ad3(other.graph, options));
    compare_best(solve_ad3(graph, {.search = Search::exact}), solve_ad3(other.graph, {.search = Search::exact}));
    if (!has_solver()) continue;
    compare(solve_lp(graph), solve_lp(other.graph));
    compare_best(solve_ilp(graph), solve_ilp(other.graph));
  }
}

TEST(SolveLp, OfArcFactoredTreesIsIntegral) {
  if (!has_solver()) GTEST_SKIP() << "no COIN-OR in this build";
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

TEST(SolveLp, SecondOrderGraphsAgainstAllTrees) {
  Random random(26);
  for (const Root root : {Root::single, Root::multi})
    for (int n = 2; n <= 5; ++n)
      for (int repeat = 0; repeat < 3; ++repeat) {
        const DependencyModel model = brute::random_second_order(n, root, 1.0, random);
        const DependencyGraph g = dependency_graph(model);
        const auto best = static_cast<double>(brute::by_trees(model).value);
        EXPECT_NEAR(solve_exact(g.graph).value, best, 1e-9);
        const MapResult ad3 = solve_ad3(g.graph, {.gap = 1e-6, .tolerance = 1e-7, .max_iterations = 100000});
        EXPECT_GE(ad3.bound, best - 1e-7);
        EXPECT_LE(ad3.value, best + 1e-9);
        const MapResult exact = solve_ad3(g.graph, {.search = Search::exact});
        EXPECT_EQ(exact.status, Status::converged);
        EXPECT_NEAR(exact.value, best, 1e-5);
        if (!has_solver()) continue;
        const MapResult lp = solve_lp(g.graph);
        EXPECT_GE(lp.bound, best - 1e-7);
        EXPECT_NEAR(ad3.bound, lp.bound, 1e-6 * std::max(1.0, std::abs(lp.bound)));  // the gap asked for
        EXPECT_NEAR(solve_ilp(g.graph).value, best, 1e-6);
      }
}

TEST(SolveAd3, StopsAtItsLimits) {
  Random random(27);
  const DependencyGraph g = dependency_graph(brute::random_second_order(8, Root::single, 2.0, random));
  const MapResult one = solve_ad3(g.graph, {.gap = 0.0, .tolerance = 0.0, .max_iterations = 7});
  EXPECT_EQ(one.status, Status::iteration_limit);
  EXPECT_EQ(one.iterations, 7);
  EXPECT_GE(one.bound, one.value);
  EXPECT_EQ(solve_ad3(g.graph, {.gap = 0.0, .tolerance = 0.0, .time_limit = 0.0}).status, Status::time_limit);
  const MapResult loose = solve_ad3(g.graph, {.gap = 0.2});
  EXPECT_EQ(loose.status, Status::converged);
  EXPECT_LE(loose.iterations, solve_ad3(g.graph, {.gap = 1e-6}).iterations);
  EXPECT_THROW(solve_ad3(g.graph, {.gap = -1.0}), InputError);
  EXPECT_THROW(solve_ad3(g.graph, {.tolerance = NAN}), InputError);
  EXPECT_THROW(solve_ad3(g.graph, {.max_iterations = 0}), InputError);
}

TEST(SolveAd3, HugeAndTinyScores) {
  for (const double scale : {1e-6, 1.0, 1e6, 1e12}) {
    FactorGraph graph;
    const Variable a = graph.add_variable(2.0 * scale), b = graph.add_variable(1.0 * scale);
    const Variable c = graph.add_variable(-0.5 * scale), never = graph.add_variable(-HUGE_VAL);
    graph.add_at_most_one({a, b});
    graph.add_pair(b, c, 2.0 * scale);
    graph.add_or({c, never});
    std::vector<MapResult> results = {solve_ad3(graph, {.gap = 1e-9 * std::min(scale, 1.0)})};
    if (has_solver()) results.push_back(solve_ilp(graph));
    for (const MapResult& result : results) {
      EXPECT_EQ(result.assignment, (Assignment{0, 1, 1, 0})) << scale;
      EXPECT_NEAR(result.value, 2.5 * scale, 1e-9 * scale);
    }
  }
}

TEST(SolveMap, EmptyGraphsAndLonelyVariables) {
  const FactorGraph empty;
  EXPECT_EQ(solve_exact(empty).log_partition, 0.0);
  EXPECT_EQ(solve_bp(empty).status, Status::converged);
  std::vector<MapResult> results = {solve_ad3(empty), solve_ad3(empty, {.search = Search::exact})};
  if (has_solver()) {
    results.push_back(solve_lp(empty));
    results.push_back(solve_ilp(empty));
  }
  for (const MapResult& r : results) {
    EXPECT_EQ(r.status, Status::converged);
    EXPECT_EQ(r.value, 0.0);
    EXPECT_EQ(r.bound, 0.0);
    EXPECT_TRUE(r.integral);
  }
  FactorGraph graph;
  graph.add_variable(1.5);
  graph.add_variable(-1.0);
  graph.add_variable(-HUGE_VAL);
  EXPECT_EQ(solve_ad3(graph).assignment, (Assignment{1, 0, 0}));
  EXPECT_EQ(solve_bp(graph).assignment, (Assignment{1, 0, 0}));
  EXPECT_EQ(solve_bp(graph).marginals[2], 0.0);
  EXPECT_NEAR(solve_bp(graph).log_partition, std::log1p(std::exp(1.5)) + std::log1p(std::exp(-1.0)), 1e-12);
  if (has_solver()) {
    EXPECT_EQ(solve_lp(graph).assignment, (Assignment{1, 0, 0}));
  }
}

}  // namespace
}  // namespace kirchhoff
