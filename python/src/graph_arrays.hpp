// One array for each graph: parts of an array whose first axis is the batch, or the arrays of a list as they lie.
#pragma once

#include "arrays.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace kirchhoff::python {

/// An array of doubles where it lies. Strides count doubles.
struct Strided {
  static constexpr std::size_t kMostAxes = 4;  ///< functions of labelled arcs have these

  const double* data;
  std::size_t axes;
  std::array<std::size_t, kMostAxes> shape;
  std::array<std::ptrdiff_t, kMostAxes> stride;
};

template <class Extent>
std::string shape_text(const Extent* shape, std::size_t axes) {
  std::string text = "(";
  for (std::size_t k = 0; k < axes; ++k) text += (k > 0 ? ", " : "") + std::to_string(shape[k]);
  return text + ")";
}

/// What the package hands over: a list of float64 arrays, which nobody else changes, or one array.
using ArraysArgument = std::variant<nb::list, Doubles>;

/// The arrays are the caller's, which this keeps alive.
class GraphArrays {
 public:
  /// `axes` are those of one graph; an array may have one more, the batch.
  GraphArrays(ArraysArgument argument, std::size_t axes) : kept_(std::move(argument)) {
    if (const auto* list = std::get_if<nb::list>(&kept_)) {
      read(*list, axes);
    } else {
      read(std::get<Doubles>(kept_), axes);
    }
  }

  std::size_t size() const { return arrays_.size(); }
  const Strided& operator[](std::size_t i) const { return arrays_[i]; }
  /// The largest extent of an axis of the graphs; a batch without graphs has one too.
  std::size_t extent(std::size_t axis) const { return extent_[axis]; }
  bool is_list() const { return std::holds_alternative<nb::list>(kept_); }
  bool is_batch() const { return is_batch_; }  ///< false for one graph

 private:
  void read(const Doubles& array, std::size_t axes) {
    is_batch_ = array.ndim() == axes + 1;
    if (!is_batch_ && array.ndim() != axes) throw InputError("an array of " + std::to_string(array.ndim()) + " axes");
    const std::size_t first = is_batch_ ? 1 : 0;
    Strided part{array.data(), axes, {}, {}};
    for (std::size_t k = 0; k < axes; ++k) {
      part.shape[k] = array.shape(first + k);
      part.stride[k] = array.stride(first + k);
    }
    extent_ = part.shape;
    arrays_.assign(is_batch_ ? array.shape(0) : 1, part);
    for (std::size_t i = 1; i < arrays_.size(); ++i) {
      arrays_[i].data += static_cast<std::ptrdiff_t>(i) * array.stride(0);
    }
  }

  void read(const nb::list& list, std::size_t axes) {
    is_batch_ = true;
    arrays_.reserve(list.size());
    const std::size_t count = list.size();
    for (std::size_t i = 0; i < count; ++i) {
      PyObject* const item = PyList_GetItem(list.ptr(), static_cast<Py_ssize_t>(i));
      if (read_item(item, i, axes)) continue;
      list[i] = nb::module_::import_("numpy").attr("array")(nb::handle(item));
      read_item(list[i].ptr(), i, axes);
    }
  }

  /// Reads an array by the buffer protocol, which allocates nothing, unlike an nb::ndarray for each graph. False when
  /// it must be copied first, because it does not lie on whole doubles: a field of records may not.
  bool read_item(PyObject* item, std::size_t i, std::size_t axes) {
    Py_buffer buffer;
    if (PyObject_GetBuffer(item, &buffer, PyBUF_STRIDED_RO) != 0) throw nb::python_error();
    constexpr auto kDouble = static_cast<Py_ssize_t>(sizeof(double));
    Strided array{static_cast<const double*>(buffer.buf), static_cast<std::size_t>(buffer.ndim), {}, {}};
    bool aligned = reinterpret_cast<std::uintptr_t>(buffer.buf) % alignof(double) == 0;
    for (std::size_t k = 0; k < std::min(array.axes, Strided::kMostAxes); ++k) {
      array.shape[k] = static_cast<std::size_t>(buffer.shape[k]);
      array.stride[k] = buffer.strides[k] / kDouble;
      aligned = aligned && buffer.strides[k] % kDouble == 0;
    }
    const std::string shape = array.axes == axes ? "" : shape_text(buffer.shape, array.axes);
    PyBuffer_Release(&buffer);  // the list keeps the array
    if (!shape.empty()) {
      throw InputError("scores[" + std::to_string(i) + "]: shape " + shape + ", where the first graph has " +
                       std::to_string(axes) + " axes");
    }
    if (!aligned) return false;
    for (std::size_t k = 0; k < axes; ++k) extent_[k] = std::max(extent_[k], array.shape[k]);
    arrays_.push_back(array);
    return true;
  }

  ArraysArgument kept_;
  std::vector<Strided> arrays_;
  std::array<std::size_t, Strided::kMostAxes> extent_ = {};
  bool is_batch_ = false;
};

}  // namespace kirchhoff::python
