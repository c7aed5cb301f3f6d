// NumPy arrays in and out, and loops that run without the interpreter's lock and end on Ctrl-C.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <kirchhoff/tree_batch.hpp>

#include <chrono>
#include <climits>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace kirchhoff::python {

namespace nb = nanobind;

using Doubles = nb::ndarray<const double, nb::device::cpu>;
using Ints = nb::ndarray<const std::int64_t, nb::device::cpu, nb::c_contig>;

template <class T>
using NumpyArray = nb::ndarray<nb::numpy, T>;

/// A new array. The pointer is good as long as the array is.
template <class T>
struct NewArray {
  T* data;
  NumpyArray<T> array;

  NewArray(const std::vector<std::size_t>& shape, T fill) : NewArray(shape) { std::fill_n(data, array.size(), fill); }
  /// The values are not set.
  explicit NewArray(const std::vector<std::size_t>& shape) {
    std::size_t size = 1;
    for (const std::size_t extent : shape) size *= extent;
    data = std::make_unique_for_overwrite<T[]>(size).release();
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    array = NumpyArray<T>(data, shape.size(), shape.data(), owner);
  }
};

inline NumpyArray<double> array_of(const Vector& values) {
  NewArray<double> out({static_cast<std::size_t>(values.size())}, 0.0);
  std::copy_n(values.data(), values.size(), out.data);
  return out.array;
}

/// An array that keeps the values where they are, without a copy.
template <class Values>
auto array_over(Values values, const std::vector<std::size_t>& shape) {
  auto owner = std::make_unique<Values>(std::move(values));
  auto* const data = owner->data();
  nb::capsule capsule(owner.release(), [](void* p) noexcept { delete static_cast<Values*>(p); });
  return NumpyArray<std::remove_pointer_t<decltype(data)>>(data, shape.size(), shape.data(), capsule);
}

inline NumpyArray<double> array_of(Matrix values) {
  const std::vector<std::size_t> shape{static_cast<std::size_t>(values.rows()),
                                       static_cast<std::size_t>(values.cols())};
  return array_over(std::move(values), shape);
}

/// A copy of a one-dimensional array, which may be strided.
inline Vector vector_of(const Doubles& values) {
  if (values.ndim() != 1) throw InputError("expected a one-dimensional array");
  Vector out(static_cast<Eigen::Index>(values.shape(0)));
  for (Eigen::Index i = 0; i < out.size(); ++i) out[i] = values.data()[i * values.stride(0)];
  return out;
}

inline int int_of(std::int64_t value, const char* what) {
  if (value < INT_MIN || value > INT_MAX) throw InputError(std::string(what) + ": " + std::to_string(value));
  return static_cast<int>(value);
}

/// The order of cumulants, which are as many numbers.
inline int checked_order(int order) {
  if (order < 1 || order > 30) throw InputError("order is " + std::to_string(order) + ", expected 1 to 30");
  return order;
}

/// Makes the error a ValueError in Python.
template <class Error>
void bind_error(nb::module_& m, const char* name, const char* doc) {
  nb::exception<Error>(m, name, PyExc_ValueError).attr("__doc__") = doc;
}

/// Calls f() without the interpreter's lock.
template <class F>
auto unlocked(F f) {
  nb::gil_scoped_release release;
  return f();
}

/// Looks for Ctrl-C, or what a signal's handler raised, at most ten times a second. It is for work without the
/// interpreter's lock. All threads may ask, but Python hears of signals in one thread only, so this is made there.
class Interrupt {
 public:
  /// Is true once there was a signal, and only in the thread that made this.
  bool operator()() {
    if (std::this_thread::get_id() != caller_) return false;
    const auto now = std::chrono::steady_clock::now();
    if (seen_ || now - last_ < std::chrono::milliseconds(100)) return seen_;
    last_ = now;
    nb::gil_scoped_acquire locked;
    seen_ = PyErr_CheckSignals() != 0;
    return seen_;
  }
  /// Throws what the signal raised. Needs the lock.
  void rethrow() const {
    if (seen_) throw nb::python_error();
  }
  /// Looks and throws, for work that nothing else would end.
  void check() {
    if (!(*this)()) return;
    nb::gil_scoped_acquire locked;
    rethrow();
  }

 private:
  std::thread::id caller_ = std::this_thread::get_id();
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  bool seen_ = false;
};

/// Calls f(stop) without the lock; f ends early when stop() is true.
template <class F>
auto interruptible(F f) {
  Interrupt interrupt;
  try {
    auto result = unlocked([&] { return f(Stop(std::ref(interrupt))); });
    interrupt.rethrow();
    return result;
  } catch (const Stopped&) {
    interrupt.rethrow();
    throw;
  }
}

/// Runs parallel_for without the interpreter's lock, until Ctrl-C ends it.
inline void run(std::size_t count, int threads, const std::function<void(std::size_t)>& body) {
  nb::gil_scoped_release unlocked;
  if (count == 1) return body(0);  // nothing would be left to interrupt
  Interrupt interrupt;
  parallel_for(count, threads, [&](std::size_t i) {
    body(i);
    interrupt.check();
  });
}

}  // namespace kirchhoff::python
