// Derivatives of the marginals of a batch's small graphs, several graphs at once.
#pragma once

#include "kirchhoff/tree_batch.hpp"
#include "numeric/sum.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace kirchhoff::tree {

/// What is asked about every graph of a batch.
struct AlongQuestion {
  std::span<const GraphView> directions;     ///< of the scores
  double sign = 1.0;                         ///< 1, or -1 for minus the derivatives
  std::span<double> derivatives = {};        ///< an array of arcs, or nowhere
  std::span<double> entropies = {};          ///< one for each graph, if the directions are the scores themselves
  bool difference = false;                   ///< the directions are the scores less `directions`
  std::span<double> marginals = {};          ///< an array of arcs, or nowhere
  std::span<double> log_partition = {};      ///< one for each graph
  std::span<numeric::Sum> expectation = {};  ///< of the direction, one for each graph
};

/// Answers for those graphs that can be solved in lanes (tree/kernels/lanes.hpp), as far as their directions are finite
/// wherever there is an arc. Returns the others, in order.
std::vector<std::size_t> along_in_lanes(const TreeBatch& batch, const AlongQuestion& question, const Stop& stop);

}  // namespace kirchhoff::tree
