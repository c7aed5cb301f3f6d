// What runs kernels: the host, a device, or, in a library that was built without CUDA, nothing.
#pragma once

#include "cuda/kernels/question.hpp"

#include <cstddef>
#include <string>

struct CUstream_st;

namespace kirchhoff::cuda {

/// Answers the question, whose pointers are the host's, graph by graph in parallel.
void solve_on_host(const Question& question);
/// Answers the question, whose pointers are the device's, on a stream. Returns before that is done.
void launch_solve(const Question& question, CUstream_st* stream);

/// The current device's name and driver. `found` says whether there is one.
std::string describe_device(bool& found);

/// Memory of the current device. The stream decides when it is taken and given back.
class DeviceMemory {
 public:
  DeviceMemory(std::size_t bytes, CUstream_st* stream);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  void* get() const { return memory_; }

  void copy_from_host(const void* from, std::size_t bytes) const;
  /// Waits for the stream.
  void copy_to_host(void* to, std::size_t bytes) const;

 private:
  void* memory_ = nullptr;
  [[maybe_unused]] CUstream_st* stream_;  // nobody waits for it in a library without CUDA
};

}  // namespace kirchhoff::cuda
