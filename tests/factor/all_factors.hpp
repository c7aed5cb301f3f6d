// One factor of each kind.
#pragma once

#include "factor/random_rooted_trees.hpp"

#include <algorithm>
#include <functional>
#include <string>

namespace kirchhoff::brute {

struct Named {
  std::string name;
  FactorGraph graph;  ///< one factor over all variables, not negated
};

/// A factor of your own: an even number of inputs is 1, with a score for each pair of neighbours.
class EvenFactor final : public Factor {
 public:
  explicit EvenFactor(int arity) : Factor(arity) {}
  double score(Configuration y) const override {
    int count = 0;
    double sum = 0.0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      count += y[i];
      if (i > 0 && y[i] && y[i - 1]) sum += 0.5 * static_cast<double>(i) - 1.0;
    }
    return count % 2 == 0 ? sum : -HUGE_VAL;
  }
};

/// A HEAD with these scores; no dependents at all are always allowed.
inline void add_random_head(FactorGraph& graph, const Literals& heads, const Literals& left, const Literals& right,
                            const std::function<double()>& score) {
  const auto scores = [&](std::size_t count) {
    std::vector<double> all(count);
    for (double& x : all) x = score();
    return all;
  };
  HeadAutomaton head{heads, left, right, {}, {}, scores(heads.size() * (left.size() + right.size()))};
  for (const auto& [side, own] : {std::pair(&left, &head.left_siblings), std::pair(&right, &head.right_siblings)}) {
    *own = scores((side->size() + 1) * (side->size() + 2) / 2);
    (*own)[side->size()] = 0.5;
  }
  graph.add_head(head);
}

/// One factor of each kind with about n inputs.
inline std::vector<Named> all_factors(int n, Random& random) {
  std::vector<Named> result;
  const auto add = [&](const std::string& name, const std::function<void(FactorGraph&)>& build) {
    result.push_back({name, {}});
    build(result.back().graph);
  };
  add("xor", [&](FactorGraph& g) { g.add_xor(literals(g, n)); });
  add("at most one", [&](FactorGraph& g) { g.add_at_most_one(literals(g, n)); });
  add("or", [&](FactorGraph& g) { g.add_or(literals(g, n)); });
  for (int k = 0; k <= n; ++k) {
    add("budget " + std::to_string(k), [&](FactorGraph& g) { g.add_budget(literals(g, n), k); });
  }
  if (n >= 2) {
    add("or out", [&](FactorGraph& g) {
      Literals all = literals(g, n);
      const Literal output = all.back();
      all.pop_back();
      g.add_or_out(all, output);
    });
  }
  for (const int capacity : {0, 3, 7, 100}) {
    add("knapsack " + std::to_string(capacity), [&](FactorGraph& g) {
      std::vector<double> weights;
      for (int i = 0; i < n; ++i) weights.push_back(std::uniform_int_distribution<int>(0, 8)(random));
      g.add_knapsack(literals(g, n), weights, capacity);
    });
  }
  for (const double holes : {0.0, 0.25}) {
    add("sequence", [&](FactorGraph& g) {
      std::vector<Literals> groups;
      std::size_t before = 0, transitions = 0;
      for (int left = n; left > 0;) {
        const int size = std::min(left, std::uniform_int_distribution<int>(1, 3)(random));
        const auto states = static_cast<std::size_t>(std::max(2, size));
        groups.push_back(literals(g, size));
        transitions += before * states;
        before = states;
        left -= size;
      }
      std::vector<double> scores(transitions);
      for (double& x : scores) x = uniform(random, 0, 1) < holes ? -HUGE_VAL : uniform(random, -2, 2);
      std::size_t at = 0;  // first values everywhere are allowed
      for (std::size_t t = 1; t < groups.size(); ++t) {
        scores[at] = 0.5;
        at += std::max<std::size_t>(2, groups[t - 1].size()) * std::max<std::size_t>(2, groups[t].size());
      }
      g.add_sequence(groups, scores);
    });
  }
  for (const double holes : {0.0, 0.25}) {
    for (const int heads : {0, n / 3}) {
      add("head", [&](FactorGraph& g) {
        const Literals all = literals(g, n);
        const auto left = all.begin() + heads, right = left + (n - heads) / 2;
        add_random_head(g, {all.begin(), left}, {left, right}, {right, all.end()},
                        [&] { return uniform(random, 0, 1) < holes ? -HUGE_VAL : uniform(random, -2, 2); });
      });
    }
  }
  for (const int scored : {0, 1, 2, 100}) {
    add("rooted tree", [&](FactorGraph& g) { add_random_rooted_tree(g, n, scored, random); });
  }
  for (const double share : {1.0, 0.5, 0.2}) {
    add("rooted tree with subtrees", [&](FactorGraph& g) { add_random_subtrees(g, n, share, random); });
  }
  if (n >= 4) {
    add("compression", [&](FactorGraph& g) {
      const int words = n - n / 3;
      const Literals all = literals(g, words);
      std::vector<LiteralOfBoth> bigrams;
      for (int k = 0; k < n / 3; ++k) bigrams.push_back({words - 1 - k, g.add_variable()});
      std::vector<int> counted;
      std::vector<double> transitions;
      for (int t = 0; t < words; ++t) counted.push_back(t % 3 == 1 ? 0 : 1);
      for (int t = 0; t < 4 * (words - 1); ++t) transitions.push_back(uniform(random, -2, 2));
      g.add_compression(all, words / 2, counted, transitions, bigrams);
    });
  }
  add("even", [&](FactorGraph& g) { g.add_factor(std::make_shared<EvenFactor>(n), literals(g, n)); });
  if (n == 2) {
    for (const double s : {1.5, -2.0, 0.0}) {
      add("pair", [&](FactorGraph& g) { g.add_pair(g.add_variable(), g.add_variable(), s); });
    }
  }
  if (n <= 6) {
    for (const double holes : {0.0, 0.3}) {
      add("table", [&](FactorGraph& g) {
        std::vector<double> table(std::size_t{1} << n);
        for (double& x : table) x = uniform(random, 0, 1) < holes ? -HUGE_VAL : uniform(random, -2, 2);
        table[0] = 0.5;
        g.add_table(literals(g, n), table);
      });
    }
  }
  if (n >= 4 && n <= 8) {
    add("table of groups", [&](FactorGraph& g) {
      const Literals all = literals(g, n);
      std::vector<Literals> groups{{all[0]}, {all.begin() + 1, all.begin() + 3}, {all.begin() + 3, all.end()}};
      std::vector<double> table(static_cast<std::size_t>(2 * 2 * std::max(2, n - 3)));
      for (double& x : table) x = uniform(random, -2, 2);
      table[1] = -HUGE_VAL;
      g.add_table(groups, table);
    });
  }
  if (n >= 4 && n <= 8) {
    add("table of two variables", [&](FactorGraph& g) {
      const Literals all = literals(g, n);
      const std::vector<Literals> groups{{all.begin(), all.begin() + n / 2}, {all.begin() + n / 2, all.end()}};
      std::vector<double> table(static_cast<std::size_t>((n / 2) * (n - n / 2)));
      for (double& x : table) x = uniform(random, 0, 1) < 0.2 ? -HUGE_VAL : uniform(random, -2, 2);
      table[1] = 1.0;
      g.add_table(groups, table);
    });
  }
  if (n == 4) {
    for (int repeat = 0; repeat < 4; ++repeat) {
      add("table of two by two", [&](FactorGraph& g) {
        const Literals all = literals(g, n);
        std::vector<double> table(4);
        for (double& x : table) x = uniform(random, -2, 2);
        g.add_table(std::vector<Literals>{{all[0], all[1]}, {all[2], all[3]}}, table);
      });
    }
  }
  for (const Root root : {Root::single, Root::multi}) {
    const int words = n <= 2 ? 1 : n <= 6 ? 2 : 3;
    std::vector<Arc> arcs;
    for (int d = 1; d <= words; ++d)
      for (int h = 0; h <= words; ++h)
        if (h != d) arcs.push_back({h, d});
    if (static_cast<int>(arcs.size()) > n) continue;
    add(root == Root::single ? "tree, single root" : "tree, multi-root", [&](FactorGraph& g) {
      std::shuffle(arcs.begin(), arcs.end(), random);
      std::vector<TreeArc> tree;
      for (const Arc arc : arcs) tree.push_back({arc, g.add_variable()});
      g.add_tree(words, tree, root);
    });
  }
  return result;
}

}  // namespace kirchhoff::brute
