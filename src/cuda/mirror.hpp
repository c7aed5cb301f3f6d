// Arrays of the host that a device gets copies of.
#pragma once

#include "cuda/launch.hpp"
#include "kirchhoff/cuda.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

namespace kirchhoff::cuda {

/// An array of the host, and on a device its copy there.
template <class T>
class Mirror {
 public:
  Mirror(std::span<T> host, Executor executor) : host_(host) {
    if (executor == Executor::device) device_.emplace(std::max<std::size_t>(host.size_bytes(), 1), nullptr);
  }
  T* get() const { return device_ ? static_cast<T*>(device_->get()) : host_.data(); }
  void send() const {
    if (device_) device_->copy_from_host(host_.data(), host_.size_bytes());
  }
  void fetch() const {
    if (device_) device_->copy_to_host(host_.data(), host_.size_bytes());
  }

 private:
  std::span<T> host_;
  std::optional<DeviceMemory> device_;
};

}  // namespace kirchhoff::cuda
