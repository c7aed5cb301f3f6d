// Rooted trees of random shape, whose first values everywhere are allowed.
#pragma once

#include "factor/brute_force.hpp"

#include <algorithm>

namespace kirchhoff::brute {

inline Literals literals(FactorGraph& graph, int n) {
  Literals result;
  for (int i = 0; i < n; ++i) result.push_back(graph.add_variable());
  return result;
}

/// Counts are not scored, scored, or forbidden above a number (which may be 0).
inline void add_random_rooted_tree(FactorGraph& g, int n, int scored, Random& random) {
  RootedTree tree;
  std::size_t transitions = 0;
  for (int left = n; left > 0;) {
    const int size = std::min(left, std::uniform_int_distribution<int>(1, 3)(random));
    const auto node = static_cast<int>(tree.groups.size());
    tree.groups.push_back(literals(g, size));
    tree.parents.push_back(node == 0 ? -1 : std::uniform_int_distribution<int>(0, node - 1)(random));
    tree.counted.push_back(std::uniform_int_distribution<int>(-1, std::max(2, size) - 1)(random));
    left -= size;
  }
  const auto states = [&](int node) { return std::max<std::size_t>(2, tree.groups[node].size()); };
  for (std::size_t i = 1; i < tree.groups.size(); ++i) transitions += states(tree.parents[i]) * states(int(i));
  for (std::size_t t = 0; t < transitions; ++t) tree.transitions.push_back(uniform(random, -2, 2));
  if (transitions > 4) tree.transitions[1] = -HUGE_VAL;
  const auto count = std::min<std::size_t>(static_cast<std::size_t>(scored), tree.groups.size() + 1);
  for (std::size_t c = 0; c < count; ++c) tree.count_scores.push_back(uniform(random, -2, 2));
  if (count > 2) tree.count_scores[1] = -HUGE_VAL;
  // First values everywhere are allowed.
  std::size_t counted = 0;
  for (int& value : tree.counted) {
    if (value == 0 && count > 0 && counted + 1 >= count) value = -1;
    counted += value == 0 ? 1 : 0;
  }
  if (count > 0) tree.count_scores[counted] = 0.5;
  g.add_rooted_tree(tree);
}

/// Counts of every subtree: a share of the nodes have scores for theirs.
inline void add_random_subtrees(FactorGraph& g, int n, double share, Random& random) {
  RootedTree tree;
  for (int left = n; left > 0;) {
    const int size = std::min(left, std::uniform_int_distribution<int>(1, 2)(random));
    const auto node = static_cast<int>(tree.groups.size());
    tree.groups.push_back(literals(g, size));
    tree.parents.push_back(node == 0 ? -1 : std::uniform_int_distribution<int>(0, node - 1)(random));
    tree.counted.push_back(std::uniform_int_distribution<int>(-1, 1)(random));
    left -= size;
  }
  const auto nodes = static_cast<int>(tree.groups.size());
  std::vector<int> zeros(tree.groups.size(), 0);  // by node, how many count when all have their first value
  for (int i = nodes - 1; i >= 0; --i) {
    zeros[i] += tree.counted[i] == 0 ? 1 : 0;
    if (i > 0) zeros[tree.parents[i]] += zeros[i];
  }
  for (int i = 0; i < nodes; ++i) {
    if (uniform(random, 0, 1) > share) continue;
    std::vector<double> scores(static_cast<std::size_t>(zeros[i]) + 1 + random() % 3);
    for (double& x : scores) x = uniform(random, 0, 1) < 0.2 ? -HUGE_VAL : uniform(random, -2, 2);
    scores[zeros[i]] = 0.5;
    if (i == 0) tree.count_scores = scores;
    if (i > 0) tree.subtree_counts.push_back({i, scores});
  }
  g.add_rooted_tree(tree);
}

}  // namespace kirchhoff::brute
