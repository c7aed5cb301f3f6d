// Buffers of functions that XLA compiles. Everything is contiguous.
#pragma once

#include "arrays.hpp"

#include <xla/ffi/api/ffi.h>
#include <kirchhoff/cuda.hpp>

#include <cstddef>
#include <cstdint>

namespace kirchhoff::python {

namespace ffi = xla::ffi;

inline cuda::Numbers numbers_of(const ffi::AnyBuffer& buffer) {
  if (buffer.element_type() == ffi::DataType::F64) return buffer.typed_data<double>();
  if (buffer.element_type() == ffi::DataType::F32) return buffer.typed_data<float>();
  throw InputError("[xla] an array of arcs is neither float64 nor float32");
}

template <class T>
T* data_of(const ffi::AnyBuffer& buffer, ffi::DataType type, std::int64_t graphs) {
  const bool fits = buffer.element_type() == type && static_cast<std::int64_t>(buffer.element_count()) == graphs;
  if (!fits) throw InputError("[xla] an array of numbers has another type or size");
  return buffer.typed_data<T>();
}

inline ffi::AnyBuffer operand(const ffi::RemainingArgs& operands, std::size_t i) {
  return operands.get<ffi::AnyBuffer>(i).value();
}

/// The scores' shape (..., n+1, n+1[, labels]), of which a graph has `arcs` axes.
struct ShapeOfGraphs {
  std::int64_t graphs = 1;
  int words, labels;
  ShapeOfGraphs(const ffi::AnyBuffer& scores, std::int64_t arcs) {
    const auto shape = scores.dimensions();
    const std::size_t axes = shape.size(), first = axes - static_cast<std::size_t>(arcs);
    for (std::size_t k = 0; k < first; ++k) graphs *= shape[k];
    words = int_of(shape[first] - 1, "words");
    labels = arcs == 3 ? int_of(shape[axes - 1], "labels") : 1;
  }
};

}  // namespace kirchhoff::python
