// Best assignments: relaxations against enumeration and against each other.
#include "factor/graphs.hpp"

#include <gtest/gtest.h>

namespace kirchhoff {
namespace {

constexpr bool kHasSolver = KIRCHHOFF_HAS_LP;  // false in a build without linear programming

using brute::Random;
using brute::uniform;

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

// Graphs of OR factors only have a start of their own, and those of three inputs a projection of their own.
TEST(SolveAd3, ClausesHaveTheBoundOfTheLinearProgram) {
  if (!kHasSolver) GTEST_SKIP() << "needs a linear programming solver";
  Random random(31);
  for (int repeat = 0; repeat < 40; ++repeat) {
    FactorGraph graph;
    std::vector<Variable> order;
    for (int i = 0; i < 8; ++i) order.push_back(graph.add_variable(uniform(random, -1.0, 1.0)));
    for (int c = 0; c < 30; ++c) {
      std::shuffle(order.begin(), order.end(), random);
      Literals literals;
      const int inputs = c % 5 == 0 ? 2 + c % 3 : 3;
      for (int k = 0; k < inputs; ++k) literals.push_back(brute::random_sign(order[k], random));
      graph.add_or(literals);
    }
    const MapResult ad3 = solve_ad3(graph, {.max_iterations = 100000});
    const MapResult lp = solve_lp(graph);
    ASSERT_EQ(ad3.status, Status::converged);
    EXPECT_GE(ad3.bound, lp.bound - 1e-9);
    EXPECT_NEAR(ad3.bound, lp.bound, 1e-5 * std::max(1.0, std::abs(lp.bound)));
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
    if (!kHasSolver) continue;
    compare(solve_lp(graph), solve_lp(other.graph));
    compare_best(solve_ilp(graph), solve_ilp(other.graph));
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
        if (!kHasSolver) continue;
        const MapResult lp = solve_lp(g.graph);
        EXPECT_GE(lp.bound, best - 1e-7);
        EXPECT_NEAR(ad3.bound, lp.bound, 1e-6 * std::max(1.0, std::abs(lp.bound)));  // the gap asked for
        EXPECT_NEAR(solve_ilp(g.graph).value, best, 1e-6);
      }
}

// Rounding errors stand between bound and value for ever; they are no gap.
TEST(SolveAd3, ClosesAGapOfNothing) {
  Random random(33);
  int closed = 0;
  for (int repeat = 0; repeat < 200; ++repeat) {
    const FactorGraph graph = brute::random_loopy_graph(8, 7, random);
    const MapResult nearly = solve_ad3(graph, {.gap = 1e-9, .tolerance = 1e-9});
    if (nearly.status != Status::converged || nearly.bound - nearly.value > 1e-8) continue;
    const MapResult r = solve_ad3(graph, {.gap = 0.0, .tolerance = 0.0});
    EXPECT_EQ(r.status, Status::converged) << repeat;
    EXPECT_TRUE(r.integral);
    EXPECT_EQ(r.value, score(graph, r.assignment));
    EXPECT_NEAR(r.value, solve_exact(graph).value, 1e-12);
    EXPECT_LE(r.bound - r.value, 1e-11);
    ++closed;
  }
  EXPECT_GT(closed, 100);
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
    if (kHasSolver) results.push_back(solve_ilp(graph));
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
  if (kHasSolver) {
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
  if (kHasSolver) {
    EXPECT_EQ(solve_lp(graph).assignment, (Assignment{1, 0, 0}));
  }
}

}  // namespace
}  // namespace kirchhoff
