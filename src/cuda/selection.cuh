// The graphs of a batch that a launch is for.
#pragma once

#include "cuda/check.cuh"
#include "cuda/kernels/question.hpp"

#include <cuda_runtime.h>

#include <cstdint>

namespace kirchhoff::cuda {

/// The graphs by size, if they have different ones.
struct BySize {
  const std::int32_t* order = nullptr;
  const std::int32_t* begin = nullptr;  // where those of a size begin in the order
};

/// Those of one size class.
struct Selection {
  int above, up_to;  // graphs of more words than the first and at most the second
  bool open;         // only those that are still open
  BySize graphs;

  /// f(graph) for the share of this block.
  template <class F>
  __device__ void for_each(const Question& q, F f) const {
    std::int64_t first = 0, end = q.graphs;
    if (graphs.order != nullptr) {
      first = graphs.begin[above + 1];
      end = graphs.begin[(up_to < q.words ? up_to : q.words) + 1];
    }
    for (std::int64_t place = first + blockIdx.x; place < end; place += gridDim.x) {
      const std::int64_t g = graphs.order != nullptr ? graphs.order[place] : place;
      if (!open || q.status[g] == Status::open) f(g);
    }
  }
};

/// Whether a batch can have graphs of a size class.
inline bool has_class(const Question& q, const BySize& graphs, int above, int up_to) {
  return q.words > above && (graphs.order != nullptr || q.words <= up_to);
}

inline int multiprocessors() {
  int device = 0, count = 0;
  check(cudaGetDevice(&device), "no device");
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "device attributes");
  return count;
}

/// Tries inverses, and leaves graphs open for which they are not accurate enough. Returns the number of words up to
/// which that was tried.
int launch_inversions(const Question& q, const BySize& graphs, cudaStream_t stream);

}  // namespace kirchhoff::cuda
