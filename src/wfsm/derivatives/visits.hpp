// The matrix P* of expected visits between all nodes, which Hessians and derivatives of any order need.
#pragma once

#include "wfsm/wfsm_state.hpp"

namespace kirchhoff::wfsm {

/// The nodes that a place leads from and to, or -1 where the graph leaves them out.
struct Ends {
  int from = -1;
  int to = -1;
  bool useful() const { return from >= 0 && to >= 0; }
};
Ends ends_of(const Machine& machine, const TrimGraph& graph, int place);

/// The matrix P*, whose row j has the expected visits to every node from j on. One forward solve for each node. Throws
/// Stopped when `stop` returns true.
Matrix all_visits(const MarkovChain& chain, const Stop& stop);

/// Throws InputError when A^order doubles are more than max_bytes.
void check_memory(const char* function, const Wfsm& machine, int order, double max_bytes);

}  // namespace kirchhoff::wfsm
