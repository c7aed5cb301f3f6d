// Solves several small graphs at once, one graph in each lane of the vector registers.
//
// A register is mostly empty when the rows of one graph of 10 words lie in it. With a graph in each lane every
// instruction works for all of them, and no row is too short.
#pragma once

#include "kirchhoff/tree_batch.hpp"
#include "numeric/sum.hpp"

#include <cstddef>
#include <span>

namespace kirchhoff::tree {

/// The scores of one graph without labels, and where n + 1 rows of what is asked for go, `stride` doubles apart: its
/// marginals, and their derivatives along a direction of the scores. All graphs of a group ask for the same.
struct LaneGraph {
  GraphView view;
  std::ptrdiff_t stride;
  double* marginals = nullptr;  ///< or nowhere, where there are derivatives
  GraphView direction = {};
  bool difference = false;        ///< the direction is the scores less `direction`
  double* derivatives = nullptr;  ///< or nowhere
  double sign = 1.0;              ///< by which derivatives are multiplied
};

struct LaneAnswer {
  double log_partition;
  double entropy;     ///< given with derivatives along the scores themselves
  numeric::Sum mean;  ///< the expectation of the direction, given with derivatives
  bool solved;        ///< else what was written means nothing, and the graph must be solved alone
  Method method;      ///< that solved it: fast where weights are mild and errors certified, else robust
};

/// Graphs of this many words at most are better solved in lanes than alone.
inline constexpr int kLaneWords = 32;
/// The same for derivatives.
inline constexpr int kDerivativeLaneWords = 64;
/// Graphs in a group, at most: as many as a vector has doubles.
std::size_t lanes();
inline constexpr std::size_t kMostLanes = 8;
/// Solves a group of graphs of any sizes; the largest decides how long it takes. Graphs with mild weights are inverted,
/// and those whose errors are then not within the tolerance are eliminated without subtraction, as all others; a group
/// where there are both takes the time of both. A graph's result does not depend on the others. Not solved are graphs
/// whose scores are wrong, too large or too far apart for doubles, and those that have no tree.
void solve_lanes(std::span<const LaneGraph> graphs, Root root, const Accuracy& accuracy, std::span<LaneAnswer> answers);
/// The same for derivatives, and marginals if they are asked for. Not solved are graphs whose direction is not finite
/// on some arc, or too large.
void solve_lanes_along(std::span<const LaneGraph> graphs, Root root, const Accuracy& accuracy,
                       std::span<LaneAnswer> answers);

}  // namespace kirchhoff::tree
