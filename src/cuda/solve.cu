// The kernels on a device, and their launch.
#include "cuda/check.cuh"
#include "cuda/kernels/shapes.hpp"
#include "cuda/kernels/solve_graph.hpp"
#include "cuda/launch.hpp"

#include <cuda_runtime.h>

#include <algorithm>

namespace kirchhoff::cuda {
namespace {

/// The graphs that a launch is for: those of one size class.
struct Selection {
  int above, up_to;           // graphs of more words than the first and at most the second
  bool open;                  // only those that are still open
  const std::int32_t* order;  // the graphs by size, or null if all have the same
  const std::int32_t* begin;  // where those of a size begin in the order
};

template <class N, class Class>
__global__ void __launch_bounds__(Class::S::kThreads, Class::kBlocks)
    solve_graphs(const Question q, const Selection selection, char* const memory, const std::size_t desk_bytes) {
  extern __shared__ __align__(16) char shared[];
  using S = typename Class::S;
  using Team = DeviceTeam<S::kThreads>;
  const Team team;
  std::int64_t first = 0, end = q.graphs;
  if (selection.order != nullptr) {
    first = selection.begin[selection.above + 1];
    end = selection.begin[(selection.up_to < q.words ? selection.up_to : q.words) + 1];
  }
  for (std::int64_t place = first + blockIdx.x; place < end; place += gridDim.x) {
    const std::int64_t g = selection.order != nullptr ? selection.order[place] : place;
    if (selection.open && q.status[g] != Status::open) continue;
    if constexpr (S::kInRegisters) {
      solve_graph<Team, N, S>(team, q, g, shared);
    } else {
      solve_graph<Team, N, S>(team, q, g, memory + blockIdx.x * desk_bytes);
    }
    team.each([](int) {});  // nobody begins with the next graph before all have finished with this one
  }
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

int multiprocessors() {
  int device = 0, count = 0;
  check(cudaGetDevice(&device), "no device");
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "device attributes");
  return count;
}

template <class N, class Class>
void launch_class(const Question& q, const Selection& selection, cudaStream_t stream) {
  using S = typename Class::S;
  const std::size_t desk_bytes = DeskLayout<N, S>(std::min(q.words, selection.up_to)).bytes();
  const auto kernel = solve_graphs<N, Class>;
  const std::size_t shared = S::kInRegisters ? desk_bytes : 0;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
        "shared memory");
  int resident = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, S::kThreads, shared), "occupancy");
  const std::int64_t room = std::int64_t{std::max(resident, 1)} * multiprocessors();
  const bool all = selection.order == nullptr && !selection.open && S::kInRegisters;
  const auto blocks = static_cast<unsigned>(all ? q.graphs : std::min(q.graphs, room));
  char* memory = nullptr;
  if (!S::kInRegisters) check(cudaMallocAsync(&memory, blocks * desk_bytes, stream), "memory for large graphs");
  kernel<<<blocks, S::kThreads, shared, stream>>>(q, selection, memory, desk_bytes);
  const cudaError_t error = cudaGetLastError();
  if (memory != nullptr) cudaFreeAsync(memory, stream);
  check(error, "launch");
}

template <class N>
void launch_all(const Question& q, bool open, const std::int32_t* order, const std::int32_t* begin,
                cudaStream_t stream) {
  for_each_class<N>([&](auto size_class, int below) {
    using Class = decltype(size_class);
    const bool some = order != nullptr || q.words <= Class::S::kMostWords;
    if (q.words > below && some) {
      launch_class<N, Class>(q, {below, Class::S::kMostWords, open, order, begin}, stream);
    }
  });
}

}  // namespace

void launch_solve(const Question& q, cudaStream_t stream) {
  std::int32_t *order = nullptr, *begin = nullptr;
  if (q.lengths != nullptr) {
    check(cudaMallocAsync(&order, (q.graphs + 2 * (q.words + 2)) * sizeof(std::int32_t), stream), "memory");
    begin = order + q.graphs;
    sort_graphs<<<1, 1024, 0, stream>>>(q, order, begin, begin + q.words + 2);
    refuse_graphs<<<64, 32, 0, stream>>>(q);
  }
  if (q.derivatives.values != nullptr) {
    launch_all<Dual>(q, false, order, begin, stream);
    launch_all<ExtendedDual>(q, true, order, begin, stream);
  } else {
    launch_all<double>(q, false, order, begin, stream);
    launch_all<Extended>(q, true, order, begin, stream);
  }
  if (order != nullptr) cudaFreeAsync(order, stream);
  check(cudaGetLastError(), "launch");
}

}  // namespace kirchhoff::cuda
