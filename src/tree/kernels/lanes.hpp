// Solves several small graphs at once by the robust method, one graph in each lane of the vector registers.
//
// A register is mostly empty when the rows of one graph of 10 words lie in it. With a graph in each lane every
// instruction works for all of them, and no row is too short.
#pragma once

#include "kirchhoff/tree_batch.hpp"

#include <cstddef>
#include <span>

namespace kirchhoff::tree {

/// The scores of one graph without labels, and where its n + 1 rows of marginals go, `stride` doubles apart.
struct LaneGraph {
  GraphView view;
  double* marginals;
  std::ptrdiff_t stride;
};

struct LaneAnswer {
  double log_partition;
  bool solved;  ///< else nothing was written, and the graph must be solved alone
};

/// Graphs of this many words at most are better solved in lanes than alone.
inline constexpr int kLaneWords = 48;
/// Graphs in a group, at most: as many as a vector has doubles.
std::size_t lanes();
inline constexpr std::size_t kMostLanes = 8;
/// Solves a group of graphs of any sizes; the largest decides how long it takes. A graph's result does not depend on
/// the others. Not solved are graphs whose scores are wrong, too large or too far apart for doubles, and those that
/// have no tree.
void solve_lanes(std::span<const LaneGraph> graphs, Root root, std::span<LaneAnswer> answers);

}  // namespace kirchhoff::tree
