// Dense matrix products, dispatched at run time to the best instruction set of the machine.
//
// Rows are 64-byte aligned and padded to a multiple of kPad doubles. The padding is computed on, so it must hold
// harmless numbers. All kernels of the library share these conventions.
#pragma once

#include "base/buffer.hpp"
#include "numeric/matrix_span.hpp"

#include <cstddef>

namespace kirchhoff::numeric {

/// Left factors are packed in blocks of kRowBlock rows: element (r, k) at packed_index(r, k, stride), where stride >=
/// kRowBlock * depth separates the blocks. The inner loop then walks one pointer through contiguous memory.
constexpr std::size_t kRowBlock = 8;
constexpr std::size_t packed_index(std::size_t r, std::size_t k, std::size_t stride) {
  return r / kRowBlock * stride + k * kRowBlock + r % kRowBlock;
}

/// A left factor that is packed in this way. Its depth is the number of rows of the right factor.
struct PackedFactor {
  const double* data;
  std::size_t rows;
  std::size_t stride;
};

/// Updates scattered rows: out[r][c] = in[r][c] + sum_k a(r, k) b(k, c) for the columns c of b from `first` on. `in`
/// may be null, which means zeros, or equal to `out`. Columns count up to b.cols, a multiple of kPad, as is `first`.
void multiply_rows(const PackedFactor& a, const ConstMatrixSpan& b, const double* const* in, double* const* out,
                   std::size_t first = 0);

/// Computes out = a b for n x n matrices of row stride padded(n), where `at` is the transpose of a.
void multiply_square(const ConstMatrixSpan& at, const ConstMatrixSpan& b, const MatrixSpan& out);

/// Writes the transpose of `from` to `to`. Rows and columns of `from` are rounded up to multiples of 4, and there must
/// be memory behind them.
void transpose(const ConstMatrixSpan& from, const MatrixSpan& to);

}  // namespace kirchhoff::numeric
