// Given trees of batches of graphs on a CUDA device: their scores, and the gradients of their log-probabilities.
//
// With `answer` these are all that a loss of trees needs: log p is the score of a tree less log Z, and its gradient is
// 1 for the arcs of the tree, less the marginals.
#pragma once

#include "kirchhoff/cuda.hpp"

#include <cstdint>

namespace kirchhoff::cuda {

/// A tree of each graph of a batch: graphs x (words + 1) heads and, with labels, as many labels, of which those of the
/// root and beyond a graph's words are not read.
struct GoldTrees {
  Root root;
  std::int64_t graphs = 0;
  int words = 0;  ///< of the largest graph
  int labels = 1;
  const std::int32_t* lengths = nullptr;  ///< words of each graph; null if all have as many
  const std::int64_t* heads = nullptr;
  const std::int64_t* tree_labels = nullptr;  ///< null without labels
};

/// Adds up the scores of each tree's arcs, and sets `wrong` to 0, or to 1 where heads or labels are out of range, are
/// no tree, or have several root children where there may be one. The score is 0 then. Arrays are padded.
void score_trees(const GoldTrees& trees, const ArcArray& scores, double* score, std::uint8_t* wrong,
                 const Execution& execution = {});

/// Puts factor * (1 - p) in the place of each p that is of an arc of the tree, and factor * -p elsewhere; `factors` has
/// a number for each graph. From marginals this makes gradients of log-probabilities. Trees must be trees.
void subtract_from_trees(const GoldTrees& trees, const double* factors, const ArcArray& marginals,
                         const Execution& execution = {});

}  // namespace kirchhoff::cuda
