// The kernels of the fast method on a device.
#include "cuda/branches.cuh"
#include "cuda/kernels/fast_graph.hpp"
#include "cuda/kernels/shapes.hpp"
#include "cuda/selection.cuh"

#include <algorithm>

namespace kirchhoff::cuda {
namespace {

template <class Class>
__global__ void __launch_bounds__(Class::S::kThreads, Class::kBlocks)
    invert_graphs(const Question q, const Selection selection) {
  extern __shared__ __align__(16) char shared[];
  using T = typename Class::S;
  using Team = DeviceTeam<T::kThreads>;
  const Team team;
  selection.for_each(q, [&](std::int64_t g) {
    invert_graph(team, q, g, *reinterpret_cast<FastDesk<T>*>(shared));
    team.each([](int) {});  // nobody begins with the next graph before all have finished with this one
  });
}

template <class Class>
void launch_inversion(const Question& q, const Selection& selection, cudaStream_t stream) {
  using T = typename Class::S;
  const auto kernel = invert_graphs<Class>;
  constexpr std::size_t kShared = sizeof(FastDesk<T>);
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(kShared)),
        "shared memory");
  const std::int64_t room = std::int64_t{Class::kBlocks} * multiprocessors();
  const auto blocks = static_cast<unsigned>(selection.graphs.order == nullptr ? q.graphs : std::min(q.graphs, room));
  kernel<<<blocks, T::kThreads, kShared, stream>>>(q, selection);
  check(cudaGetLastError(), "launch");
}

}  // namespace

int launch_inversions(const Question& q, const BySize& graphs, cudaStream_t stream) {
  Branches branches(stream, graphs.order != nullptr);
  for_each_of<FastClasses>([&](auto size_class, int below) {
    using Class = decltype(size_class);
    constexpr int kMost = Class::S::kMostWords;
    if (has_class(q, graphs, below, kMost)) launch_inversion<Class>(q, {below, kMost, false, graphs}, branches.next());
  });
  return LargestTile::kMostWords;
}

}  // namespace kirchhoff::cuda
