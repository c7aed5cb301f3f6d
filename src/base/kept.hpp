// A value that is made when it is first needed and kept from then on, for immutable objects that threads share.
#pragma once

#include <atomic>
#include <memory>

namespace kirchhoff::base {

/// Threads that need the value at the same time all make it, and the first one
/// to finish is believed: to wait for another thread inside of a parallel loop could be to wait for oneself.
template <class T>
class Kept {
 public:
  Kept() = default;
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept() { delete value_.load(); }

  const T* get() const { return value_.load(std::memory_order_acquire); }
  const T& keep(std::unique_ptr<const T> made) {
    const T* none = nullptr;
    if (value_.compare_exchange_strong(none, made.get())) return *made.release();
    return *none;
  }

 private:
  std::atomic<const T*> value_ = nullptr;
};

}  // namespace kirchhoff::base
