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
#define KIRCHHOFF_PRAGMA(text) _Pragma(#text)
#define KIRCHHOFF_UNROLL _Pragma("unroll")
#define KIRCHHOFF_UNROLL_BY(count) KIRCHHOFF_PRAGMA(unroll count)
#define KIRCHHOFF_TABLE(type, name) static __constant__ type name[]
#else
#define KIRCHHOFF_BOTH inline
#define KIRCHHOFF_UNROLL
#define KIRCHHOFF_UNROLL_BY(count)
#define KIRCHHOFF_TABLE(type, name) inline constexpr type name[]
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
  /// Sets a flag that several threads may set in a phase.
  KIRCHHOFF_BOTH void raise(int& flag) const { flag = 1; }
};

#ifdef __CUDACC__
/// A team on a device: a block of threads.
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
    f(static_cast<int>(threadIdx.x));
    if constexpr (kThreads == 32) {
      __syncwarp();
    } else {
      __syncthreads();
    }
  }
  __device__ __forceinline__ void raise(int& flag) const { atomicExch(&flag, 1); }
};
#endif

}  // namespace kirchhoff::cuda
