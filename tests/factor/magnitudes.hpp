// Random graphs of all kinds of factors with scores from 1e-12 to 1e12, and the truth about them from a list of all
// assignments. KIRCHHOFF_DIFFERENTIAL=100 asks the tests for a hundred times as many graphs.
#pragma once

#include "factor/graphs.hpp"

#include <cstdlib>

namespace kirchhoff::brute {

inline int times() {
  const char* text = std::getenv("KIRCHHOFF_DIFFERENTIAL");
  return text == nullptr ? 1 : std::atoi(text);
}

/// Where scores come from.
struct Scores {
  enum class Kind { alike, penalties, mixed };
  Kind kind;
  double size;
  Random& random;

  /// Of a variable, or an entry of a table.
  double operator()() const {
    if (kind == Kind::mixed) return uniform(random, -2, 2) * std::pow(10.0, uniform(random, -12, 12));
    return uniform(random, -2, 2) * (kind == Kind::alike ? size : 1.0);
  }
  /// What a factor takes, or now and then gives, for a configuration.
  double penalty() const {
    if (kind != Kind::penalties) return (*this)();
    return uniform(random, 0, 1) < 0.1 ? (*this)() : -size * uniform(random, 0.5, 1);
  }
};

inline int number(Random& random, int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }

inline void add_factor(FactorGraph& graph, Literals literals, const Scores& scores) {
  Random& random = scores.random;
  for (Literal& literal : literals) literal = random_sign(literal, random);
  const int n = static_cast<int>(literals.size());
  switch (number(random, 0, 12)) {
    case 0:
      graph.add_xor(literals);
      return;
    case 1:
      graph.add_or(literals);
      return;
    case 2:
      graph.add_nand(literals);
      return;
    case 3:
      graph.add_at_most_one(literals);
      return;
    case 4:
      graph.add_budget(literals, number(random, 0, n));
      return;
    case 5:
      graph.add_factor(std::make_shared<EvenFactor>(n), literals);
      return;
    case 6:
    case 7: {
      std::vector<double> table(std::size_t{1} << n);
      for (double& x : table) x = uniform(random, 0, 1) < 0.2 ? -HUGE_VAL : scores.penalty();
      table[random() % table.size()] = scores();
      graph.add_table(literals, table);
      return;
    }
    default:
      break;
  }
  if (n == 1) {
    graph.add_table(literals, {scores.penalty(), scores()});
    return;
  }
  const Literal last = literals.back();
  const Literals others(literals.begin(), literals.end() - 1);
  switch (number(random, 0, 9)) {
    case 0:
      graph.add_or_out(others, last);
      return;
    case 5:
      graph.add_and_out(others, last);
      return;
    case 6:
      graph.add_imply(others, last);
      return;
    case 7:
      graph.add_knapsack(literals, std::vector<double>(literals.size(), number(random, 0, 4)), number(random, 0, 8));
      return;
    case 8: {
      std::vector<double> transitions(2 * std::max<std::size_t>(2, others.size()));
      for (double& x : transitions) x = scores.penalty();
      graph.add_sequence({others, {last}}, transitions);
      return;
    }
    case 9:
      add_random_head(graph, {literals[0]}, {literals.begin() + 1, literals.end() - 1}, {last},
                      [&] { return uniform(random, 0, 1) < 0.1 ? -HUGE_VAL : scores.penalty(); });
      return;
    case 1:
      graph.add_xor_out(others, last);
      return;
    default:
      graph.add_pair(literals[0], last, scores.penalty());
  }
}

/// Loopy, or a tree of factors.
inline FactorGraph random_graph(bool loopy, const Scores& scores) {
  Random& random = scores.random;
  FactorGraph graph;
  std::vector<Variable> all;
  const auto add_variable = [&] {
    all.push_back(graph.add_variable(uniform(random, 0, 1) < 0.03 ? -HUGE_VAL : scores()));
  };
  const int factors = number(random, 1, 6);
  if (!loopy) {
    add_variable();
    for (int f = 0; f < factors; ++f) {
      Literals literals = {all[random() % all.size()]};
      for (int k = number(random, f == 0 ? 0 : 1, 2); k > 0; --k) {
        add_variable();
        literals.push_back(all.back());
      }
      std::shuffle(literals.begin(), literals.end(), random);
      add_factor(graph, literals, scores);
    }
    return graph;
  }
  for (int i = number(random, 2, 7); i > 0; --i) add_variable();
  if (uniform(random, 0, 1) < 0.2) {
    for (const Variable v : graph.add_values({scores(), scores(), scores()})) all.push_back(v);
  }
  if (uniform(random, 0, 1) < 0.2) {
    std::vector<TreeArc> arcs;
    for (const Arc arc : {Arc{0, 1}, Arc{2, 1}, Arc{0, 2}, Arc{1, 2}}) {
      add_variable();
      arcs.push_back({arc, random_sign(all.back(), random)});
    }
    graph.add_tree(2, arcs, uniform(random, 0, 1) < 0.5 ? Root::single : Root::multi);
  }
  for (int f = 0; f < factors; ++f) {
    std::shuffle(all.begin(), all.end(), random);
    const int n = std::min<int>(number(random, 1, 4), static_cast<int>(all.size()));
    add_factor(graph, Literals(all.begin(), all.begin() + n), scores);
  }
  return graph;
}

struct Truth {
  bool feasible = false;
  Real value = -HUGE_VALL;
  Real size = 0;  ///< The sum of the sizes of what the best assignment's score adds up.
  Real log_partition = 0;
  std::vector<Real> marginals;
};

inline Truth truth_of(const FactorGraph& graph) {
  const auto n = static_cast<std::size_t>(graph.variables());
  Truth truth;
  LogSum all;
  std::vector<LogSum> ones(n);
  for (std::size_t e = 0; e < std::size_t{1} << n; ++e) {
    const auto y = bits(e, n);
    Real value = 0, size = 0;
    const auto add = [&](double s) {
      value += s;
      size += std::abs(s);
    };
    for (std::size_t i = 0; i < n; ++i) {
      if (y[i]) add(graph.scores()[i]);
    }
    std::vector<std::uint8_t> inputs;
    for (int f = 0; f < graph.factors(); ++f) {
      inputs.clear();
      for (int k = graph.first_edge(f); k < graph.first_edge(f + 1); ++k) {
        inputs.push_back(static_cast<std::uint8_t>(y[graph.edge(k).variable] != (graph.edge(k).negated ? 1 : 0)));
      }
      add(graph.factor(f).score(inputs));
    }
    if (value == -HUGE_VALL) continue;
    all.add(value);
    for (std::size_t i = 0; i < n; ++i) {
      if (y[i]) ones[i].add(value);
    }
    if (truth.feasible && value <= truth.value) continue;
    truth.feasible = true;
    truth.value = value;
    truth.size = size;
  }
  truth.log_partition = all.value();
  for (const LogSum& one : ones) truth.marginals.push_back(std::exp(one.value() - all.value()));
  return truth;
}

inline Scores scores_of(int kind, int exponent, Random& random) {
  return {static_cast<Scores::Kind>(kind), std::pow(10.0, exponent), random};
}

}  // namespace kirchhoff::brute
