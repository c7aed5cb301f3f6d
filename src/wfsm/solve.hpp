// From a machine to its chain.
#pragma once

#include "wfsm/chain.hpp"

#include <string>

namespace kirchhoff::wfsm {

struct Solved {
  Chain chain;
  Report report;
};

/// InputError when Z is infinite or too close to it. `graph` must have nodes.
Solved solve(const Machine& machine, const Graph& graph, const Accuracy& accuracy);

/// Log-weight of each place.
double log_weight_at(const Machine& machine, int place);

/// Throws InfiniteSum: `problem`, and the heaviest cycle through `node` or one of weight above 1.
[[noreturn]] void throw_infinite(const Machine& machine, const Graph& graph, int node, const std::string& problem);

}  // namespace kirchhoff::wfsm
