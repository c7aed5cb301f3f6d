// Random factor graphs: small ones of all kinds, trees of factors, and second-order dependency graphs.
#pragma once

#include "factor/brute_force.hpp"

#include <algorithm>

namespace kirchhoff::brute {

inline Literal random_sign(Literal literal, Random& random) { return uniform(random, 0, 1) < 0.3 ? !literal : literal; }

/// Adds a random factor over the literals.
inline void add_random_factor(FactorGraph& graph, Literals literals, Random& random) {
  for (Literal& literal : literals) literal = random_sign(literal, random);
  const int n = static_cast<int>(literals.size());
  const int kind = std::uniform_int_distribution<int>(0, 6)(random);
  if (kind == 0 && n == 2) {
    graph.add_pair(literals[0], literals[1], uniform(random, -2, 2));
  } else if (kind <= 1) {
    std::vector<double> table(std::size_t{1} << n);
    for (double& x : table) x = uniform(random, -1.5, 1.5);
    graph.add_table(literals, table);
  } else if (kind == 2 && n > 1) {
    graph.add_xor(literals);
  } else if (kind == 3) {
    graph.add_or(literals);
  } else if (kind == 4) {
    graph.add_budget(literals, std::max(1, n / 2));
  } else if (kind == 5 && n > 2) {
    const Literal output = literals.back();
    literals.pop_back();
    graph.add_or_out(literals, output);
  } else {
    graph.add_at_most_one(literals);
  }
}

/// Every factor shares one variable with those before it: no loops.
inline FactorGraph random_tree_graph(int factors, Random& random) {
  FactorGraph graph;
  graph.add_variable(uniform(random, -1, 1));
  for (int f = 0; f < factors; ++f) {
    Literals literals = {Variable{std::uniform_int_distribution<int>(0, graph.variables() - 1)(random)}};
    for (int k = std::uniform_int_distribution<int>(1, 3)(random); k > 0; --k) {
      literals.push_back(graph.add_variable(uniform(random, -1, 1)));
    }
    std::shuffle(literals.begin(), literals.end(), random);
    add_random_factor(graph, literals, random);
  }
  return graph;
}

inline FactorGraph random_loopy_graph(int variables, int factors, Random& random) {
  FactorGraph graph;
  Literals all = literals(graph, 0);
  for (int i = 0; i < variables; ++i) all.push_back(graph.add_variable(uniform(random, -1, 1)));
  for (int f = 0; f < factors; ++f) {
    std::shuffle(all.begin(), all.end(), random);
    const int n = std::uniform_int_distribution<int>(1, 4)(random);
    add_random_factor(graph, Literals(all.begin(), all.begin() + std::min(n, variables)), random);
  }
  return graph;
}

inline Matrix random_scores(int words, double spread, Random& random, double missing = 0.0) {
  Matrix scores(words + 1, words + 1);
  for (int h = 0; h <= words; ++h)
    for (int d = 0; d <= words; ++d) {
      const bool gone = h != 0 && uniform(random, 0, 1) < missing;
      scores(h, d) = gone ? -HUGE_VAL : std::normal_distribution<double>(0.0, spread)(random);
    }
  return scores;
}

inline DependencyModel random_second_order(int words, Root root, double pair_spread, Random& random) {
  DependencyModel model{random_scores(words, 1.0, random), root, {}, {}, {}, TreeForm::factor};
  model.pairs = sibling_pairs(model.scores);
  const auto grand = grandparent_pairs(model.scores);
  model.pairs.insert(model.pairs.end(), grand.begin(), grand.end());
  for (ArcPair& pair : model.pairs) pair.score = std::normal_distribution<double>(0.0, pair_spread)(random);
  return model;
}

}  // namespace kirchhoff::brute
