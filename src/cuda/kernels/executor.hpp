// One source, two executors: an algorithm for a team of threads, which runs on a CUDA device or on the host.
//
// An algorithm is a sequence of phases. team.each(f) calls f(thread) for every thread of the team and waits until all
// have finished, so threads may read in a phase what others wrote in the one before. What a thread keeps from phase to
// phase is a Team::Local. On a device the threads run side by side, and a Local lies in registers; on the host they run
// one after the other, and a Local is an array. The host is there for tests and for machines without a device: what it
// runs is the same code.
#pragma once

#ifdef __CUDACC__
#define KIRCHHOFF_BOTH __host__ __device__ __forceinline__
#define KIRCHHOFF_UNROLL _Pragma("unroll")
#else
#define KIRCHHOFF_BOTH inline
#define KIRCHHOFF_UNROLL
#endif

namespace kirchhoff::cuda {

/// A team on the host.
template <int kThreadCount>
struct HostTeam {
  static constexpr int kThreads = kThreadCount;

  template <class T>
  struct Local {
    T values[kThreads];
    KIRCHHOFF_BOTH T& operator[](int thread) { return values[thread]; }
  };

  template <class F>
  KIRCHHOFF_BOTH void each(F f) const {
    for (int thread = 0; thread < kThreads; ++thread) f(thread);
  }
  /// Whether a flag is set for some thread.
  KIRCHHOFF_BOTH bool any(Local<bool>& flags) const {
    bool found = false;
    for (int thread = 0; thread < kThreads; ++thread) found = found || flags[thread];
    return found;
  }
};

#ifdef __CUDACC__
/// A team on a device: a warp, several of which share a block, or a whole block.
template <int kThreadCount>
struct DeviceTeam {
  static constexpr int kThreads = kThreadCount;

  template <class T>
  struct Local {
    T value;
    KIRCHHOFF_BOTH T& operator[](int) { return value; }
  };

  template <class F>
  __device__ __forceinline__ void each(F f) const {
    f(static_cast<int>(threadIdx.x) % kThreads);
    if constexpr (kThreads == 32) {
      __syncwarp();
    } else {
      __syncthreads();
    }
  }
  __device__ __forceinline__ bool any(Local<bool>& flags) const {
    if constexpr (kThreads == 32) {
      return __any_sync(0xffffffffU, flags.value) != 0;
    } else {
      return __syncthreads_or(flags.value) != 0;
    }
  }
};
#endif

}  // namespace kirchhoff::cuda
