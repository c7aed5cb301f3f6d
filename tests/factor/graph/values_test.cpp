// Multi-valued variables against the list of all assignments: factors that hold them as a whole, factors on single
// values, and trees whose words' heads are variables.
#include "factor/graphs.hpp"

#include <gtest/gtest.h>

namespace kirchhoff {
namespace {

using brute::Random;
using brute::uniform;

constexpr Schedule kSchedules[] = {Schedule::flooding, Schedule::sequential, Schedule::residual};

/// Sums over all ways to give each variable a value, by score() alone.
struct Listed {
  brute::LogSum all;
  std::vector<brute::LogSum> on;
  Listed(const FactorGraph& graph, const std::vector<std::vector<Variable>>& variables)
      : on(static_cast<std::size_t>(graph.variables())) {
    std::vector<std::size_t> value(variables.size(), 0);
    while (true) {
      Assignment y(static_cast<std::size_t>(graph.variables()), 0);
      for (std::size_t v = 0; v < variables.size(); ++v) {
        if (variables[v].size() > 1) {
          y[variables[v][value[v]].index] = 1;
        } else {
          y[variables[v][0].index] = static_cast<std::uint8_t>(value[v]);
        }
      }
      const double s = score(graph, y);
      all.add(s);
      for (std::size_t i = 0; i < y.size(); ++i) {
        if (y[i] != 0) on[i].add(s);
      }
      std::size_t v = 0;
      for (; v < variables.size() && ++value[v] == std::max<std::size_t>(2, variables[v].size()); ++v) value[v] = 0;
      if (v == variables.size()) return;
    }
  }
  double log_partition() const { return static_cast<double>(all.value()); }
  double marginal(int i) const { return static_cast<double>(std::exp(on[i].value() - all.value())); }
};

std::vector<double> random_scores(std::size_t count, Random& random) {
  std::vector<double> scores(count);
  for (double& s : scores) s = uniform(random, -1.5, 1.5);
  return scores;
}

/// A random graph without loops: each factor has one variable of those before and new ones, which it holds as a whole
/// or by one of their values.
struct RandomGraph {
  FactorGraph graph;
  std::vector<std::vector<Variable>> variables;

  RandomGraph(int factors, Random& random) {
    add_variable(random);
    for (int f = 0; f < factors; ++f) {
      std::vector<std::size_t> own = {std::uniform_int_distribution<std::size_t>(0, variables.size() - 1)(random)};
      for (int k = std::uniform_int_distribution<int>(1, 2)(random); k > 0; --k) {
        add_variable(random);
        own.push_back(variables.size() - 1);
      }
      add_factor(own, random);
    }
  }

  void add_variable(Random& random) {
    const int values = std::uniform_int_distribution<int>(1, 4)(random);
    if (values == 1) {
      variables.push_back({graph.add_variable(uniform(random, -1, 1))});
    } else {
      variables.push_back(graph.add_values(random_scores(static_cast<std::size_t>(values), random)));
    }
  }

  void add_factor(const std::vector<std::size_t>& own, Random& random) {
    if (uniform(random, 0, 1) < 0.5) {  // on single values
      Literals literals;
      for (const std::size_t v : own) {
        const std::size_t k = std::uniform_int_distribution<std::size_t>(0, variables[v].size() - 1)(random);
        literals.push_back(variables[v][k]);
      }
      return brute::add_random_factor(graph, literals, random);
    }
    std::vector<Literals> groups;
    std::size_t entries = 1;
    for (const std::size_t v : own) {
      if (uniform(random, 0, 1) < 0.6) {
        groups.emplace_back(variables[v].begin(), variables[v].end());  // as a whole
      } else {
        groups.push_back({variables[v].back()});
      }
      entries *= std::max<std::size_t>(2, groups.back().size());
    }
    graph.add_table(groups, random_scores(entries, random));
  }
};

TEST(MultiValued, BeliefPropagationIsExactWithoutLoops) {
  Random random(71);
  int feasible = 0;
  for (int repeat = 0; repeat < 100; ++repeat) {
    const RandomGraph r(1 + repeat % 4, random);
    const Listed expected(r.graph, r.variables);
    if (expected.log_partition() == -HUGE_VAL) continue;
    ++feasible;
    const ExactResult exact = solve_exact(r.graph);
    EXPECT_NEAR(exact.log_partition, expected.log_partition(), 1e-10);
    EXPECT_NEAR(exact.bethe_entropy, exact.entropy, 1e-9);
    for (const Schedule schedule : kSchedules)
      for (const Convergence convergence : {Convergence::messages, Convergence::beliefs}) {
        if (convergence == Convergence::beliefs && schedule == Schedule::residual) continue;
        const BpResult bp = solve_bp(r.graph, {.schedule = schedule, .tolerance = 1e-13, .convergence = convergence});
        ASSERT_EQ(bp.status, Status::converged);
        EXPECT_NEAR(bp.log_partition, expected.log_partition(), 1e-8);
        EXPECT_NEAR(bp.bethe_entropy, exact.entropy, 1e-8);
        for (int i = 0; i < r.graph.variables(); ++i) {
          EXPECT_NEAR(bp.marginals[i], expected.marginal(i), 1e-9);
          EXPECT_NEAR(exact.marginals[i], expected.marginal(i), 1e-10);
        }
        const BpResult best = solve_bp(r.graph, {.product = Product::max, .schedule = schedule});
        EXPECT_NEAR(best.value, static_cast<double>(expected.all.highest()), 1e-9);
      }
    EXPECT_NEAR(solve_ad3(r.graph, {.search = Search::exact}).value, static_cast<double>(expected.all.highest()), 1e-5);
  }
  EXPECT_GT(feasible, 60);
}

/// A TREE over variables of heads, with factors on single arcs and on all the heads of a word. The arcs come in any
/// order.
TEST(MultiValued, TreesHoldTheHeadsOfWords) {
  Random random(72);
  for (int repeat = 0; repeat < 40; ++repeat) {
    const int words = 1 + repeat % 4;
    const Root root = repeat % 2 == 0 ? Root::single : Root::multi;
    FactorGraph graph;
    std::vector<std::vector<Variable>> variables;
    std::vector<TreeArc> arcs;
    for (int d = 1; d <= words; ++d) {
      const std::vector<double> scores = random_scores(static_cast<std::size_t>(words), random);
      const int first = graph.add_multi_valued(scores).index;
      variables.emplace_back();
      for (int h = 0, i = first; h <= words; ++h) {
        if (h == d) continue;
        variables.back().push_back({i});
        arcs.push_back({{h, d}, Variable{i++}});
      }
    }
    std::shuffle(arcs.begin(), arcs.end(), random);
    graph.add_tree(words, arcs, root);
    // One more factor at each word makes no loop.
    for (int d = 1; d <= words; ++d) {
      const std::vector<Variable> heads = variables[static_cast<std::size_t>(d) - 1];
      const Variable extra = graph.add_variable(uniform(random, -1, 1));
      variables.push_back({extra});
      if (d % 2 == 0) {
        graph.add_pair(heads.back(), extra, uniform(random, -2, 2));
      } else {
        const std::vector<Literals> groups{Literals(heads.begin(), heads.end()), {extra}};
        graph.add_table(groups, random_scores(2 * std::max<std::size_t>(2, heads.size()), random));
      }
      if (words == 1) break;  // a group of one literal has values 0 and 1
    }
    // A word with one candidate has a variable of one value, which is not a binary variable.
    if (words == 1) continue;
    const Listed expected(graph, variables);
    const BpResult bp = solve_bp(graph, {.tolerance = 1e-13});
    ASSERT_EQ(bp.status, Status::converged);
    EXPECT_NEAR(bp.log_partition, expected.log_partition(), 1e-9);
    const ExactResult exact = solve_exact(graph);
    EXPECT_NEAR(exact.log_partition, expected.log_partition(), 1e-10);
    for (int i = 0; i < graph.variables(); ++i) {
      EXPECT_NEAR(bp.marginals[i], expected.marginal(i), 1e-9);
      EXPECT_NEAR(exact.marginals[i], expected.marginal(i), 1e-10);
    }
    EXPECT_NEAR(solve_ad3(graph, {.search = Search::exact}).value, static_cast<double>(expected.all.highest()), 1e-5);
  }
}

/// A TREE that holds the heads of some words as variables, and those of others arc by arc.
TEST(MultiValued, TreesHoldTheHeadsOfSomeWords) {
  Random random(73);
  constexpr int kWords = 3;
  for (int repeat = 0; repeat < 20; ++repeat) {
    FactorGraph graph;
    std::vector<TreeArc> arcs;
    for (int d = 1; d <= kWords; ++d) {
      const std::vector<double> scores = random_scores(kWords, random);
      int next = d == 1 + repeat % kWords ? graph.add_multi_valued(scores).index : -1;
      for (int h = 0, k = 0; h <= kWords; ++h) {
        if (h == d) continue;
        arcs.push_back({{h, d}, next >= 0 ? Variable{next++} : graph.add_variable(scores[k])});
        ++k;
      }
    }
    graph.add_tree(kWords, arcs, repeat % 2 == 0 ? Root::single : Root::multi);
    const ExactResult exact = solve_exact(graph);
    const BpResult sum = solve_bp(graph, {.tolerance = 1e-13});
    ASSERT_EQ(sum.status, Status::converged);
    EXPECT_NEAR(sum.log_partition, exact.log_partition, 1e-9);
    for (int i = 0; i < graph.variables(); ++i) EXPECT_NEAR(sum.marginals[i], exact.marginals[i], 1e-9);
    EXPECT_NEAR(solve_bp(graph, {.product = Product::max}).value, exact.value, 1e-9);
  }
}

/// Scores so large that log Z is taken from one assignment's probability, to which a variable contributes once less
/// often than it is held.
TEST(MultiValued, LargeScoresWithoutLoops) {
  Random random(74);
  for (int repeat = 0; repeat < 20; ++repeat) {
    FactorGraph graph;
    std::vector<double> scores = random_scores(3, random);
    for (double& s : scores) s *= 1e6;
    const std::vector<Variable> values = graph.add_values(scores);
    std::vector<std::vector<Variable>> variables = {values};
    for (int f = 0; f < 2; ++f) {
      variables.push_back({graph.add_variable(uniform(random, -1e6, 1e6))});
      graph.add_table({Literals(values.begin(), values.end()), {variables.back()[0]}}, random_scores(6, random));
    }
    const Listed expected(graph, variables);
    const BpResult bp = solve_bp(graph, {.tolerance = 1e-13});
    ASSERT_EQ(bp.status, Status::converged);
    EXPECT_NEAR(bp.log_partition, expected.log_partition(), 1e-15 * 3e6);
    for (int i = 0; i < graph.variables(); ++i) EXPECT_NEAR(bp.marginals[i], expected.marginal(i), 1e-9);
  }
}

TEST(MultiValued, ContradictionsAreInfeasible) {
  FactorGraph graph;
  const std::vector<Variable> x = graph.add_values({0.0, 0.0, 0.0});
  graph.add_xor({x[0]});
  graph.add_xor({x[1]});
  EXPECT_EQ(solve_bp(graph).status, Status::infeasible);
  EXPECT_EQ(solve_exact(graph).status, Status::infeasible);
  FactorGraph none;
  none.add_values({-HUGE_VAL, -HUGE_VAL});
  EXPECT_EQ(solve_bp(none).status, Status::infeasible);
  FactorGraph one;
  const std::vector<Variable> only = one.add_values({0.5});
  EXPECT_EQ(solve_bp(one).marginals[only[0].index], 1.0);
  EXPECT_NEAR(solve_bp(one).log_partition, 0.5, 1e-12);
}

}  // namespace
}  // namespace kirchhoff
