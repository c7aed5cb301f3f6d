// Derivatives of the marginals of a batch's small graphs, several graphs at once.
#pragma once

#include "kirchhoff/tree_batch.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace kirchhoff::tree {

/// What is asked about every graph of a batch.
struct AlongQuestion {
  std::span<const GraphView> directions;  ///< of the scores, finite wherever there is an arc
  double sign = 1.0;                      ///< 1, or -1 for minus the derivatives
  std::span<double> derivatives = {};     ///< an array of arcs, or nowhere
  std::span<double> entropies = {};       ///< one for each graph, if the directions are the scores themselves
};

/// Answers for those graphs that can be solved in lanes (tree/kernels/lanes.hpp). Returns the others, in order.
std::vector<std::size_t> along_in_lanes(const TreeBatch& batch, const AlongQuestion& question, const Stop& stop);

}  // namespace kirchhoff::tree
