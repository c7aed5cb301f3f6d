// The kernels on a device, and their launch.
#include "cuda/check.cuh"
#include "cuda/kernels/shapes.hpp"
#include "cuda/kernels/solve_graph.hpp"
#include "cuda/launch.hpp"

#include <cuda_runtime.h>

#include <algorithm>

namespace kirchhoff::cuda {
namespace {

/// The graphs that a launch is for.
struct Selection {
  int above, up_to;  // graphs of more words than the first and at most the second
  bool open;         // only those that are still open
};

template <class N, class Class>
__global__ void __launch_bounds__(Class::S::kThreads* Class::kTeams, Class::kBlocks)
    solve_graphs(const Question q, const Selection selection, char* const memory, const std::size_t desk_bytes) {
  extern __shared__ __align__(16) char shared[];
  using S = typename Class::S;
  using Team = DeviceTeam<S::kThreads>;
  const Team team;
  const int mine = static_cast<int>(threadIdx.x) / S::kThreads;
  const std::int64_t first = std::int64_t{blockIdx.x} * Class::kTeams + mine;
  for (std::int64_t g = first; g < q.graphs; g += std::int64_t{gridDim.x} * Class::kTeams) {
    const int n = words_of(q, g);
    if (n <= selection.above || n > selection.up_to) continue;
    if (selection.open && q.status[g] != Status::open) continue;
    if constexpr (S::kInRegisters) {
      solve_graph<Team, N, S>(team, q, g, Desk<N, S>(shared + mine * DeskLayout<N, S>(n).bytes(), n));
    } else {
      solve_graph<Team, N, S>(team, q, g, Desk<N, S>(memory + first * desk_bytes, n));
    }
    team.each([](int) {});  // nobody begins with the next graph before all have finished with this one
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
  const int most = std::min(q.words, selection.up_to);
  const std::size_t desk_bytes = DeskLayout<N, S>(most).bytes();
  const auto kernel = solve_graphs<N, Class>;
  const std::size_t shared = S::kInRegisters ? desk_bytes * Class::kTeams : 0;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
        "shared memory");
  int resident = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, S::kThreads * Class::kTeams, shared),
        "occupancy");
  const std::int64_t wanted = (q.graphs + Class::kTeams - 1) / Class::kTeams;
  const std::int64_t room = std::int64_t{std::max(resident, 1)} * multiprocessors();
  const bool all = selection.above == 0 && selection.up_to >= q.words && !selection.open && S::kInRegisters;
  const auto blocks = static_cast<unsigned>(all ? wanted : std::min(wanted, room));
  char* memory = nullptr;
  if (!S::kInRegisters) check(cudaMallocAsync(&memory, blocks * Class::kTeams * desk_bytes, stream), "out of memory");
  kernel<<<blocks, S::kThreads * Class::kTeams, shared, stream>>>(q, selection, memory, desk_bytes);
  const cudaError_t error = cudaGetLastError();
  if (memory != nullptr) cudaFreeAsync(memory, stream);
  check(error, "launch");
}

template <class N>
void launch_all(const Question& q, bool open, cudaStream_t stream) {
  for_each_class<N>([&](auto size_class, int below) {
    using Class = decltype(size_class);
    const bool some = q.lengths != nullptr || q.words <= Class::S::kMostWords;
    if (q.words > below && some) launch_class<N, Class>(q, {below, Class::S::kMostWords, open}, stream);
  });
}

}  // namespace

void launch_solve(const Question& q, cudaStream_t stream) {
  if (q.derivatives.values != nullptr) {
    launch_all<Dual>(q, false, stream);
    launch_all<ExtendedDual>(q, true, stream);
  } else {
    launch_all<double>(q, false, stream);
    launch_all<Extended>(q, true, stream);
  }
}

}  // namespace kirchhoff::cuda
