// Factor graphs to learn from whose factors have scores of parts: HEAD, SEQUENCE and ROOTED-TREE.
#pragma once

#include "factor/factors/head.hpp"
#include "learn/graph_problems.hpp"

namespace kirchhoff {

/// A SEQUENCE, a HEAD and a ROOTED-TREE, each of which shares a variable with the next.
inline Problem parts_without_loops(unsigned seed) {
  Random random(seed);
  Problem problem;
  problem.scores.variables = random.normal(11);
  problem.scores.factors = {{}, random.normal(10), random.normal(15), random.normal(11)};
  problem.scores.factors[1][4] = -kInf;
  problem.value_of = {0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1};
  problem.build = [](const Scores& s) {
    FactorGraph g;
    const auto& v = s.variables;
    const std::vector<Variable> colour = g.add_values({v[0], v[1], v[2]});
    std::vector<Variable> w(3);
    for (std::size_t i = 3; i < 11; ++i) w.push_back(g.add_variable(v[i]));
    g.add_sequence({{colour[0], colour[1], colour[2]}, {!Literal(w[3])}, {w[4]}}, s.factors[1]);
    const factor::HeadShape shape{.heads = 2, .dependents = {2, 1}};
    g.add_factor(std::make_shared<factor::HeadFactor>(shape, factor::HeadFactor::OwnScores{s.factors[2]}),
                 {w[5], w[6], w[4], !Literal(w[7]), w[8]});
    const std::vector<double>& own = s.factors[3];  // at most two of them count
    g.add_rooted_tree({.groups = {{w[8]}, {w[9]}, {w[10]}},
                       .parents = {-1, 0, 0},
                       .transitions = {own.begin(), own.begin() + 8},
                       .counted = {1, 1, 0},
                       .count_scores = {own.begin() + 8, own.end()}});
    return g;
  };
  finish(problem, random);
  return problem;
}

/// The same kinds of factors in loops.
inline Problem parts_with_loops(unsigned seed, double strength) {
  Random random(seed);
  Problem problem;
  problem.scores.variables = random.normal(13, 0.5);
  problem.scores.factors.resize(3);
  for (const std::size_t size : {18, 9, 10, 15, 1, 1, 1})
    problem.scores.factors.push_back(random.normal(size, strength));
  for (int i = 0; i < 9; ++i) problem.value_of.push_back(i / 3 * 3);
  for (int i = 0; i < 4; ++i) problem.value_of.push_back(-1);
  problem.build = [](const Scores& s) {
    FactorGraph g;
    std::vector<Literals> colours;
    for (std::size_t c = 0; c < 3; ++c) {
      const auto first = s.variables.begin() + static_cast<std::ptrdiff_t>(3 * c);
      colours.emplace_back();
      for (const Variable v : g.add_values({first, first + 3})) colours.back().push_back(v);
    }
    std::vector<Variable> w;
    for (std::size_t i = 9; i < 13; ++i) w.push_back(g.add_variable(s.variables[i]));
    g.add_sequence(colours, s.factors[3]);
    g.add_table({colours[0], colours[2]}, s.factors[4]);
    const factor::HeadShape shape{.heads = 2, .dependents = {1, 1}};
    g.add_factor(std::make_shared<factor::HeadFactor>(shape, factor::HeadFactor::OwnScores{s.factors[5]}),
                 {w[0], w[1], w[2], w[3]});
    const std::vector<double>& own = s.factors[6];
    g.add_rooted_tree({.groups = {{colours[0][1]}, {w[2]}, {colours[2][0]}},
                       .parents = {-1, 0, 1},
                       .transitions = {own.begin(), own.begin() + 8},
                       .counted = {1, 1, 1},
                       .count_scores = {own.begin() + 8, own.begin() + 12},
                       .subtree_counts = {{1, {own.begin() + 12, own.end()}}}});
    g.add_pair(colours[1][1], w[2], s.factors[7][0]);
    g.add_pair(colours[2][0], w[3], s.factors[8][0]);
    g.add_pair(colours[0][2], w[0], s.factors[9][0]);
    return g;
  };
  finish(problem, random);
  return problem;
}

}  // namespace kirchhoff
