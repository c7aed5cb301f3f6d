// From a machine to its chain.
#pragma once

#include "kirchhoff/tree.hpp"
#include "wfsm/chain.hpp"

namespace kirchhoff::wfsm {

struct Solved {
  Chain chain;
  Report report;
};

/// InputError when Z is infinite or too close to it. `graph` must have nodes.
Solved solve(const Machine& machine, Graph graph, const Accuracy& accuracy);

/// Log-weight of each place.
double log_weight_at(const Machine& machine, int place);

/// "the cycle 1 -> 2 -> 1 has weight 1.5" or, when no single cycle reaches 1, what is known about those through `node`.
std::string describe_cycle(const Machine& machine, const Graph& graph, int node);

}  // namespace kirchhoff::wfsm
