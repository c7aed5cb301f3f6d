// Samples on a device.
#include "cuda/check.cuh"
#include "cuda/kernels/sample_trees.hpp"
#include "cuda/launch.hpp"
#include "cuda/launch_trees.hpp"

#include <cuda_runtime.h>

#include <algorithm>

namespace kirchhoff::cuda {
namespace {

using Team = DeviceTeam<128>;

/// The most shared memory that tables lie in: a multiprocessor shall have room for those of two blocks.
std::size_t most_shared_memory() {
  int device = 0, most = 0;
  check(cudaGetDevice(&device), "no device");
  check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "device attributes");
  return static_cast<std::size_t>(most) / 2;
}

__global__ void __launch_bounds__(Team::kThreads) sum_all_labels(const SampleTask task) {
  const Team team;
  for (std::int64_t g = blockIdx.x; g < task.arcs.graphs; g += gridDim.x) sum_labels(team, task, g);
}

__global__ void __launch_bounds__(Team::kThreads) copy_graph(const Question q, const std::int64_t g, double* const to) {
  copy_scores(Team(), q, g, to);
}

__global__ void __launch_bounds__(Team::kThreads)
    draw_trees(const SampleTask task, char* const memory, const std::size_t table_bytes) {
  extern __shared__ __align__(16) char shared[];
  const Team team;
  char* const tables = memory != nullptr ? memory + blockIdx.x * table_bytes : shared;
  const std::int64_t of_graph = slices(task), all = task.arcs.graphs * of_graph;
  for (std::int64_t i = blockIdx.x; i < all; i += gridDim.x) {
    sample_slice(team, task, i / of_graph, i % of_graph, tables);
    team.each([](int) {});  // nobody begins with the next slice before all have finished with this one
  }
}

}  // namespace

void launch_samples(const SampleTask& task, cudaStream_t stream) {
  const std::int64_t graphs = task.arcs.graphs;
  check(cudaMemsetAsync(task.graph_spent, 0, graphs * sizeof(int), stream), "memory");
  if (task.packed) {
    const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(graphs, 1 << 16));
    sum_all_labels<<<blocks, Team::kThreads, 0, stream>>>(task);
    check(cudaGetLastError(), "launch");
  }
  launch_solve(task.arcs, stream);
  if (task.trees.trees == 0) return;
  const std::size_t table_bytes = AliasTables::bytes(task.arcs.words + 1), most_shared = most_shared_memory();
  const bool in_shared = table_bytes <= most_shared;
  const std::size_t shared = in_shared ? table_bytes : 0;
  const std::int64_t room = resident_blocks(draw_trees, Team::kThreads, shared, most_shared);
  const auto blocks = static_cast<unsigned>(std::min(graphs * slices(task), room));
  char* memory = nullptr;
  if (!in_shared) check(cudaMallocAsync(&memory, blocks * table_bytes, stream), "memory for tables");
  draw_trees<<<blocks, Team::kThreads, shared, stream>>>(task, memory, table_bytes);
  const cudaError_t error = cudaGetLastError();
  if (memory != nullptr) cudaFreeAsync(memory, stream);
  check(error, "launch");
}

void launch_copy(const Question& q, std::int64_t graph, double* to, cudaStream_t stream) {
  copy_graph<<<1, Team::kThreads, 0, stream>>>(q, graph, to);
  check(cudaGetLastError(), "launch");
}

void fetch_from_device(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream), "copy from the device");
  check(cudaStreamSynchronize(stream), "kernel");
}

void send_to_device(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream), "copy to the device");
  check(cudaStreamSynchronize(stream), "copy to the device");
}

}  // namespace kirchhoff::cuda
