// Trees without replacement on a CUDA device: stochastic beam search over a batch of graphs [Kool19].
//
// The k trees of a graph with the highest perturbed log-probabilities are a sample without replacement, as those of
// sample_without_replacement are, and the same estimators take them. They are other trees for the same seed: a beam
// that goes word by word takes its random numbers in another order than the race on the CPU. A graph's trees depend on
// its scores, its seed and k alone, not on the batch.
#pragma once

#include "kirchhoff/cuda.hpp"
#include "kirchhoff/sample.hpp"

#include <cstdint>
#include <vector>

namespace kirchhoff::cuda {

/// A batch of graphs, and where their trees go: pointers that are null are not asked for.
struct BeamQuestion {
  Root root;
  std::int64_t graphs = 0;
  int words = 0;                          ///< of the largest graph
  const std::int32_t* lengths = nullptr;  ///< words of each graph; null if all have as many
  /// Ragged scores: where each graph's (n + 1) x (n + 1) numbers begin; strides are not used.
  const std::int64_t* offsets = nullptr;
  ArcArray scores = {};
  int trees = 0;           ///< k, the trees wanted of each graph
  std::uint64_t seed = 0;  ///< graph number i has the seed `seed + i`

  std::int32_t* heads = nullptr;  ///< graphs x k x (words + 1); -1 where there is no word or no tree
  double* log_prob = nullptr;     ///< graphs x k; -inf where there is no tree
  double* perturbed = nullptr;  ///< graphs x k, highest first: log_prob plus Gumbel noise; -inf where there is no tree
  double* threshold = nullptr;  ///< the highest perturbed log-probability of all other trees; -inf if there are none
  std::int32_t* count = nullptr;  ///< the number of trees found: k, or all there are

  GraphStatus* status = nullptr;  ///< always asked for
};

/// Samples the trees. On a device this returns at once; they are there when the stream gets to it. O(k n^3) for each
/// graph, and O(n^3 + k n) memory. Throws InputError for a question that makes no sense, and std::runtime_error when
/// the device fails or this library was built without CUDA.
void beam_sample(const BeamQuestion& question, const Execution& execution = {});

/// Sends graphs to the device, and returns with k trees of each (all, if there are fewer). A graph without a tree, or
/// with scores that `answer` calls invalid, has none, and its threshold is -inf.
std::vector<PerturbedTrees> beam_sample(const MatrixBatch& graphs, Root root, int k, std::uint64_t seed = 0,
                                        Executor executor = Executor::device);

}  // namespace kirchhoff::cuda
