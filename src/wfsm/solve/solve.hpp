// Solving a machine: from its weights to its Markov chain.
#pragma once

#include "wfsm/solve/markov_chain.hpp"

#include <string>

namespace kirchhoff::wfsm {

struct SolvedChain {
  MarkovChain chain;
  Report report;
};

/// Throws InfiniteSum when Z is infinite or too close to it. `graph` must have nodes.
SolvedChain solve(const Machine& machine, const TrimGraph& graph, const Accuracy& accuracy);

/// The log-weight of a place.
double log_weight_at(const Machine& machine, int place);

/// Throws InfiniteSum with `problem` and the heaviest cycle through `node`, or a cycle of weight above 1.
[[noreturn]] void throw_infinite(const Machine& machine, const TrimGraph& graph, int node, const std::string& problem);

}  // namespace kirchhoff::wfsm
