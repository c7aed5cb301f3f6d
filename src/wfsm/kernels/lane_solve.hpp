// The kernel that solves eight machines of one skeleton without cycles.
#pragma once

#include <cstddef>

namespace kirchhoff::wfsm {

inline constexpr int kLanes = 8;

struct LaneArc {
  int to;
  int place;
};

/// Arrays of blocks of kLanes doubles, aligned to 64 bytes: log-weights by place, the others by arc or node.
struct LaneArrays {
  const double* log_weights;
  double* p;      ///< by arc
  double* m;      ///< by node, e_v = exp(level) m
  double* level;  ///< by node, a whole number
  double* rest;   ///< by node, log m
};

/// Solves from the sink, the last node, whose m must be 1 and whose level and rest must be 0. Node v has arcs begin[v]
/// .. begin[v+1], which lead to later nodes. A node from which no way leads to the sink has m = 0, and its arcs p = 0.
void solve_lanes(int sink, const std::size_t* begin, const LaneArc* arcs, const LaneArrays& arrays);

}  // namespace kirchhoff::wfsm
