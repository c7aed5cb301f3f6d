// Arrays in the memory of a device, or of the host, that a question is about; they are not copied.
#pragma once

#include "arrays.hpp"
#include "graph_arrays.hpp"

#include <kirchhoff/cuda.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace kirchhoff::python {

/// What a caller hands over: an object with DLPack, or the capsule that it gives, which makes nobody wait for a stream.
using ReadArray = nb::ndarray<nb::ro>;
using WrittenArray = nb::ndarray<>;
template <class A>
using Maybe = std::optional<A>;

/// The shape of the scores and the memory that they are in, which all other arrays must fit.
class ArraysOfQuestion {
 public:
  template <class A>
  ArraysOfQuestion(const A& scores, cuda::Executor executor) : device_(scores.device_id()) {
    memory_ = executor == cuda::Executor::device ? nb::device::cuda::value : nb::device::cpu::value;
    for (std::size_t k = 0; k < scores.ndim(); ++k) shape_.push_back(scores.shape(k));
    if (shape_.size() == 3 || shape_.size() == 4) return;
    throw InputError("scores: an array of " + std::to_string(shape_.size()) + " axes, expected 3 or 4");
  }

  std::int64_t graphs() const { return static_cast<std::int64_t>(shape_[0]); }
  int words() const { return int_of(static_cast<std::int64_t>(shape_[1]) - 1, "words"); }
  int labels() const { return shape_.size() == 4 ? int_of(static_cast<std::int64_t>(shape_[3]), "labels") : 1; }

  /// An array of arcs, of doubles or floats.
  template <class A>
  cuda::ArcArray arcs(const A& array, const char* name) const {
    check(array, name, shape_);
    cuda::ArcArray out;
    void* const data = const_cast<void*>(static_cast<const void*>(array.data()));
    if (array.dtype() == nb::dtype<double>()) {
      out.values = static_cast<double*>(data);
    } else if (array.dtype() == nb::dtype<float>()) {
      out.values = static_cast<float*>(data);
    } else {
      throw InputError(std::string(name) + ": neither float64 nor float32");
    }
    out.graph_stride = array.stride(0);
    out.head_stride = array.stride(1);
    out.dependent_stride = array.stride(2);
    if (shape_.size() == 4) out.label_stride = array.stride(3);
    return out;
  }
  template <class A>
  cuda::ArcArray arcs(const Maybe<A>& array, const char* name) const {
    return array ? arcs(*array, name) : cuda::ArcArray();
  }
  /// A contiguous array with a number of type T for every graph, or as many of a shape.
  template <class T, class A>
  T* numbers(const A& array, const char* name, const std::vector<std::size_t>& shape = {}) const {
    std::vector<std::size_t> full = {shape_[0]};
    full.insert(full.end(), shape.begin(), shape.end());
    check(array, name, full);
    if (array.dtype() != nb::dtype<std::remove_const_t<T>>()) throw InputError(std::string(name) + ": wrong dtype");
    std::int64_t stride = 1;
    for (std::size_t k = full.size(); k-- > 0 && array.size() > 0; stride *= static_cast<std::int64_t>(full[k])) {
      if (full[k] > 1 && array.stride(k) != stride) throw InputError(std::string(name) + ": not contiguous");
    }
    return const_cast<T*>(static_cast<const T*>(static_cast<const void*>(array.data())));
  }
  template <class T, class A>
  T* numbers(const Maybe<A>& array, const char* name, const std::vector<std::size_t>& shape = {}) const {
    return array ? numbers<T>(*array, name, shape) : nullptr;
  }

 private:
  template <class A>
  void check(const A& array, const char* name, const std::vector<std::size_t>& shape) const {
    const auto wrong = [&](const std::string& why) { throw InputError(std::string(name) + ": " + why); };
    if (array.device_type() != memory_ || array.device_id() != device_) wrong("not in the memory that is asked about");
    bool fits = array.ndim() == shape.size();
    for (std::size_t k = 0; fits && k < shape.size(); ++k) fits = array.shape(k) == shape[k];
    if (!fits) wrong("expected shape " + shape_text(shape.data(), shape.size()));
  }

  int memory_, device_;
  std::vector<std::size_t> shape_;
};

}  // namespace kirchhoff::python
