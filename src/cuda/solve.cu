// The kernels on a device, and their launch.
#include "cuda/branches.cuh"
#include "cuda/kernels/shapes.hpp"
#include "cuda/kernels/solve_graph.hpp"
#include "cuda/launch.hpp"
#include "cuda/selection.cuh"

#include <cuda_runtime.h>

#include <algorithm>

namespace kirchhoff::cuda {
namespace {

template <class N, class Class>
__global__ void __launch_bounds__(Class::S::kThreads, Class::kBlocks)
    solve_graphs(const Question q, const Selection selection, char* const memory, const std::size_t desk_bytes) {
  extern __shared__ __align__(16) char shared[];
  using S = typename Class::S;
  using Team = DeviceTeam<S::kThreads>;
  const Team team;
  selection.for_each(q, [&](std::int64_t g) {
    if constexpr (S::kInRegisters) {
      solve_graph<Team, N, S>(team, q, g, shared);
    } else {
      solve_graph<Team, N, S>(team, q, g, memory + blockIdx.x * desk_bytes);
    }
    team.each([](int) {});  // nobody begins with the next graph before all have finished with this one
  });
}

/// Counts graphs of each size and puts those of a size together; graphs of no possible size are invalid. One block.
__global__ void sort_graphs(const Question q, std::int32_t* order, std::int32_t* begin, std::int32_t* next) {
  const auto size_of = [&](std::int64_t g) {
    const int n = q.lengths[g];
    return n < 1 || n > q.words ? 0 : n;
  };
  for (int n = threadIdx.x; n <= q.words + 1; n += blockDim.x) begin[n] = 0;
  __syncthreads();
  for (std::int64_t g = threadIdx.x; g < q.graphs; g += blockDim.x) atomicAdd(&begin[size_of(g) + 1], 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int n = 1; n <= q.words + 1; ++n) begin[n] += begin[n - 1];
  }
  __syncthreads();
  for (int n = threadIdx.x; n <= q.words; n += blockDim.x) next[n] = begin[n];
  __syncthreads();
  for (std::int64_t g = threadIdx.x; g < q.graphs; g += blockDim.x) {
    order[atomicAdd(&next[size_of(g)], 1)] = static_cast<std::int32_t>(g);
  }
}

__global__ void refuse_graphs(const Question q) {
  const DeviceTeam<32> team;
  for (std::int64_t g = blockIdx.x; g < q.graphs; g += gridDim.x) {
    if (q.lengths[g] < 1 || q.lengths[g] > q.words) write_nothing(team, q, g, Status::invalid);
  }
}

template <class N, class Class>
void launch_class(const Question& q, const Selection& selection, cudaStream_t stream) {
  using S = typename Class::S;
  const std::size_t desk_bytes = DeskLayout<N, S>(std::min(q.words, selection.up_to)).bytes();
  const auto kernel = solve_graphs<N, Class>;
  const std::size_t shared = S::kInRegisters ? desk_bytes : 0;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
        "shared memory");
  const std::int64_t room = std::int64_t{Class::kBlocks} * multiprocessors();
  const bool all = selection.graphs.order == nullptr && !selection.open && S::kInRegisters;
  const auto blocks = static_cast<unsigned>(all ? q.graphs : std::min(q.graphs, room));
  const DeviceMemory memory(S::kInRegisters ? 0 : blocks * desk_bytes, stream);
  kernel<<<blocks, S::kThreads, shared, stream>>>(q, selection, static_cast<char*>(memory.get()), desk_bytes);
  check(cudaGetLastError(), "launch");
}

/// Solves all graphs of at most `tried` words that are still open, and all larger ones.
template <class N>
void launch_all(const Question& q, int tried, const BySize& graphs, cudaStream_t stream) {
  Branches branches(stream, graphs.order != nullptr);
  for_each_class<N>([&](auto size_class, int below) {
    using Class = decltype(size_class);
    constexpr int kMost = Class::S::kMostWords;
    if (!has_class(q, graphs, below, kMost)) return;
    launch_class<N, Class>(q, {below, kMost, std::min(q.words, kMost) <= tried, graphs}, branches.next());
  });
}

}  // namespace

void launch_solve(const Question& q, cudaStream_t stream) {
  const DeviceMemory memory(q.lengths == nullptr ? 0 : (q.graphs + 2 * (q.words + 2)) * sizeof(std::int32_t), stream);
  BySize graphs;
  if (q.lengths != nullptr) {
    auto* const order = static_cast<std::int32_t*>(memory.get());
    auto* const begin = order + q.graphs;
    sort_graphs<<<1, 1024, 0, stream>>>(q, order, begin, begin + q.words + 2);
    refuse_graphs<<<64, 32, 0, stream>>>(q);
    graphs = {order, begin};
  }
  if (q.derivatives.values != nullptr) {
    launch_all<Dual>(q, 0, graphs, stream);
    launch_all<ExtendedDual>(q, q.words, graphs, stream);
  } else {
    const int tried = q.accuracy.invert ? launch_inversions(q, graphs, stream) : 0;
    launch_all<double>(q, tried, graphs, stream);
    launch_all<Extended>(q, q.words, graphs, stream);
  }
  check(cudaGetLastError(), "launch");
}

}  // namespace kirchhoff::cuda
