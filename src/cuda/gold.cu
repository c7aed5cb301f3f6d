// Given trees on a device: a warp for each graph.
#include "cuda/check.cuh"
#include "cuda/kernels/gold_tree.hpp"
#include "cuda/launch_trees.hpp"

#include <cuda_runtime.h>

namespace kirchhoff::cuda {
namespace {

using Team = DeviceTeam<32>;

__global__ void __launch_bounds__(Team::kThreads) score_all(const GoldTask task) {
  extern __shared__ __align__(16) char shared[];
  score_tree(Team(), task, blockIdx.x, shared);
}
__global__ void __launch_bounds__(Team::kThreads) subtract_all(const GoldTask task) {
  subtract_from_tree(Team(), task, blockIdx.x);
}

}  // namespace

void launch_gold(const GoldTask& task, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(task.graphs.graphs);
  if (task.factors != nullptr) {
    subtract_all<<<blocks, Team::kThreads, 0, stream>>>(task);
  } else {
    const std::size_t shared = gold_bytes<Team>(task.graphs.words);
    check(cudaFuncSetAttribute(score_all, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(gold_bytes<Team>(kMostGoldWords))),
          "shared memory");
    score_all<<<blocks, Team::kThreads, shared, stream>>>(task);
  }
  check(cudaGetLastError(), "launch");
}

}  // namespace kirchhoff::cuda
