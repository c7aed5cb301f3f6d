// Factor graphs with gold assignments to learn from, and the definition of their losses, by enumeration.
#pragma once

#include "kirchhoff/learn.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <random>

namespace kirchhoff {

inline constexpr double kInf = std::numeric_limits<double>::infinity();

/// All numbers that a graph is made of, in the shape of a gradient.
struct Scores {
  std::vector<double> variables;
  std::vector<std::vector<double>> factors;
  std::vector<double*> all() {
    std::vector<double*> pointers;
    for (double& x : variables) pointers.push_back(&x);
    for (auto& factor : factors) {
      for (double& x : factor) pointers.push_back(&x);
    }
    return pointers;
  }
};
inline std::vector<double> flat(const GraphObjective& objective) {
  std::vector<double> all = objective.variables;
  for (const auto& factor : objective.factors) all.insert(all.end(), factor.begin(), factor.end());
  return all;
}

/// A factor of one's own with a number for each configuration, first input slowest.
class OwnFactor final : public Factor {
 public:
  OwnFactor(int arity, std::vector<double> scores) : Factor(arity), scores_(std::move(scores)) {}
  double score(Configuration y) const override {
    std::size_t index = 0;
    for (const std::uint8_t bit : y) index = 2 * index + bit;
    return scores_[index];
  }

 private:
  std::vector<double> scores_;
};

struct Problem {
  std::function<FactorGraph(const Scores&)> build;
  Scores scores;
  Assignment gold;
  std::vector<int>
      value_of;  ///< by variable, the first value of the variable that it is a value of; -1 for binary ones
  std::vector<double> costs;
};

class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {}
  std::vector<double> normal(std::size_t count, double deviation = 1.5) {
    std::vector<double> all(count);
    for (double& x : all) x = std::normal_distribution<double>(0.0, deviation)(random_);
    return all;
  }
  /// Any assignment that the graph allows.
  Assignment assignment(const FactorGraph& graph) {
    for (;;) {
      Assignment y(static_cast<std::size_t>(graph.variables()));
      for (auto& bit : y) bit = static_cast<std::uint8_t>(random_() % 2);
      if (score(graph, y) != -kInf) return y;
    }
  }

 private:
  std::mt19937 random_;
};

inline void finish(Problem& problem, Random& random) {
  problem.gold = random.assignment(problem.build(problem.scores));
  for (std::size_t i = 0; i < problem.gold.size(); ++i)
    problem.costs.push_back(0.5 + 0.25 * static_cast<double>(i % 4));
}

/// A colour, a table that ties it to a switch, a pair with a negation, a factor of one's own, and hard ones.
inline Problem without_loops(unsigned seed) {
  Random random(seed);
  Problem problem;
  problem.scores.variables = random.normal(9);
  problem.scores.variables[8] = -kInf;
  problem.scores.factors = {{}, random.normal(6), random.normal(1), random.normal(8), {}, {}};
  problem.scores.factors[1][4] = -kInf;
  problem.value_of = {0, 0, 0, -1, -1, -1, -1, -1, -1};
  problem.build = [](const Scores& s) {
    FactorGraph g;
    const auto& v = s.variables;
    const std::vector<Variable> colour = g.add_values({v[0], v[1], v[2]});
    std::vector<Variable> w;
    for (std::size_t i = 3; i < 9; ++i) w.push_back(g.add_variable(v[i]));
    g.add_table({{colour[0], colour[1], colour[2]}, {w[0]}}, s.factors[1]);
    g.add_pair(w[0], !Literal(w[1]), s.factors[2][0]);
    g.add_factor(std::make_shared<OwnFactor>(3, s.factors[3]), {w[1], !Literal(w[2]), w[3]});
    g.add_or({w[3], !Literal(w[4])});
    g.add_imply(w[5], w[4]);
    return g;
  };
  finish(problem, random);
  return problem;
}

/// Four colours with a table for every two, and a switch with pairs to three of their values. `strength` is how much
/// the factors say: where they say much, the relaxation is fractional.
inline Problem with_loops(unsigned seed, double strength) {
  Random random(seed);
  Problem problem;
  problem.scores.variables = random.normal(13, 0.5);
  problem.scores.factors.resize(4);
  for (int side = 0; side < 6; ++side) problem.scores.factors.push_back(random.normal(9, strength));
  for (int pair = 0; pair < 3; ++pair) problem.scores.factors.push_back(random.normal(1, strength));
  for (int i = 0; i < 12; ++i) problem.value_of.push_back(i / 3 * 3);
  problem.value_of.push_back(-1);
  problem.build = [](const Scores& s) {
    FactorGraph g;
    std::vector<Literals> colours;
    for (std::size_t c = 0; c < 4; ++c) {
      const auto first = s.variables.begin() + static_cast<std::ptrdiff_t>(3 * c);
      colours.emplace_back();
      for (const Variable v : g.add_values({first, first + 3})) colours.back().push_back(v);
    }
    const Variable w = g.add_variable(s.variables[12]);
    std::size_t f = 4;
    for (std::size_t a = 0; a < 4; ++a) {
      for (std::size_t b = a + 1; b < 4; ++b) g.add_table({colours[a], colours[b]}, s.factors[f++]);
    }
    for (std::size_t pair = 0; pair < 3; ++pair) g.add_pair(colours[pair][1], w, s.factors[f++][0]);
    return g;
  };
  finish(problem, random);
  return problem;
}

inline GraphLossOptions options_of(const Problem& problem, Cost cost) {
  GraphLossOptions options;
  options.cost = cost;
  options.costs = problem.costs;
  options.bp.tolerance = 1e-13;
  return options;
}

inline double cost_of(const Problem& problem, const Assignment& y, Cost cost) {
  double sum = 0.0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (y[i] == problem.gold[i]) continue;
    sum += (problem.value_of[i] >= 0 && cost == Cost::mistakes ? 0.5 : 1.0) * problem.costs[i];
  }
  return sum;
}

/// The definition of L_{beta,gamma}, over all assignments.
inline double by_enumeration(const Problem& problem, const Scores& scores, Loss loss, Cost cost) {
  const FactorGraph graph = problem.build(scores);
  const auto n = static_cast<std::size_t>(graph.variables());
  const double gold = score(graph, problem.gold);
  std::vector<long double> exponents;
  for (std::size_t e = 0; e < std::size_t{1} << n; ++e) {
    Assignment y(n);
    for (std::size_t i = 0; i < n; ++i) y[i] = static_cast<std::uint8_t>((e >> i) & 1);
    const double own = score(graph, y);
    if (own != -kInf) exponents.push_back(own - gold + loss.gamma * cost_of(problem, y, cost));
  }
  const long double most = *std::max_element(exponents.begin(), exponents.end());
  if (std::isinf(loss.beta)) return static_cast<double>(most);
  long double sum = 0;
  for (const long double x : exponents) sum += std::exp(loss.beta * (x - most));
  return static_cast<double>(most + std::log(sum) / loss.beta);
}

}  // namespace kirchhoff
