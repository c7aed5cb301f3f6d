// Building graphs: what is refused, negation, multi-valued variables, dependency graphs.
#include "factor/graphs.hpp"
#include "support/message_of.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

namespace kirchhoff {
namespace {

using brute::Random;

TEST(FactorGraph, RefusesBadArguments) {
  FactorGraph graph;
  const Variable a = graph.add_variable(), b = graph.add_variable();
  EXPECT_THROW(graph.add_variable(NAN), InputError);
  EXPECT_THROW(graph.add_variable(HUGE_VAL), InputError);
  EXPECT_THROW(graph.add_variable(1e101), InputError);
  EXPECT_THROW(graph.add_values({}), InputError);
  EXPECT_THROW(graph.add_xor({}), InputError);
  EXPECT_THROW(graph.add_xor({a, b, !a}), InputError);
  EXPECT_THROW(graph.add_xor({a, Variable{2}}), InputError);
  EXPECT_THROW(graph.add_xor({a, Variable{-1}}), InputError);
  EXPECT_THROW(graph.add_budget({a, b}, -1), InputError);
  EXPECT_THROW(graph.add_or_out({}, a), InputError);
  EXPECT_THROW(graph.add_and_out({}, a), InputError);
  EXPECT_THROW(graph.add_knapsack({a, b}, {1}, 2), InputError);
  EXPECT_THROW(graph.add_knapsack({a, b}, {1, -1}, 2), InputError);
  EXPECT_THROW(graph.add_knapsack({a, b}, {1, 1}, -1), InputError);
  EXPECT_THROW(graph.add_knapsack({a, b}, {1.5, NAN}, 2), InputError);
  EXPECT_THROW(graph.add_knapsack({a, b}, {1.5, 1}, HUGE_VAL), InputError);
  EXPECT_THROW(graph.add_sequence({}, {}), InputError);
  EXPECT_THROW(graph.add_sequence({{a}, {}}, {}), InputError);
  EXPECT_THROW(graph.add_sequence({{a}, {b}}, {0, 0, 0}), InputError);
  EXPECT_THROW(graph.add_sequence({{a}, {b}}, {0, 0, 0, NAN}), InputError);
  EXPECT_THROW(graph.add_head({}), InputError);
  EXPECT_THROW(graph.add_head({.heads = {a}, .right = {a}}), InputError);
  EXPECT_THROW(graph.add_head({.left = {a}, .left_siblings = {0, 0}}), InputError);
  EXPECT_THROW(graph.add_head({.left = {a}, .right_siblings = {0, 0, 0}}), InputError);
  EXPECT_THROW(graph.add_head({.heads = {a}, .right = {b}, .grandparents = {0, 0}}), InputError);
  EXPECT_THROW(graph.add_head({.right = {b}, .right_siblings = {0, NAN, 0}}), InputError);
  EXPECT_THROW(graph.add_pair(a, b, -HUGE_VAL), InputError);
  EXPECT_THROW(graph.add_table({a, b}, {0, 0, 0}), InputError);
  EXPECT_THROW(graph.add_table({a, b}, {0, 0, 0, NAN}), InputError);
  EXPECT_THROW(graph.add_tree(2, {{{0, 1}, a}}, Root::multi), InputError) << "no arc into word 2";
  EXPECT_THROW(graph.add_tree(1, {{{0, 1}, a}, {{0, 1}, b}}, Root::multi), InputError);
  EXPECT_THROW(graph.add_tree(1, {{{1, 1}, a}}, Root::multi), InputError);
  EXPECT_THROW(graph.add_tree(0, {}, Root::multi), InputError);
  EXPECT_THROW(graph.add_factor(nullptr, {a}), InputError);
  EXPECT_THROW(graph.add_factor(std::make_shared<brute::EvenFactor>(3), {a, b}), InputError);
  EXPECT_THROW(score(graph, {1}), InputError);
  EXPECT_EQ(graph.factors(), 0);
  FactorGraph wide;
  EXPECT_THROW(wide.add_table(brute::literals(wide, 17), std::vector<double>(1 << 17)), InputError);
  wide.add_factor(std::make_shared<brute::EvenFactor>(17), brute::literals(wide, 17));
  EXPECT_THROW(solve_bp(wide), InputError) << "a factor of 17 inputs without a sum_product of its own";
}

TEST(FactorGraph, NegationGivesTheOtherFactors) {
  FactorGraph graph;
  const Variable a = graph.add_variable(), b = graph.add_variable(), c = graph.add_variable();
  const auto allowed = [&](const std::function<void(FactorGraph&)>& add) {
    FactorGraph one = graph;
    add(one);
    std::string result;
    for (std::size_t e = 0; e < 8; ++e) result += score(one, brute::bits(e, 3)) == 0.0 ? '1' : '0';
    return result;
  };
  EXPECT_EQ(allowed([&](FactorGraph& g) { g.add_xor({a, b, c}); }), "01101000");
  EXPECT_EQ(allowed([&](FactorGraph& g) { g.add_nand({a, b, c}); }), "11111110");
  EXPECT_EQ(allowed([&](FactorGraph& g) { g.add_imply(a, b); }), "11110011");
  EXPECT_EQ(allowed([&](FactorGraph& g) { g.add_or_out({a, b}, c); }), "10010101");
  EXPECT_EQ(allowed([&](FactorGraph& g) { g.add_xor_out({a, b}, c); }), "10010100");
  EXPECT_EQ(allowed([&](FactorGraph& g) { g.add_or_out({!a, b}, !c); }), "10100110");
  EXPECT_EQ(allowed([&](FactorGraph& g) { g.add_and_out({a, b}, c); }), "10101001");
  EXPECT_EQ(allowed([&](FactorGraph& g) { g.add_imply({a, b}, c); }), "11111101");
  EXPECT_EQ(allowed([&](FactorGraph& g) { g.add_imply({a, !b}, c); }), "11110111");
  EXPECT_EQ(allowed([&](FactorGraph& g) { g.add_knapsack({a, b, c}, {2, 3, 4}, 6); }), "11101110");
  EXPECT_EQ(allowed([&](FactorGraph& g) { g.add_knapsack({a, !b, c}, {2, 3, 4}, 4); }), "10110010");
  EXPECT_EQ(allowed([&](FactorGraph& g) { g.add_knapsack({a, !b, c}, {2.5, 3.5, 4.5}, 4.5); }), "10110010");
  EXPECT_EQ(allowed([&](FactorGraph& g) { g.add_knapsack({a, b, c}, {2e9, 3e9, 4e9}, 6e9); }), "11101110");
  EXPECT_EQ(allowed([&](FactorGraph& g) { g.add_knapsack({a, b, c}, {0.1, 0.2, 0.3}, 0.3); }), "11101010");
  EXPECT_EQ(allowed([&](FactorGraph& g) { g.add_budget({a, b, c}, 2); }), "11111110");
}

TEST(FactorGraph, SequencesScoreNeighbours) {
  FactorGraph graph;
  const auto a = graph.add_values({0, 0, 0}), c = graph.add_values({0, 0});
  const Variable b = graph.add_variable();
  // From a (3 values) to b (2), then from b to c (2).
  graph.add_sequence({{a[0], a[1], a[2]}, {b}, {c[0], c[1]}}, {1, 2, 3, 4, 5, 6, 10, 20, 30, -HUGE_VAL});
  const auto at = [&](int x, int y, int z) {
    Assignment assignment(6, 0);
    assignment[a[x].index] = assignment[c[z].index] = 1;
    assignment[b.index] = static_cast<std::uint8_t>(y);
    return score(graph, assignment);
  };
  EXPECT_EQ(at(0, 0, 0), 11.0);
  EXPECT_EQ(at(2, 0, 1), 25.0);
  EXPECT_EQ(at(1, 1, 0), 34.0);
  EXPECT_EQ(at(1, 1, 1), -HUGE_VAL);
  EXPECT_EQ(score(graph, Assignment{1, 1, 0, 1, 0, 0}), -HUGE_VAL) << "two values";
}

// Of words 1 and 2 to the left, and 3 to 5 to the right.
TEST(FactorGraph, HeadsScoreNextSiblingsAndGrandparents) {
  Random random(17);
  const auto numbers = [&](int count) {
    std::vector<double> all;
    for (int i = 0; i < count; ++i) all.push_back(brute::uniform(random, -2, 2));
    return all;
  };
  FactorGraph graph;
  const Literals heads = brute::literals(graph, 2), left = brute::literals(graph, 2), right = brute::literals(graph, 3);
  const HeadAutomaton head{heads, left, right, numbers(6), numbers(10), numbers(10)};
  graph.add_head(head);
  const int left_of[3][4] = {{-1, 0, 1, 2}, {-1, -1, 3, 4}, {-1, -1, -1, 5}};
  const int right_of[4][5] = {{-1, 0, 1, 2, 3}, {-1, -1, 4, 5, 6}, {-1, -1, -1, 7, 8}, {-1, -1, -1, -1, 9}};
  for (std::size_t e = 0; e < 128; ++e) {
    const auto y = brute::bits(e, 7);
    double expected = y[0] + y[1] == 1 ? 0.0 : -HUGE_VAL;
    int last = 0;
    for (int j = 1; j <= 3; ++j) {
      if (j < 3 && y[1 + j] == 0) continue;
      expected += head.left_siblings[left_of[last][j]];
      last = j;
    }
    last = 0;
    for (int j = 1; j <= 4; ++j) {
      if (j < 4 && y[3 + j] == 0) continue;
      expected += head.right_siblings[right_of[last][j]];
      last = j;
    }
    for (int d = 0; d < 5; ++d) expected += y[2 + d] ? head.grandparents[(y[0] ? 0 : 5) + d] : 0.0;
    if (expected == -HUGE_VAL) {
      EXPECT_EQ(score(graph, y), -HUGE_VAL);
    } else {
      EXPECT_NEAR(score(graph, y), expected, 1e-12);
    }
  }
}

TEST(FactorGraph, MultiValuedVariables) {
  FactorGraph graph;
  const std::vector<Variable> x = graph.add_values({0.1, 0.2, 0.3});
  const std::vector<Variable> y = graph.add_values({-0.5, 0.5});
  const std::vector<double> table = {0.0, 1.0, -1.0, 0.5, 0.25, -HUGE_VAL};
  graph.add_table(std::vector<Literals>{{x.begin(), x.end()}, {y.begin(), y.end()}}, table);
  const double tx[] = {0.1, 0.2, 0.3}, ty[] = {-0.5, 0.5};
  double z = 0.0, first = 0.0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 2; ++j) {
      const double w = std::exp(tx[i] + ty[j] + table[2 * i + j]);
      z += w;
      if (i == 0) first += w;
    }
  const ExactResult exact = solve_exact(graph);
  EXPECT_NEAR(exact.log_partition, std::log(z), 1e-12);
  EXPECT_NEAR(exact.marginals[x[0].index], first / z, 1e-12);
  const BpResult bp = solve_bp(graph);
  EXPECT_EQ(bp.status, Status::converged);
  EXPECT_NEAR(bp.log_partition, std::log(z), 1e-9);
  EXPECT_NEAR(bp.marginals[x[0].index], first / z, 1e-9);
}

// A chain of multi-valued variables is a tree for belief propagation, although its binary variables are in loops.
TEST(FactorGraph, ChainsOfMultiValuedVariablesAreExact) {
  Random random(42);
  for (int repeat = 0; repeat < 20; ++repeat) {
    FactorGraph graph;
    std::vector<Literals> groups;
    for (int v = 0; v < 4; ++v) {
      std::vector<double> scores(static_cast<std::size_t>(2 + v % 3));
      for (double& s : scores) s = brute::uniform(random, -1, 1);
      const std::vector<Variable> values = graph.add_values(scores);
      groups.emplace_back(values.begin(), values.end());
      if (v == 0) continue;
      std::vector<double> table(groups[v - 1].size() * groups[v].size());
      for (double& x : table) x = brute::uniform(random, 0, 1) < 0.1 ? -HUGE_VAL : brute::uniform(random, -2, 2);
      table[0] = 0.0;
      graph.add_table(std::vector<Literals>{groups[v - 1], groups[v]}, table);
    }
    graph.add_imply(groups[0][1], graph.add_variable(0.4));  // a binary factor on one value
    const ExactResult exact = solve_exact(graph);
    EXPECT_NEAR(exact.bethe_entropy, exact.entropy, 1e-9);
    for (const Schedule schedule : {Schedule::flooding, Schedule::sequential, Schedule::residual}) {
      const BpResult bp = solve_bp(graph, {.schedule = schedule, .tolerance = 1e-13});
      ASSERT_EQ(bp.status, Status::converged);
      for (int i = 0; i < graph.variables(); ++i) EXPECT_NEAR(bp.marginals[i], exact.marginals[i], 1e-9);
      EXPECT_NEAR(bp.bethe_entropy, exact.entropy, 1e-8);
      EXPECT_NEAR(bp.log_partition, exact.log_partition, 1e-8);
      EXPECT_NEAR(solve_bp(graph, {.product = Product::max, .schedule = schedule}).value, exact.value, 1e-9);
    }
    EXPECT_NEAR(solve_ad3(graph, {.search = Search::exact}).value, exact.value, 1e-5);
  }
}

/// The score of a tree by the model's definition.
double tree_score(const DependencyModel& model, const Heads& heads) {
  const auto has = [&](Arc arc) { return heads[arc.dependent] == arc.head; };
  double sum = 0.0;
  for (int d = 1; d < static_cast<int>(heads.size()); ++d) sum += model.scores(heads[d], d);
  for (const ArcPair& pair : model.pairs)
    if (has(pair.first) && has(pair.second)) sum += pair.score;
  for (const ArcPair& pair : model.consecutive_siblings) {
    bool consecutive = has(pair.first) && has(pair.second);
    for (int d = std::min(pair.first.dependent, pair.second.dependent) + 1;
         d < std::max(pair.first.dependent, pair.second.dependent); ++d)
      consecutive = consecutive && heads[d] != pair.first.head;
    if (consecutive) sum += pair.score;
  }
  for (const ArcScore& arc : model.non_projective) {
    bool projective = true;
    for (int d = std::min(arc.arc.head, arc.arc.dependent) + 1; d < std::max(arc.arc.head, arc.arc.dependent); ++d) {
      int node = d;
      while (node > 0 && node != arc.arc.head) node = heads[node];
      projective = projective && node == arc.arc.head;
    }
    if (has(arc.arc) && !projective) sum += arc.score;
  }
  return sum;
}

TEST(DependencyGraph, ScoresTreesAsTheModelSays) {
  Random random(41);
  for (const Root root : {Root::single, Root::multi})
    for (const TreeForm form : {TreeForm::factor, TreeForm::flow})
      for (const int n : {2, 3}) {
        DependencyModel model = brute::random_second_order(n, root, 1.0, random);
        model.form = form;
        for (const ArcPair& pair : head_bigram_pairs(model.scores))
          model.pairs.push_back({pair.first, pair.second, 0.3});
        for (const ArcPair& pair : sibling_pairs(model.scores)) {
          const int low = std::min(pair.first.dependent, pair.second.dependent);
          const int high = std::max(pair.first.dependent, pair.second.dependent);
          const int head = pair.first.head;
          if (head < low || head > high) {
            model.consecutive_siblings.push_back({pair.second, pair.first, brute::uniform(random, -1.0, 0.5)});
          }
        }
        for (int h = 0; h <= n; ++h)
          for (int d = 1; d <= n; ++d)
            if (h != d) model.non_projective.push_back({{h, d}, 0.4 + 0.1 * h});
        const DependencyGraph g = dependency_graph(model);
        const ExactResult exact = solve_exact(g.graph);
        brute::LogSum z;
        double best = -HUGE_VAL;
        const oracle::Forest forest(model.scores, root);
        for (const oracle::Tree& tree : forest.trees()) {
          z.add(tree_score(model, tree.heads));
          best = std::max(best, tree_score(model, tree.heads));
        }
        EXPECT_NEAR(exact.log_partition, static_cast<double>(z.value()), 1e-10);
        EXPECT_NEAR(exact.value, best, 1e-10);
        EXPECT_NEAR(tree_score(model, heads_of(g, exact.assignment)), best, 1e-10);
      }
}

TEST(DependencyGraph, ListsPairs) {
  const Matrix scores = Matrix::Zero(4, 4);
  EXPECT_EQ(sibling_pairs(scores).size(), 3U + 3 * 1U);
  EXPECT_EQ(grandparent_pairs(scores).size(), 6U + 6U);
  EXPECT_EQ(head_bigram_pairs(scores).size(), 2 * 9U);
  EXPECT_THROW(sibling_pairs(Matrix::Zero(3, 4)), InputError);
  EXPECT_THROW(dependency_graph({Matrix::Zero(3, 4), Root::multi, {}, {}, {}, TreeForm::factor}), InputError);
  EXPECT_THROW(dependency_graph({scores, Root::multi, {{{0, 9}, {0, 1}, 1.0}}, {}, {}, TreeForm::factor}), InputError);
  const DependencyGraph g = dependency_graph({scores, Root::multi, {}, {}, {}, TreeForm::factor});
  EXPECT_THROW(heads_of(g, Assignment(g.graph.variables(), 0)), InputError);
  EXPECT_EQ(message_of<InputError>([&] { heads_of(g, Assignment(g.graph.variables() - 1, 0)); }),
            "[heads_of] assignment: not one value for each variable");
}

TEST(DependencyGraph, SaysWhatCannotBeBuilt) {
  const auto message = [](const DependencyModel& model) {
    return message_of<InputError>([&] { dependency_graph(model); });
  };
  Matrix scores = Matrix::Zero(4, 4);
  const std::string siblings = "[dependency_graph] consecutive_siblings: not two children on one side of a head";
  for (const ArcPair& pair :
       {ArcPair{{0, 1}, {3, 2}, 1.0}, ArcPair{{0, 1}, {0, 1}, 1.0}, ArcPair{{2, 1}, {2, 3}, 1.0}}) {
    EXPECT_EQ(message({scores, Root::multi, {}, {pair}, {}, TreeForm::factor}), siblings);
  }
  scores.col(2).setConstant(-HUGE_VAL);
  for (const Root root : {Root::single, Root::multi}) {
    EXPECT_EQ(message({scores, root, {}, {}, {}, TreeForm::flow}),
              "[dependency_graph] scores: word 2 has no arc into it");
  }
}

}  // namespace
}  // namespace kirchhoff
