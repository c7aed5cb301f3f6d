// Turns errors of CUDA into exceptions.
#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

namespace kirchhoff::cuda {

/// Why a call failed. Of a driver that is not there CUDA says that its version is insufficient.
inline std::string reason(cudaError_t error) {
  int driver = 0;
  const bool missing = error == cudaErrorInsufficientDriver && cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0;
  return missing ? "there is no CUDA driver" : cudaGetErrorString(error);
}

inline void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  cudaGetLastError();  // the next call is to work
  if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver) what = "no device";
  throw std::runtime_error(std::string("[cuda] ") + what + ": " + reason(error));
}

}  // namespace kirchhoff::cuda
