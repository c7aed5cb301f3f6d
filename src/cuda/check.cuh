// Turns errors of CUDA into exceptions.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace kirchhoff::cuda {

/// Why a call failed. Of a driver that is not there CUDA says that its version is insufficient.
inline std::string reason(cudaError_t error) {
  int driver = 0;
  const bool missing =
      error == cudaErrorInsufficientDriver && cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0;
  return missing ? "there is no CUDA driver" : cudaGetErrorString(error);
}

inline void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  cudaGetLastError();  // the next call is to work
  if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver) what = "no device";
  throw std::runtime_error(std::string("[cuda] ") + what + ": " + reason(error));
}

/// How many blocks of a kernel with this much shared memory the current device holds at once. `most_shared` is the most
/// that the kernel is ever launched with: what it may have is one setting for all threads of the program.
template <class Kernel>
std::int64_t resident_blocks(Kernel kernel, int threads, std::size_t shared, std::size_t most_shared) {
  int device = 0, multiprocessors = 0, resident = 0;
  check(cudaGetDevice(&device), "no device");
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "device attributes");
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(most_shared)),
        "shared memory");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, shared), "occupancy");
  return std::int64_t{std::max(resident, 1)} * multiprocessors;
}

}  // namespace kirchhoff::cuda
