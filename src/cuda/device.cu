// The device itself: what it is, and its memory.
#include "cuda/check.cuh"
#include "cuda/launch.hpp"

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

namespace kirchhoff::cuda {

std::string describe_device(bool& found) {
  found = false;
  try {
    int device = 0, driver = 0;
    cudaDeviceProp properties{};
    check(cudaGetDevice(&device), "no device");
    check(cudaGetDeviceProperties(&properties, device), "no device");
    check(cudaDriverGetVersion(&driver), "no device");
    found = true;
    return std::string(properties.name) + ", compute capability " + std::to_string(properties.major) + "." +
           std::to_string(properties.minor) + ", driver for CUDA " + std::to_string(driver / 1000) + "." +
           std::to_string(driver % 1000 / 10);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
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
