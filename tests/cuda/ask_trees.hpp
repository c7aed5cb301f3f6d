// Asks the executor under test for trees of graphs, in a layout that the test chooses.
#pragma once

#include "cuda/ask.hpp"
#include "kirchhoff/cuda_trees.hpp"
#include "kirchhoff/decode.hpp"

#include <vector>

namespace kirchhoff::cuda {

struct AnsweredTrees {
  std::vector<std::vector<Tree>> trees;  ///< of each graph, with its score; heads and labels of its words only
  std::vector<GraphStatus> status;
};

/// The best tree of every graph. Fails the test unless arrays are -1 where a graph has no word, and -inf and -1
/// everywhere for graphs without a tree, of which there are none in the list.
AnsweredTrees ask_best(const Asked& asked, Root root);
/// The same for samples.
AnsweredTrees ask_samples(const Asked& asked, Root root, const TreeDraws& draws);

}  // namespace kirchhoff::cuda
