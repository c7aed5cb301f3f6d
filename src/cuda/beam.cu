// Beam search on a device.
//
// One kernel prepares graphs, a block of threads each; one that stays searches them. Its blocks are shared out among
// the graphs, and those of a graph meet once a level, at a counter in memory, or twice where not all children get into
// the next beam. All of them must run at once, so the launch is a cooperative one. Graphs for which doubles have not
// the range are searched by two more kernels.
#include "cuda/beam_launch.hpp"
#include "cuda/check.cuh"
#include "cuda/kernels/beam_search.hpp"
#include "cuda/launch.hpp"

#include <cuda_runtime.h>

#include <algorithm>

namespace kirchhoff::cuda {
namespace {

constexpr int kPrepareThreads = 512;
constexpr std::size_t kMostMemory = std::size_t{1} << 30;  // for rooms at a time; more if one graph needs it

/// How a search is shared out. All give the same trees.
struct FewPrefixes {  // each is to be done soon
  static constexpr int kThreads = 128, kBlocks = 4, kSmallRows = 1 << 20;
  static constexpr bool kShared = true;
};
struct SomePrefixes {  // all at once, if each has a few warps
  static constexpr int kThreads = 64, kBlocks = 8, kSmallRows = 44;
  static constexpr bool kShared = true;
};
struct ManyPrefixes {  // a warp each, and as many as fit; few of their chains have more rows
  static constexpr int kThreads = 32, kBlocks = 16, kSmallRows = 28;
  static constexpr bool kShared = true;
};
struct LongSentences {  // desks do not fit into shared memory
  static constexpr int kThreads = 128, kBlocks = 4, kSmallRows = 0;
  static constexpr bool kShared = false;
};

/// The blocks of threads that search a graph together.
struct DeviceCrew {
  int index, teams;
  unsigned meetings = 0;

  /// Waits for all; the last to arrive calls f before the others go on.
  template <class Team, class F>
  __device__ void meet(const Team&, BeamControl& control, F f) {
    const unsigned all = ++meetings * static_cast<unsigned>(teams);
    __syncthreads();
    const bool last = __syncthreads_or(threadIdx.x == 0 && arrive(control.arrived) == all) != 0;
    if (last) {
      f();
      __syncthreads();
    }
    if (threadIdx.x == 0) last ? release(control.released, meetings) : wait_for(control.released, meetings);
    __syncthreads();
  }

  // What a block wrote before it arrived, others see when they are released. These fences take less time than
  // __threadfence, which also puts all fences of the device in one order.
  __device__ static unsigned arrive(unsigned& counter) {
    unsigned before;
    asm volatile("atom.add.acq_rel.gpu.u32 %0, [%1], 1;" : "=r"(before) : "l"(&counter) : "memory");
    return before + 1;
  }
  __device__ static void release(unsigned& counter, unsigned value) {
    asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(&counter), "r"(value) : "memory");
  }
  __device__ static void wait_for(const unsigned& counter, unsigned value) {
    unsigned now;
    do {
      asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(now) : "l"(&counter) : "memory");
    } while (now < value);
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
  }
};

constexpr int kMostProcessors = 1024;
/// Which multiprocessors blocks are on.
struct BlockPlaces {
  unsigned arrived;
  int blocks[kMostProcessors];
};

/// A number for this block, such that those of a multiprocessor follow each other. They search the same graph then, and
/// what they all read stays in its first cache.
__device__ int number_of_block(BlockPlaces& places) {
  __shared__ int processor, number;
  if (threadIdx.x == 0) {
    asm("mov.u32 %0, %%smid;" : "=r"(processor));
    processor %= kMostProcessors;
    number = atomicAdd(&places.blocks[processor], 1);
    DeviceCrew::arrive(places.arrived);
    DeviceCrew::wait_for(places.arrived, gridDim.x);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < processor; i += blockDim.x) atomicAdd(&number, places.blocks[i]);
  __syncthreads();
  return number;
}

/// Rooms of some graphs, from `first` on, and how the blocks are shared out among these.
struct Rooms {
  std::int64_t first, count;
  char* memory;
  std::size_t room_bytes;
  int teams;    // for each graph
  char* desks;  // desks that do not fit into shared memory, one for each block
  std::size_t desk_bytes;
  int small_rows;      // of a chain at a desk
  void* large_chains;  // one for each block
  BlockPlaces* places;
};

template <class N, bool kShared>
__global__ void __launch_bounds__(kPrepareThreads) prepare(const BeamSearch search, const Rooms rooms) {
  extern __shared__ __align__(16) char shared[];
  const DeviceTeam<kPrepareThreads> team;
  const std::int64_t g = rooms.first + blockIdx.x;
  const int n = words_of(search.graphs, g);
  Status& status = search.graphs.status[g];
  if (kIsExtended<N> && status != Status::open) return;
  char* const desk = kShared ? shared : rooms.desks + blockIdx.x * rooms.desk_bytes;
  const bool possible = n >= 1 && n <= search.graphs.words;
  __syncthreads();  // all have seen the status
  if (possible) {
    prepare_beam<DeviceTeam<kPrepareThreads>, N>(team, search, g, rooms.memory + blockIdx.x * rooms.room_bytes, desk);
  } else {
    team.each([&](int thread) {
      if (thread == 0) status = Status::invalid;
    });
  }
  const Status found = possible ? status : Status::invalid;
  if (found == Status::infeasible || found == Status::invalid) write_nothing(team, search, g);
}

template <class N, class Mode>
__global__ void __launch_bounds__(Mode::kThreads, Mode::kBlocks)
    search_all(const BeamSearch search, const Rooms rooms) {
  extern __shared__ __align__(16) char shared[];
  using Team = DeviceTeam<Mode::kThreads>;
  const int number = rooms.teams > 1 ? number_of_block(*rooms.places) : static_cast<int>(blockIdx.x);
  const int crews = static_cast<int>(gridDim.x) / rooms.teams, crew = number / rooms.teams;
  char* const memory = Mode::kShared ? shared : rooms.desks + blockIdx.x * rooms.desk_bytes;
  N* const large = static_cast<N*>(rooms.large_chains) + blockIdx.x * large_chain_size(search.graphs.words);
  for (std::int64_t i = crew; i < rooms.count; i += crews) {
    const std::int64_t g = rooms.first + i;
    const Status ready = kIsExtended<N> ? Status::extended : Status::solved;
    if (static_cast<volatile Status&>(search.graphs.status[g]) != ready) continue;
    const DeviceCrew mine{number % rooms.teams, rooms.teams};
    const PrefixDesk<N> desk(memory, words_of(search.graphs, g), rooms.small_rows, large);
    search_graph<Team, N>(Team(), mine, search, g, rooms.memory + i * rooms.room_bytes, desk);
    __syncthreads();
  }
}

int attribute(cudaDeviceAttr which) {
  int device = 0, value = 0;
  check(cudaGetDevice(&device), "no device");
  check(cudaDeviceGetAttribute(&value, which, device), "device attributes");
  return value;
}

std::size_t most_shared() { return attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) - 1024; }

/// Allows the kernel all that there is: another thread may be about to launch it for larger graphs.
template <class Kernel>
void allow_shared(Kernel kernel) {
  const auto most = static_cast<int>(most_shared());
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most), "shared memory");
}

template <class N, bool kShared>
void prepare_rooms(const BeamSearch& search, Rooms rooms, cudaStream_t stream) {
  const DeviceMemory desks(kShared ? 0 : rooms.count * rooms.desk_bytes, stream);
  rooms.desks = static_cast<char*>(desks.get());
  if (kShared) allow_shared(prepare<N, kShared>);
  const std::size_t shared = kShared ? rooms.desk_bytes : 0;
  prepare<N, kShared><<<static_cast<unsigned>(rooms.count), kPrepareThreads, shared, stream>>>(search, rooms);
  check(cudaGetLastError(), "launch");
}

template <class N, class Mode>
PrefixDesk<N> search_desk(int words) {
  return PrefixDesk<N>(nullptr, words, std::min(Mode::kSmallRows, most_chain_rows(words)), nullptr);
}

template <class N, class Mode>
void search_rooms(const BeamSearch& search, Rooms rooms, cudaStream_t stream) {
  constexpr auto kKernel = search_all<N, Mode>;
  const PrefixDesk<N> desk = search_desk<N, Mode>(search.graphs.words);
  rooms.desk_bytes = desk.bytes;
  rooms.small_rows = desk.small_rows;
  const std::size_t shared = Mode::kShared ? desk.bytes : 0;
  if (Mode::kShared) allow_shared(kKernel);
  int resident = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kKernel, Mode::kThreads, shared), "occupancy");
  const std::int64_t most = std::int64_t{std::max(resident, 1)} * attribute(cudaDevAttrMultiProcessorCount);
  const std::int64_t crews = std::min(rooms.count, most);
  rooms.teams = static_cast<int>(std::min<std::int64_t>(most / crews, search.kept()));
  const auto blocks = static_cast<unsigned>(crews * rooms.teams);
  const DeviceMemory desks(Mode::kShared ? 0 : blocks * rooms.desk_bytes, stream);
  const DeviceMemory large(blocks * large_chain_size(search.graphs.words) * sizeof(N), stream);
  rooms.desks = static_cast<char*>(desks.get());
  rooms.large_chains = large.get();
  const DeviceMemory places(sizeof(BlockPlaces), stream);
  rooms.places = static_cast<BlockPlaces*>(places.get());
  check(cudaMemsetAsync(rooms.places, 0, sizeof(BlockPlaces), stream), "memory");
  void* arguments[] = {const_cast<BeamSearch*>(&search), &rooms};
  const auto kernel = reinterpret_cast<const void*>(kKernel);
  check(cudaLaunchCooperativeKernel(kernel, blocks, Mode::kThreads, arguments, shared, stream), "launch");
}

template <class N>
void prepare_and_search(const BeamSearch& search, Rooms rooms, cudaStream_t stream) {
  const int words = search.graphs.words;
  rooms.desk_bytes = PrepareDesk<N>(nullptr, words).bytes;
  if (rooms.desk_bytes <= most_shared()) {
    prepare_rooms<N, true>(search, rooms, stream);
  } else {
    prepare_rooms<N, false>(search, rooms, stream);
  }
  const std::int64_t prefixes = rooms.count * search.kept(), processors = attribute(cudaDevAttrMultiProcessorCount);
  if (prefixes <= 2 * processors && search_desk<N, FewPrefixes>(words).bytes <= most_shared()) {
    search_rooms<N, FewPrefixes>(search, rooms, stream);
  } else if (prefixes <= 8 * processors && search_desk<N, SomePrefixes>(words).bytes <= most_shared()) {
    search_rooms<N, SomePrefixes>(search, rooms, stream);
  } else if (search_desk<N, ManyPrefixes>(words).bytes <= most_shared()) {
    search_rooms<N, ManyPrefixes>(search, rooms, stream);
  } else {
    search_rooms<N, LongSentences>(search, rooms, stream);
  }
}

/// Searches as many graphs at a time as there is memory for.
template <class N>
void run(const BeamSearch& search, cudaStream_t stream) {
  Rooms rooms{};
  rooms.room_bytes = BeamRoom<N>(nullptr, search.graphs.words, search.kept()).bytes;
  const auto fit = static_cast<std::int64_t>(kMostMemory / rooms.room_bytes);
  const std::int64_t at_a_time = std::clamp<std::int64_t>(fit, 1, search.graphs.graphs);
  const DeviceMemory memory(at_a_time * rooms.room_bytes, stream);
  rooms.memory = static_cast<char*>(memory.get());
  for (; rooms.first < search.graphs.graphs; rooms.first += at_a_time) {
    rooms.count = std::min(at_a_time, search.graphs.graphs - rooms.first);
    prepare_and_search<N>(search, rooms, stream);
  }
}

}  // namespace

void launch_beam(const BeamSearch& search, cudaStream_t stream) {
  run<double>(search, stream);
  run<Extended>(search, stream);
}

}  // namespace kirchhoff::cuda
