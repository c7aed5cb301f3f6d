// Trees of batches of graphs on a CUDA device: the best tree of each graph, and independent samples.
//
// Arrays lie, and kernels run, as in cuda.hpp; a graph's trees are the same in every batch.
#pragma once

#include "kirchhoff/cuda.hpp"
#include "kirchhoff/sample.hpp"

#include <cstdint>

namespace kirchhoff::cuda {

/// A batch of graphs, and where trees of each go. There is one best tree of a graph, or as many samples as are drawn:
/// arrays of integers are graphs x trees x (words + 1). The root's head and whatever lies beyond the graph's words is
/// -1. A graph that has no tree, or is invalid, gets -1 for all heads and labels and -inf for the scores.
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
  double* score = nullptr;              ///< of each tree, or null
  GraphStatus* status = nullptr;        ///< always asked for
};

/// The best tree of every graph, in O(n^2): that of kirchhoff::best_tree, also where several are equally good. As
/// there, scores of up to 1e100 are fine. On a device this returns at once, and throws as `answer` does.
void best_trees(const TreeQuestion& question, const Execution& execution = {});

/// How many samples of each graph are drawn, and how.
struct TreeDraws {
  int count = 1;
  std::uint64_t seed = 0;  ///< graph i has seed + i
  Sampler method = Sampler::automatic;
};

/// Independent samples of every graph. Sample k of graph i is that of a TreeSampler of the same method with the seed
/// `seed + i` and the index k, except where the rounding of an exponential decides. Sampler::automatic is wilson, and
/// for single roots wilson_marginal, but walks that take long are given up sooner, and the CPU's Colbourn sampler draws
/// those trees: nothing stalls. Sampler::colbourn draws all of them on the CPU, from a copy of the scores.
///
/// This waits for the device, because it has to look for walks that were given up. Throws InputError, also for a method
/// that is for the other root mode, and std::runtime_error as `answer` does.
void sample_trees(const TreeQuestion& question, const TreeDraws& draws, const Execution& execution = {});

}  // namespace kirchhoff::cuda
