// Memory for the kernels: 64-byte aligned, rows padded to 8 doubles, growing only, so that reuse never allocates.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace kirchhoff::base {

/// Gives standard containers memory that begins on a cache line.
template <class T>
struct CacheAlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t kCacheLine{64};

  CacheAlignedAllocator() = default;
  template <class U>
  CacheAlignedAllocator(const CacheAlignedAllocator<U>&) {}  // NOLINT(google-explicit-constructor)
  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), kCacheLine)); }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, kCacheLine); }
  friend bool operator==(const CacheAlignedAllocator&, const CacheAlignedAllocator&) { return true; }
};

/// Gives vectors memory that is not written to before its content comes.
template <class T>
struct UnwrittenAllocator : CacheAlignedAllocator<T> {
  template <class U>
  struct rebind {
    using other = UnwrittenAllocator<U>;
  };
  template <class U>
  void construct(U* place) {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
  }
};

constexpr std::size_t kPad = 8;  // one AVX-512 vector; a multiple of every other vector length
constexpr std::size_t padded(std::size_t n) { return (n + kPad - 1) / kPad * kPad; }

class Buffer {
 public:
  /// Gives room for at least `size` doubles. The contents are lost when the buffer grows.
  double* take(std::size_t size) {
    if (size > capacity_) {
      const std::size_t bytes = padded(size) * sizeof(double);
      data_.reset(static_cast<double*>(::operator new (bytes, std::align_val_t{64})));
      capacity_ = padded(size);
    }
    return data_.get();
  }
  double* data() { return data_.get(); }
  const double* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(double* p) const { ::operator delete (p, std::align_val_t{64}); }
  };
  std::unique_ptr<double, Free> data_;
  std::size_t capacity_ = 0;
};

}  // namespace kirchhoff::base
