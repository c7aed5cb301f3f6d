// The executor that the tests of CUDA run on: the host, or a device where KIRCHHOFF_TEST_EXECUTOR=device asks for one.
#pragma once

#include "cuda/launch.hpp"
#include "kirchhoff/cuda.hpp"

#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace kirchhoff::cuda {

inline Executor test_executor() {
  const char* const name = std::getenv("KIRCHHOFF_TEST_EXECUTOR");
  if (name == nullptr) return Executor::host;
  const std::optional<Executor> executor = parse_name<Executor>(name);
  if (!executor) throw std::runtime_error("KIRCHHOFF_TEST_EXECUTOR is none of " + all_names<Executor>());
  return *executor;
}

/// Numbers that the executor under test can read and write: on a device there is a copy of them.
template <class T>
class TestArray {
 public:
  explicit TestArray(std::vector<T> values) : values_(std::move(values)) {
    if (test_executor() == Executor::host || values_.empty()) return;
    device_.emplace(bytes(), nullptr);
    device_->copy_from_host(values_.data(), bytes());
  }
  /// Where the executor has them.
  T* get() { return device_ ? static_cast<T*>(device_->get()) : values_.data(); }
  /// What they are now; on a device that waits for it.
  const std::vector<T>& fetch() {
    if (device_) device_->copy_to_host(values_.data(), bytes());
    return values_;
  }
  /// What they were when they were fetched last. Tests that look at every number fetch them once, not each time.
  const std::vector<T>& fetched() const { return values_; }

 private:
  std::size_t bytes() const { return values_.size() * sizeof(T); }
  std::vector<T> values_;
  std::optional<DeviceMemory> device_;
};

}  // namespace kirchhoff::cuda
