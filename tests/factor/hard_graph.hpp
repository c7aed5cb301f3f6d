// A graph that is hard for each solver, and a way to stop one.
#pragma once

#include "factor/graphs.hpp"

namespace kirchhoff::brute {

/// Variables with random scores on all pairs: hard for each solver.
inline FactorGraph hard_graph(int variables) {
  Random random(7);
  FactorGraph graph;
  std::vector<Variable> all;
  for (int i = 0; i < variables; ++i) all.push_back(graph.add_variable(uniform(random, -1, 1)));
  for (int i = 0; i < variables; ++i) {
    for (int j = 0; j < i; ++j) graph.add_pair(all[i], all[j], uniform(random, -3, 3));
  }
  return graph;
}

/// Says yes once, when asked for the last time that is allowed; counts.
struct Once {
  int allowed;
  int asked = 0;
  bool operator()() { return ++asked == allowed; }
};

}  // namespace kirchhoff::brute
