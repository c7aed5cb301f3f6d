// Best trees on a device.
#include "cuda/check.cuh"
#include "cuda/kernels/best_tree.hpp"
#include "cuda/launch_trees.hpp"

#include <cuda_runtime.h>

#include <algorithm>

namespace kirchhoff::cuda {
namespace {

/// One warp finds a tree: what a single thread does takes as long in a larger team, and there are many graphs.
using Team = DeviceTeam<32>;

/// Desks up to this size lie in shared memory, so that a multiprocessor still holds nine of them or more.
constexpr std::size_t kSharedDesk = 16 << 10;

__global__ void __launch_bounds__(Team::kThreads)
    find_best_trees(const TreeTask task, char* const memory, const std::size_t desk_bytes) {
  extern __shared__ __align__(16) char shared[];
  __shared__ double tile[kTile<Team>];
  const Team team;
  char* const desk = memory != nullptr ? memory + blockIdx.x * desk_bytes : shared;
  for (std::int64_t g = blockIdx.x; g < task.graphs.graphs; g += gridDim.x) {
    best_tree(team, task, g, desk, tile);
    team.each([](int) {});  // nobody begins with the next graph before all have finished with this one
  }
}

}  // namespace

void launch_best_trees(const TreeTask& task, cudaStream_t stream) {
  const std::size_t desk_bytes = ContractionDesk::bytes(task.graphs.words);
  const bool in_shared = desk_bytes <= kSharedDesk;
  const std::size_t shared = in_shared ? desk_bytes : 0;
  const std::int64_t room = resident_blocks(find_best_trees, Team::kThreads, shared, kSharedDesk);
  const auto blocks = static_cast<unsigned>(std::min(task.graphs.graphs, room));
  char* memory = nullptr;
  if (!in_shared) check(cudaMallocAsync(&memory, blocks * desk_bytes, stream), "memory for best trees");
  find_best_trees<<<blocks, Team::kThreads, shared, stream>>>(task, memory, desk_bytes);
  const cudaError_t error = cudaGetLastError();
  if (memory != nullptr) cudaFreeAsync(memory, stream);
  check(error, "launch");
}

}  // namespace kirchhoff::cuda
