// Scores that change: the graph is as if it had been built with them, and earlier results are a good start.
#include "factor/graphs.hpp"

#include <gtest/gtest.h>

namespace kirchhoff {
namespace {

using brute::Random;
using brute::uniform;

/// A grid of variables of three values with tables, a binary variable beside each, and pairs of those.
struct Grid {
  static constexpr int kSide = 4;
  std::vector<double> scores;
  std::vector<std::vector<double>> tables;
  std::vector<double> pairs;
  explicit Grid(Random& random) {
    for (int k = 0; k < 4 * kSide * kSide; ++k) scores.push_back(uniform(random, -1, 1));
    for (int k = 0; k < 2 * kSide * kSide; ++k) {
      tables.emplace_back();
      for (int e = 0; e < 9; ++e) tables.back().push_back(uniform(random, -1, 1));
      pairs.push_back(uniform(random, -1, 1));
    }
  }
  void change(double by, Random& random) {
    const auto move = [&](std::vector<double>& values) {
      for (double& x : values) x += uniform(random, -by, by);
    };
    move(scores);
    move(pairs);
    for (std::vector<double>& table : tables) move(table);
  }
  struct Built {
    FactorGraph graph;
    std::vector<Variable> variables;
    std::vector<int> tables, pairs;
  };
  Built build() const {
    Built built;
    std::vector<Literals> nodes;
    Literals beside;
    for (std::size_t i = 0; i < kSide * kSide; ++i) {
      const auto values = built.graph.add_values({scores[4 * i], scores[4 * i + 1], scores[4 * i + 2]});
      const Variable own = built.graph.add_variable(scores[4 * i + 3]);
      nodes.emplace_back(values.begin(), values.end());
      beside.push_back(own);
      built.variables.insert(built.variables.end(), values.begin(), values.end());
      built.variables.push_back(own);
    }
    const auto join = [&](std::size_t a, std::size_t b) {
      const std::size_t k = built.tables.size();
      built.tables.push_back(built.graph.add_table(std::vector<Literals>{nodes[a], nodes[b]}, tables[k]));
      built.pairs.push_back(built.graph.add_pair(k % 3 == 0 ? !beside[a] : beside[a], beside[b], pairs[k]));
    };
    for (std::size_t i = 0; i < kSide * kSide; ++i) {
      if (i % kSide + 1 < kSide) join(i, i + 1);
      if (i + kSide < kSide * kSide) join(i, i + kSide);
      built.graph.add_imply(nodes[i][0], beside[i]);
    }
    return built;
  }
  void set(Built& built) const {
    for (std::size_t i = 0; i < built.variables.size(); ++i) built.graph.set_score(built.variables[i], scores[i]);
    for (std::size_t k = 0; k < built.tables.size(); ++k) {
      built.graph.set_table_scores(built.tables[k], tables[k]);
      built.graph.set_pair_score(built.pairs[k], pairs[k]);
    }
  }
};

TEST(ChangedScores, GiveTheGraphBuiltWithThem) {
  Random random(51);
  for (int repeat = 0; repeat < 5; ++repeat) {
    Grid grid(random);
    Grid::Built changed = grid.build();
    grid.change(2.0, random);
    grid.set(changed);
    const FactorGraph rebuilt = grid.build().graph;
    EXPECT_EQ(changed.graph.scores(), rebuilt.scores());
    const BpResult bp = solve_bp(changed.graph, {.max_iterations = 20}),
                   same_bp = solve_bp(rebuilt, {.max_iterations = 20});
    EXPECT_EQ(bp.messages, same_bp.messages);
    EXPECT_EQ(bp.log_partition, same_bp.log_partition);
    const MapResult map = solve_ad3(changed.graph), same_map = solve_ad3(rebuilt);
    EXPECT_EQ(map.bound, same_map.bound);
    EXPECT_EQ(map.assignment, same_map.assignment);
    EXPECT_EQ(map.duals, same_map.duals);
  }
}

TEST(ChangedScores, Ad3StartsFromAnEarlierResult) {
  Random random(52);
  int cold_iterations = 0, warm_iterations = 0, again_iterations = 0;
  for (int repeat = 0; repeat < 10; ++repeat) {
    Grid grid(random);
    Grid::Built built = grid.build();
    const Ad3Options options{.gap = 1e-7, .tolerance = 1e-7, .max_iterations = 100000};
    const MapResult before = solve_ad3(built.graph, options);
    Ad3Options start = options;
    start.start = before.duals;
    start.start_point = before.point;
    const MapResult again = solve_ad3(built.graph, start);
    EXPECT_NEAR(again.bound, before.bound, 1e-5);
    again_iterations += again.iterations;
    grid.change(0.02, random);
    grid.set(built);
    const MapResult cold = solve_ad3(built.graph, options), warm = solve_ad3(built.graph, start);
    EXPECT_EQ(warm.status, cold.status);
    EXPECT_NEAR(warm.bound, cold.bound, 1e-5);
    EXPECT_NEAR(warm.value, score(built.graph, warm.assignment), 1e-9);
    cold_iterations += cold.iterations;
    warm_iterations += warm.iterations;
  }
  EXPECT_LT(again_iterations, cold_iterations / 2);
  EXPECT_LT(warm_iterations, cold_iterations);
}

TEST(ChangedScores, BeliefPropagationStartsFromAnEarlierResult) {
  Random random(53);
  Grid grid(random);
  for (auto* values : {&grid.scores, &grid.pairs}) {
    for (double& x : *values) x *= 0.3;
  }
  for (auto& table : grid.tables) {
    for (double& x : table) x *= 0.3;
  }
  Grid::Built built = grid.build();
  const BpResult before = solve_bp(built.graph);
  ASSERT_EQ(before.status, Status::converged);
  grid.change(1e-4, random);
  grid.set(built);
  const BpResult cold = solve_bp(built.graph), warm = solve_bp(built.graph, {.start = before.messages});
  EXPECT_LT(warm.iterations, cold.iterations);
  EXPECT_NEAR(warm.log_partition, cold.log_partition, 1e-7);
  for (int i = 0; i < built.graph.variables(); ++i) EXPECT_NEAR(warm.marginals[i], cold.marginals[i], 1e-7);
}

TEST(ChangedScores, RefuseBadArguments) {
  FactorGraph graph;
  const Variable a = graph.add_variable(), b = graph.add_variable();
  const int pair = graph.add_pair(a, b, 1.0), table = graph.add_table({a, b}, {0, 1, 2, 3});
  EXPECT_THROW(graph.set_score(Variable{2}, 0.0), InputError);
  EXPECT_THROW(graph.set_score(Variable{-1}, 0.0), InputError);
  EXPECT_THROW(graph.set_score(a, NAN), InputError);
  EXPECT_THROW(graph.set_pair_score(table, 0.0), InputError);
  EXPECT_THROW(graph.set_pair_score(2, 0.0), InputError);
  EXPECT_THROW(graph.set_pair_score(pair, -HUGE_VAL), InputError);
  EXPECT_THROW(graph.set_table_scores(pair, {0, 1, 2, 3}), InputError);
  EXPECT_THROW(graph.set_table_scores(table, {0, 1, 2}), InputError);
  EXPECT_THROW(graph.set_table_scores(table, {0, 1, 2, NAN}), InputError);
  EXPECT_THROW(solve_ad3(graph, {.start = {1.0}}), InputError);
  EXPECT_THROW(solve_ad3(graph, {.start = {1.0, NAN, 0.0, 0.0}}), InputError);
  EXPECT_THROW(solve_ad3(graph, {.start_point = {1.0}}), InputError);
  EXPECT_EQ(score(graph, {1, 1}), 4.0) << "nothing has changed";
}

}  // namespace
}  // namespace kirchhoff
