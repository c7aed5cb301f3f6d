// The device itself: what it is, and its memory.
#include "cuda/check.cuh"
#include "cuda/launch.hpp"

#include <cuda_runtime.h>

#include <string>

namespace kirchhoff::cuda {

std::string describe_device(bool& found) {
  int device = 0;
  cudaDeviceProp properties{};
  int driver = 0;
  found = cudaGetDevice(&device) == cudaSuccess && cudaGetDeviceProperties(&properties, device) == cudaSuccess &&
          cudaDriverGetVersion(&driver) == cudaSuccess;
  if (!found) return std::string("[cuda] no device: ") + cudaGetErrorString(cudaGetLastError());
  return std::string(properties.name) + ", compute capability " + std::to_string(properties.major) + "." +
         std::to_string(properties.minor) + ", driver for CUDA " + std::to_string(driver / 1000) + "." +
         std::to_string(driver % 1000 / 10);
}

DeviceMemory::DeviceMemory(std::size_t bytes, cudaStream_t stream) : stream_(stream) {
  check(cudaMallocAsync(&memory_, bytes, stream), "memory of the device");
}
DeviceMemory::~DeviceMemory() { cudaFreeAsync(memory_, stream_); }

void DeviceMemory::copy_from_host(const void* from, std::size_t bytes) const {
  check(cudaMemcpyAsync(memory_, from, bytes, cudaMemcpyHostToDevice, stream_), "copy to the device");
}
void DeviceMemory::copy_to_host(void* to, std::size_t bytes) const {
  check(cudaMemcpyAsync(to, memory_, bytes, cudaMemcpyDeviceToHost, stream_), "copy from the device");
  check(cudaStreamSynchronize(stream_), "kernel");
}

}  // namespace kirchhoff::cuda
