// What a kernel that draws trees is asked. Plain data, which travels to a device.
#pragma once

#include "cuda/kernels/tree_task.hpp"

#include <cstddef>
#include <cstdint>

namespace kirchhoff::cuda {

/// How trees are drawn: by Wilson's walk, by one below a child of the root that is drawn from its marginal, by Wilson's
/// walk again and again until the root has one child, or not at all: then all are left to the CPU.
enum class Walker { wilson, marginal, reject, nobody };

struct SampleTask {
  TreeTask trees;
  Walker walker = Walker::wilson;
  std::uint64_t seed = 0;   ///< of graph 0; graph i has seed + i
  std::int64_t budget = 0;  ///< the most draws of a sample

  /// The same graphs without labels: the question that tells which have trees, and the marginals of root arcs. If
  /// `packed`, its scores are to be made first.
  Question arcs;
  bool packed = false;

  std::uint8_t* spent = nullptr;  ///< graphs x trees: whether the budget was not enough
  int* graph_spent = nullptr;     ///< whether that is so for some sample of a graph
};

/// Samples that a team draws from tables that it has made.
inline constexpr std::int64_t kSlice = 256;

KIRCHHOFF_BOTH std::int64_t slices(const SampleTask& task) { return (task.trees.trees + kSlice - 1) / kSlice; }

}  // namespace kirchhoff::cuda
