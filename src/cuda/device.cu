// The device itself: what it is, and its memory.
#include "cuda/check.cuh"
#include "cuda/launch.hpp"

#include <cuda_runtime.h>

#include <cstdint>
#include <map>
#include <mutex>
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

namespace {

/// A pool that keeps some memory from call to call: CUDA's own gives it back whenever somebody waits for a stream, and
/// to take it anew takes longer than most questions.
cudaMemPool_t pool_of_device() {
  static std::mutex mutex;
  static std::map<int, cudaMemPool_t> pools;
  int device = 0;
  check(cudaGetDevice(&device), "no device");
  const std::lock_guard lock(mutex);
  if (const auto found = pools.find(device); found != pools.end()) return found->second;
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  cudaMemPool_t pool = nullptr;
  check(cudaMemPoolCreate(&pool, &properties), "memory pool");
  std::uint64_t keep = std::uint64_t{1} << 31;
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep), "memory pool");
  return pools[device] = pool;
}

}  // namespace

DeviceMemory::DeviceMemory(std::size_t bytes, cudaStream_t stream) : stream_(stream) {
  if (bytes == 0) return;
  check(cudaMallocFromPoolAsync(&memory_, bytes, pool_of_device(), stream), "memory of the device");
}
DeviceMemory::~DeviceMemory() {
  if (memory_ != nullptr) cudaFreeAsync(memory_, stream_);
}

void DeviceMemory::copy_from_host(const void* from, std::size_t bytes) const {
  check(cudaMemcpyAsync(memory_, from, bytes, cudaMemcpyHostToDevice, stream_), "copy to the device");
}
void DeviceMemory::copy_to_host(void* to, std::size_t bytes) const {
  check(cudaMemcpyAsync(to, memory_, bytes, cudaMemcpyDeviceToHost, stream_), "copy from the device");
  check(cudaStreamSynchronize(stream_), "kernel");
}

}  // namespace kirchhoff::cuda
