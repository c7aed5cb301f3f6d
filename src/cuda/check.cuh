// Turns errors of CUDA into exceptions.
#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

namespace kirchhoff::cuda {

inline void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  cudaGetLastError();  // the next call is to work
  throw std::runtime_error(std::string("[cuda] ") + what + ": " + cudaGetErrorString(error));
}

}  // namespace kirchhoff::cuda
