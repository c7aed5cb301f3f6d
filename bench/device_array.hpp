// Arrays in a CUDA device's memory, for benchmarks.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <stdexcept>
#include <vector>

namespace kirchhoff::bench {

inline void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count) : count_(count) { check(cudaMalloc(&data_, count * sizeof(T))); }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  T* get() const { return static_cast<T*>(data_); }
  void send(const std::vector<T>& values) {
    check(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyDefault));
  }
  std::vector<T> fetch() const {
    std::vector<T> values(count_);
    check(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDefault));
    return values;
  }

 private:
  std::size_t count_;
  void* data_ = nullptr;
};

}  // namespace kirchhoff::bench
