// Trees of batches of graphs on a CUDA device: the best tree of each graph.
//
// Arrays lie, and kernels run, as in cuda.hpp; a graph's trees are the same in every batch.
#pragma once

#include "kirchhoff/cuda.hpp"

#include <cstdint>

namespace kirchhoff::cuda {

/// A batch of graphs, and where trees of each go. Graph i's tree has `words` + 1 numbers in every array of integers:
/// the root's head and whatever lies beyond the graph's words is -1. A graph that has no tree, or is invalid, gets -1
/// for all heads and labels and -inf for the score.
struct TreeQuestion {
  Root root;
  std::int64_t graphs = 0;
  int words = 0;  ///< of the largest graph
  int labels = 1;
  const std::int32_t* lengths = nullptr;  ///< words of each graph; null if all have as many
  const std::int64_t* offsets = nullptr;  ///< as in BatchQuestion, for ragged scores
  ArcArray scores = {};

  std::int32_t* heads = nullptr;        ///< always asked for
  std::int32_t* tree_labels = nullptr;  ///< the label of the arc into each word, or null; 0 for the root
  double* score = nullptr;              ///< of a tree, or null
  GraphStatus* status = nullptr;        ///< always asked for: solved, infeasible or invalid
};

/// The best tree of every graph, in O(n^2): that of kirchhoff::best_tree, also where several are equally good. As
/// there, scores of up to 1e100 are fine. On a device this returns at once, and throws as `answer` does.
void best_trees(const TreeQuestion& question, const Execution& execution = {});

}  // namespace kirchhoff::cuda
