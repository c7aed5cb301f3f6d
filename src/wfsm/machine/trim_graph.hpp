// The useful part of a machine as one graph with a source and a sink, in topological order of its components.
#pragma once

#include "kirchhoff/wfsm.hpp"

#include <cstddef>
#include <vector>

namespace kirchhoff::wfsm {

/// What a user builds. Everything that has a weight has a place: transitions come first, then starts, then finals.
struct Machine {
  int states = 0;
  std::vector<Transition> transitions;
  std::vector<double> start, final;
  WfsmSymbols symbols;

  int places() const { return static_cast<int>(transitions.size()) + 2 * states; }
  int start_place(int state) const { return static_cast<int>(transitions.size()) + state; }
  int final_place(int state) const { return static_cast<int>(transitions.size()) + states + state; }
};

/// The part of a machine that trajectories visit. Node 0 is the source and the last one the sink; start and final
/// weights are arcs from and to them. So everything with a weight is an arc, every trajectory is a path from source to
/// sink, and no formula needs a special case.
struct TrimGraph {
  struct Arc {
    int to = 0;
    int place = 0;
  };
  std::vector<std::size_t> begin;  ///< node v has arcs begin[v] .. begin[v+1]
  std::vector<Arc> arcs;           ///< sorted by source node, then as in the machine
  std::vector<int> from;           ///< the source node of each arc
  std::vector<int> component;      ///< the component of each node; ascending, so that arcs never go back
  std::vector<int> first;          ///< component c has nodes first[c] .. first[c+1]
  std::vector<char> cyclic;        ///< whether each component has an arc inside
  std::vector<int> node;           ///< the node of each state, -1 when useless
  std::vector<int> state;          ///< the state of each node, -1 for source and sink

  int nodes() const { return static_cast<int>(state.size()); }
  int source() const { return 0; }
  int sink() const { return nodes() - 1; }
  int components() const { return static_cast<int>(first.size()) - 1; }
  bool inside(std::size_t arc) const { return component[from[arc]] == component[arcs[arc].to]; }
};

/// Leaves out what no trajectory visits; without any trajectory there are no nodes. O(arcs).
TrimGraph trim(const Machine& machine);

}  // namespace kirchhoff::wfsm
