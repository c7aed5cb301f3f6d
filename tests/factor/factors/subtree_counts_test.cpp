// The scores of counts of a ROOTED-TREE by their definition, which shares no code with the factor.
#include "factor/graphs.hpp"

#include <gtest/gtest.h>

namespace kirchhoff {
namespace {

using brute::Random;
using brute::uniform;

bool is_below(int node, int top, const std::vector<int>& parents) {
  for (; node >= 0; node = parents[node]) {
    if (node == top) return true;
  }
  return false;
}

/// Scores of counts, or -inf, of binary nodes of which the ones count.
double score_of_counts(const RootedTree& tree, const Assignment& y) {
  std::vector<SubtreeCounts> all = tree.subtree_counts;
  const auto root = std::find(tree.parents.begin(), tree.parents.end(), -1) - tree.parents.begin();
  if (!tree.count_scores.empty()) all.push_back({static_cast<int>(root), tree.count_scores});
  double sum = 0.0;
  for (const SubtreeCounts& subtree : all) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < y.size(); ++i) count += is_below(int(i), subtree.node, tree.parents) ? y[i] : 0;
    sum += count < subtree.scores.size() ? subtree.scores[count] : -HUGE_VAL;
  }
  return sum;
}

std::vector<double> random_scores(std::size_t size, Random& random) {
  std::vector<double> scores(size);
  for (double& s : scores) s = uniform(random, 0, 1) < 0.1 ? -HUGE_VAL : uniform(random, -1, 1);
  return scores;
}

TEST(SubtreeCounts, ScoreWhatTheirDefinitionSays) {
  Random random(71);
  int solved = 0;
  for (int repeat = 0; repeat < 60; ++repeat) {
    const int nodes = 2 + repeat % 7;
    FactorGraph graph;
    RootedTree tree;
    std::vector<int> order(static_cast<std::size_t>(nodes));  // parents may come after their children
    for (int i = 0; i < nodes; ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    tree.parents.assign(static_cast<std::size_t>(nodes), -1);
    for (int k = 1; k < nodes; ++k)
      tree.parents[order[k]] = order[std::uniform_int_distribution<int>(0, k - 1)(random)];
    for (int i = 0; i < nodes; ++i) tree.groups.push_back({graph.add_variable(uniform(random, -1, 1))});
    tree.counted.assign(static_cast<std::size_t>(nodes), 1);
    if (repeat % 3 != 0) tree.count_scores = random_scores(1 + random() % (nodes + 2), random);
    for (int k = 1; k < nodes; ++k) {
      if (random() % 2 == 0)
        tree.subtree_counts.push_back({order[k], random_scores(1 + random() % (nodes + 1), random)});
    }
    graph.add_rooted_tree(tree);
    double best = -HUGE_VAL, sum = 0.0;
    std::vector<double> marginals(static_cast<std::size_t>(nodes), 0.0);
    for (unsigned e = 0; e < 1U << nodes; ++e) {
      Assignment y;
      for (int i = 0; i < nodes; ++i) y.push_back(static_cast<std::uint8_t>(e >> i & 1U));
      double own = score_of_counts(tree, y);
      for (int i = 0; i < nodes; ++i) own += y[i] != 0 ? graph.score({i}) : 0.0;
      if (own == -HUGE_VAL) {
        EXPECT_EQ(score(graph, y), own);
        continue;
      }
      EXPECT_NEAR(score(graph, y), own, 1e-12);
      best = std::max(best, own);
      sum += std::exp(own);
      for (int i = 0; i < nodes; ++i) marginals[i] += y[i] * std::exp(own);
    }
    const BpResult p = solve_bp(graph);
    if (sum == 0.0) {
      EXPECT_EQ(p.status, Status::infeasible);
      continue;
    }
    ++solved;
    EXPECT_NEAR(p.log_partition, std::log(sum), 1e-10);
    for (int i = 0; i < nodes; ++i) EXPECT_NEAR(p.marginals[i], marginals[i] / sum, 1e-10);
    EXPECT_NEAR(solve_bp(graph, {.product = Product::max}).value, best, 1e-10);
    EXPECT_NEAR(solve_ad3(graph).value, best, 1e-10);
  }
  EXPECT_GT(solved, 30);
}

TEST(SubtreeCounts, RefuseBadArguments) {
  FactorGraph graph;
  RootedTree tree{.groups = {{graph.add_variable()}, {graph.add_variable()}}, .parents = {1, -1}, .counted = {1, 1}};
  using Counts = std::vector<SubtreeCounts>;
  for (const Counts& bad : {Counts{{1, {0.0}}}, Counts{{2, {0.0}}}, Counts{{-1, {0.0}}}, Counts{{0, {}}},
                            Counts{{0, {HUGE_VAL}}}, Counts{{0, {1.0}}, {0, {1.0}}}}) {
    tree.subtree_counts = bad;
    EXPECT_THROW(graph.add_rooted_tree(tree), InputError);
  }
  EXPECT_EQ(graph.factors(), 0);
}

}  // namespace
}  // namespace kirchhoff
