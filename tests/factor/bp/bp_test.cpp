// Belief propagation: exact without loops, the free energy, schedules, warm starts.
#include "factor/graphs.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace kirchhoff {
namespace {

using brute::Random;
using brute::uniform;

/// Sums over all assignments of the graph, by score() alone.
struct Enumerated {
  double log_partition = 0.0, entropy = 0.0, value = -HUGE_VAL;
  std::vector<double> marginals, max_log_odds;
  explicit Enumerated(const FactorGraph& graph) {
    const auto n = static_cast<std::size_t>(graph.variables());
    brute::LogSum all;
    std::vector<brute::LogSum> on(n), off(n);
    std::vector<double> scores;
    for (std::size_t e = 0; e < std::size_t{1} << n; ++e) {
      const auto y = brute::bits(e, n);
      const double s = score(graph, y);
      scores.push_back(s);
      all.add(s);
      for (std::size_t i = 0; i < n; ++i) (y[i] ? on : off)[i].add(s);
    }
    log_partition = static_cast<double>(all.value());
    value = static_cast<double>(all.highest());
    for (std::size_t i = 0; i < n; ++i) {
      marginals.push_back(static_cast<double>(std::exp(on[i].value() - all.value())));
      max_log_odds.push_back(static_cast<double>(on[i].highest() - off[i].highest()));
    }
    for (const double s : scores)
      if (s != -HUGE_VAL) entropy -= std::exp(s - log_partition) * (s - log_partition);
  }
};

constexpr Schedule kSchedules[] = {Schedule::flooding, Schedule::sequential, Schedule::residual};

TEST(SolveExact, AgreesWithEnumeration) {
  Random random(11);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const FactorGraph graph = brute::random_loopy_graph(8, 6, random);
    const Enumerated expected(graph);
    const ExactResult result = solve_exact(graph);
    EXPECT_EQ(result.status == Status::infeasible, expected.value == -HUGE_VAL);
    if (result.status == Status::infeasible) continue;
    EXPECT_NEAR(result.log_partition, expected.log_partition, 1e-12);
    EXPECT_NEAR(result.entropy, expected.entropy, 1e-12);
    EXPECT_NEAR(result.value, expected.value, 1e-12);
    EXPECT_NEAR(score(graph, result.assignment), expected.value, 1e-12);
    for (int i = 0; i < graph.variables(); ++i) EXPECT_NEAR(result.marginals[i], expected.marginals[i], 1e-12);
  }
}

TEST(SolveExact, RefusesTooMany) {
  FactorGraph graph;
  brute::literals(graph, 12);
  EXPECT_THROW(solve_exact(graph, 4095), InputError);
  EXPECT_NEAR(solve_exact(graph, 4096).log_partition, 12 * std::log(2.0), 1e-12);
}

TEST(SolveBp, IsExactWithoutLoops) {
  Random random(12);
  int feasible = 0;
  for (int repeat = 0; repeat < 150; ++repeat) {
    const FactorGraph graph = brute::random_tree_graph(1 + repeat % 6, random);
    if (graph.variables() > 14) continue;
    const Enumerated expected(graph);
    if (expected.value == -HUGE_VAL) continue;
    ++feasible;
    for (const Schedule schedule : kSchedules)
      for (const double damping : {0.0, 0.3}) {
        const BpResult result = solve_bp(graph, {Product::sum, schedule, damping, 1000, 1e-13, {}});
        ASSERT_EQ(result.status, Status::converged) << "residual " << result.residual;
        for (int i = 0; i < graph.variables(); ++i) ASSERT_NEAR(result.marginals[i], expected.marginals[i], 1e-10);
        EXPECT_NEAR(result.bethe_entropy, expected.entropy, 1e-9);
        EXPECT_NEAR(result.log_partition, expected.log_partition, 1e-9);
        const BpResult best = solve_bp(graph, {Product::max, schedule, damping, 1000, 1e-13, {}});
        ASSERT_EQ(best.status, Status::converged);
        EXPECT_NEAR(best.value, expected.value, 1e-9);
        for (int i = 0; i < graph.variables(); ++i) {
          if (std::abs(expected.max_log_odds[i]) > 1e6) continue;
          EXPECT_NEAR(best.log_odds[i], expected.max_log_odds[i], 1e-8);
        }
      }
  }
  EXPECT_GT(feasible, 80);
}

/// log Z of Bethe from messages alone: sum of log Z_C and (1 - d) log Z_i over local partition functions, in the
/// normalisation M(0) = 1, negated inputs put right.
double bethe_log_partition(const FactorGraph& graph, const BpResult& result) {
  double sum = 0.0;
  std::vector<int> degree(graph.variables(), 0);
  for (int f = 0; f < graph.factors(); ++f) {
    brute::LogSum z;
    const int first = graph.first_edge(f);
    const auto n = static_cast<std::size_t>(graph.factor(f).arity());
    for (std::size_t e = 0; e < std::size_t{1} << n; ++e) {
      const auto y = brute::bits(e, n);
      brute::Real w = graph.factor(f).score(y);
      for (std::size_t k = 0; k < n; ++k) {
        const Literal literal = graph.edge(first + static_cast<int>(k));
        const double q = result.log_odds[literal.variable] - result.messages[first + static_cast<int>(k)];
        if ((y[k] == 1) != literal.negated) w += q;
      }
      z.add(w);
    }
    sum += static_cast<double>(z.value());
    for (int e = first; e < graph.first_edge(f + 1); ++e) ++degree[graph.edge(e).variable];
  }
  for (int i = 0; i < graph.variables(); ++i) sum += (1 - degree[i]) * std::log1p(std::exp(result.log_odds[i]));
  return sum;
}

TEST(SolveBp, FreeEnergyOfAFixedPoint) {
  Random random(14);
  int converged = 0;
  for (int repeat = 0; repeat < 60; ++repeat) {
    const FactorGraph graph = brute::random_loopy_graph(8, 7, random);
    const BpResult result = solve_bp(graph, {Product::sum, Schedule::sequential, 0.2, 5000, 1e-13, {}});
    if (result.status != Status::converged) continue;
    if (std::any_of(result.messages.begin(), result.messages.end(), [](double m) { return !(std::abs(m) < 50); }))
      continue;
    ++converged;
    EXPECT_NEAR(result.log_partition, bethe_log_partition(graph, result), 1e-8);
  }
  EXPECT_GT(converged, 20);
}

TEST(SolveBp, TreeFactorGivesTreeMarginals) {
  Random random(15);
  for (const Root root : {Root::single, Root::multi})
    for (int n = 1; n <= 5; ++n)
      for (const double spread : {1.0, 200.0}) {
        const Matrix scores = brute::random_scores(n, spread, random);
        const DependencyGraph g = dependency_graph({scores, root, {}, {}, {}, TreeForm::factor});
        const BpResult result = solve_bp(g.graph);
        ASSERT_EQ(result.status, Status::converged);
        const oracle::Forest forest(scores, root);
        EXPECT_NEAR(result.log_partition, static_cast<double>(forest.log_partition()), 1e-10 * (1 + spread));
        for (const TreeArc& arc : g.arcs) {
          double p = 0.0;
          for (const oracle::Tree& tree : forest.trees())
            if (tree.heads[arc.arc.dependent] == arc.arc.head) p += static_cast<double>(tree.prob);
          EXPECT_NEAR(result.marginals[arc.literal.variable], p, 1e-10);
        }
        const BpResult best = solve_bp(g.graph, {.product = Product::max});
        EXPECT_NEAR(best.value, best_tree(scores, root).score, 1e-9 * (1 + spread));
      }
}

TEST(SolveBp, SecondOrderGraphsAreClose) {
  Random random(16);
  double total = 0.0;
  int count = 0;
  for (const Root root : {Root::single, Root::multi})
    for (int n = 2; n <= 5; ++n)
      for (int repeat = 0; repeat < 4; ++repeat) {
        const DependencyModel model = brute::random_second_order(n, root, 0.5, random);
        const DependencyGraph g = dependency_graph(model);
        const BpResult result = solve_bp(g.graph, {Product::sum, Schedule::residual, 0.1, 2000, 1e-9, {}});
        EXPECT_EQ(result.status, Status::converged);
        const ExactResult exact = solve_exact(g.graph);
        const brute::TreeAnswers trees = brute::by_trees(model);
        EXPECT_NEAR(exact.log_partition, static_cast<double>(trees.log_partition), 1e-9);
        for (const TreeArc& arc : g.arcs) {
          const int i = arc.literal.variable;
          const double p = trees.marginals(arc.arc.head, arc.arc.dependent);
          EXPECT_NEAR(exact.marginals[i], p, 1e-9);
          total += std::abs(result.marginals[i] - p);
          ++count;
        }
      }
  RecordProperty("mean_absolute_error", std::to_string(total / count));
  std::cout << "mean absolute error of BP's arc marginals: " << total / count << '\n';
  EXPECT_LT(total / count, 0.05);
}

TEST(SolveBp, SchedulesFindTheSameFixedPoint) {
  Random random(17);
  const DependencyGraph g = dependency_graph(brute::random_second_order(4, Root::single, 0.3, random));
  const BpResult first = solve_bp(g.graph, {Product::sum, Schedule::flooding, 0.2, 5000, 1e-12, {}});
  ASSERT_EQ(first.status, Status::converged);
  for (const Schedule schedule : {Schedule::sequential, Schedule::residual}) {
    const BpResult other = solve_bp(g.graph, {Product::sum, schedule, 0.0, 5000, 1e-12, {}});
    for (int i = 0; i < g.graph.variables(); ++i) EXPECT_NEAR(other.marginals[i], first.marginals[i], 1e-8);
  }
  BpOptions warm;
  warm.start = first.messages;
  EXPECT_EQ(solve_bp(g.graph, warm).iterations, 1);
  BpOptions stopped;
  stopped.max_iterations = 1;
  EXPECT_EQ(solve_bp(g.graph, stopped).status, Status::iteration_limit);
}

TEST(SolveBp, ContradictionsAreInfeasible) {
  FactorGraph graph;
  const Variable a = graph.add_variable(), b = graph.add_variable();
  graph.add_xor({a});
  graph.add_xor({b});
  graph.add_nand({a, b});
  for (const Product product : {Product::sum, Product::max})
    for (const Schedule schedule : kSchedules) {
      const BpResult result = solve_bp(graph, {product, schedule, 0.0, 100, 1e-9, {}});
      EXPECT_EQ(result.status, Status::infeasible);
      EXPECT_EQ(result.value, -HUGE_VAL);
    }
  EXPECT_EQ(solve_exact(graph).status, Status::infeasible);
}

// Sum- and max-product have just one fixed point on graphs without loops, which all schedules share.
TEST(SolveBp, PermutedVariablesPermuteTheAnswer) {
  Random random(18);
  for (int repeat = 0; repeat < 30; ++repeat) {
    const FactorGraph graph = brute::random_tree_graph(6, random);
    const brute::Permuted other = brute::permuted(graph, random);
    for (const Product product : {Product::sum, Product::max})
      for (const Schedule schedule : {Schedule::flooding, Schedule::sequential, Schedule::residual}) {
        const BpOptions options{product, schedule, 0.0, 1000, 1e-12, {}};
        const BpResult a = solve_bp(graph, options), b = solve_bp(other.graph, options);
        ASSERT_EQ(a.status, b.status);
        if (a.status == Status::infeasible) continue;
        for (int i = 0; i < graph.variables(); ++i) EXPECT_NEAR(a.marginals[i], b.marginals[other.to[i]], 1e-9);
        EXPECT_NEAR(a.log_partition, b.log_partition, 1e-9);
        // Where the likeliest values together are forbidden, the order of the factors decides how they are repaired.
        Assignment likeliest;
        for (const double p : a.marginals) likeliest.push_back(p > 0.5 ? 1 : 0);
        if (score(graph, likeliest) != -HUGE_VAL) {
          EXPECT_NEAR(a.value, b.value, 1e-9);
        }
      }
    const ExactResult a = solve_exact(graph), b = solve_exact(other.graph);
    ASSERT_EQ(a.status, b.status);
    if (a.status == Status::infeasible) continue;
    for (int i = 0; i < graph.variables(); ++i) EXPECT_NEAR(a.marginals[i], b.marginals[other.to[i]], 1e-12);
    EXPECT_NEAR(a.log_partition, b.log_partition, 1e-12);
  }
}

TEST(SolveBp, ChecksItsOptions) {
  FactorGraph graph;
  graph.add_xor(brute::literals(graph, 2));
  EXPECT_THROW(solve_bp(graph, {.damping = 1.0}), InputError);
  EXPECT_THROW(solve_bp(graph, {.damping = NAN}), InputError);
  EXPECT_THROW(solve_bp(graph, {.max_iterations = -1}), InputError);
  EXPECT_THROW(solve_bp(graph, {.start = {0.0}}), InputError);
  EXPECT_THROW(solve_bp(graph, {.start = {0.0, NAN}}), InputError);
}

}  // namespace
}  // namespace kirchhoff
