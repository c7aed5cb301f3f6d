// Random factor graphs: small ones of all kinds, trees of factors, and second-order dependency graphs.
#pragma once

#include "factor/all_factors.hpp"
#include "support/oracle.hpp"

#include <algorithm>

namespace kirchhoff::brute {

inline Literal random_sign(Literal literal, Random& random) { return uniform(random, 0, 1) < 0.3 ? !literal : literal; }

/// Adds a random factor over the literals.
inline void add_random_factor(FactorGraph& graph, Literals literals, Random& random) {
  for (Literal& literal : literals) literal = random_sign(literal, random);
  const int n = static_cast<int>(literals.size());
  const int kind = std::uniform_int_distribution<int>(0, 9)(random);
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
  } else if (kind == 7 && n > 1) {
    const Literal output = literals.back();
    literals.pop_back();
    if (uniform(random, 0, 1) < 0.5) {
      graph.add_and_out(literals, output);
    } else {
      graph.add_imply(literals, output);
    }
  } else if (kind == 8) {
    std::vector<double> weights;
    for (int i = 0; i < n; ++i) weights.push_back(std::uniform_int_distribution<int>(1, 5)(random));
    graph.add_knapsack(literals, weights, 6);
  } else if (kind == 9 && n > 2) {
    std::vector<double> transitions(4);
    for (double& x : transitions) x = uniform(random, -1.5, 1.5);
    graph.add_sequence({{literals[0]}, Literals(literals.begin() + 1, literals.begin() + 3)}, transitions);
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

struct TreeAnswers {
  Real value = -HUGE_VALL;  ///< the score of the best tree
  Real log_partition = 0;
  Matrix marginals;  ///< the marginals of arcs
};

/// Lists all trees of a model with scores of arcs and pairs.
inline TreeAnswers by_trees(const DependencyModel& model) {
  const oracle::Forest forest(model.scores, model.root);
  std::vector<Real> scores;
  LogSum sum;
  for (const oracle::Tree& tree : forest.trees()) {
    const auto has = [&](Arc arc) { return tree.heads[arc.dependent] == arc.head; };
    Real score = tree.score;
    for (const ArcPair& pair : model.pairs) score += has(pair.first) && has(pair.second) ? pair.score : 0.0;
    scores.push_back(score);
    sum.add(score);
  }
  TreeAnswers result{sum.highest(), sum.value(), Matrix::Zero(model.scores.rows(), model.scores.cols())};
  for (std::size_t t = 0; t < scores.size(); ++t) {
    const Heads& heads = forest.trees()[t].heads;
    const auto p = static_cast<double>(std::exp(scores[t] - sum.value()));
    for (std::size_t d = 1; d < heads.size(); ++d) result.marginals(heads[d], static_cast<Eigen::Index>(d)) += p;
  }
  return result;
}

/// The same graph with variables and factors in another order; valid while `graph` is, and which variable became which.
struct Permuted {
  FactorGraph graph;
  std::vector<int> to;
};
inline Permuted permuted(const FactorGraph& graph, Random& random) {
  Permuted result;
  const int n = graph.variables();
  result.to.resize(static_cast<std::size_t>(n));
  std::vector<int> from(result.to.size());
  for (int i = 0; i < n; ++i) from[i] = i;
  std::shuffle(from.begin(), from.end(), random);
  for (int k = 0; k < n; ++k) {
    result.to[from[k]] = k;
    result.graph.add_variable(graph.scores()[from[k]]);
  }
  std::vector<int> order;
  for (int f = 0; f < graph.factors(); ++f) order.push_back(f);
  std::shuffle(order.begin(), order.end(), random);
  for (const int f : order) {
    Literals literals;
    for (int e = graph.first_edge(f); e < graph.first_edge(f + 1); ++e) {
      Literal literal = graph.edge(e);
      literal.variable = result.to[literal.variable];
      literals.push_back(literal);
    }
    result.graph.add_factor({std::shared_ptr<const void>(), &graph.factor(f)}, literals);
  }
  return result;
}

}  // namespace kirchhoff::brute
