// A view of a matrix in memory that belongs to somebody else: where it begins, its shape, and how far rows lie apart.
#pragma once

#include <cstddef>

namespace kirchhoff::numeric {

/// Where kernels compute on padded rows, `stride` is the padded length and `cols` the number of columns that mean
/// something. Kernels take spans by reference: a small kernel takes 10 ns, and to copy four words that were just
/// written one by one, once on the way to the dispatcher and once behind it, stalls the processor for as long.
template <class T>
struct BasicMatrixSpan {
  T* data = nullptr;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::size_t stride = 0;

  T* row(std::size_t i) const { return data + i * stride; }
  T& operator()(std::size_t i, std::size_t j) const { return data[i * stride + j]; }
  /// The rows from `first` on.
  BasicMatrixSpan from_row(std::size_t first) const { return {row(first), rows - first, cols, stride}; }
  /// The first `count` rows.
  BasicMatrixSpan first_rows(std::size_t count) const { return {data, count, cols, stride}; }
  /// A span that may be written is also one that may be read.
  operator BasicMatrixSpan<const T>() const { return {data, rows, cols, stride}; }  // NOLINT: as for std::span
};

using MatrixSpan = BasicMatrixSpan<double>;
using ConstMatrixSpan = BasicMatrixSpan<const double>;

}  // namespace kirchhoff::numeric
