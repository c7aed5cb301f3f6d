// The useful part of a machine as one graph with a source and a sink, in topological order of its components.
#pragma once

#include "kirchhoff/wfsm.hpp"

#include <cstddef>
#include <vector>

namespace kirchhoff::wfsm {

/// What a user builds. Places number everything that has a weight: transitions, then starts, then finals.
struct Machine {
  int states = 0;
  std::vector<Transition> transitions;
  std::vector<double> start, final;
  WfsmSymbols symbols;

  int places() const { return static_cast<int>(transitions.size()) + 2 * states; }
  int start_place(int state) const { return static_cast<int>(transitions.size()) + state; }
  int final_place(int state) const { return static_cast<int>(transitions.size()) + states + state; }
};

/// Node 0 is the source, the last one the sink; start and final weights are arcs from and to them. So everything with a
/// weight is an arc, every trajectory a path from source to sink, and no formula needs a special case.
struct Graph {
  struct Arc {
    int to = 0;
    int place = 0;
  };
  std::vector<std::size_t> begin;  ///< arcs of node v: begin[v] .. begin[v+1]
  std::vector<Arc> arcs;           ///< by source node, then as in the machine
  std::vector<int> from;           ///< source node of each arc
  std::vector<int> component;      ///< of each node; ascending, so that arcs never go back
  std::vector<int> first;          ///< nodes of component c: first[c] .. first[c+1]
  std::vector<char> cyclic;        ///< the component has an arc inside
  std::vector<int> node;           ///< of each state, -1 when useless
  std::vector<int> state;          ///< of each node, -1 for source and sink

  int nodes() const { return static_cast<int>(state.size()); }
  int source() const { return 0; }
  int sink() const { return nodes() - 1; }
  int components() const { return static_cast<int>(first.size()) - 1; }
  bool inside(std::size_t arc) const { return component[from[arc]] == component[arcs[arc].to]; }
};

/// No nodes when there is no trajectory. O(arcs).
Graph make_graph(const Machine& machine);

}  // namespace kirchhoff::wfsm
