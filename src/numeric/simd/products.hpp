// Dense matrix products, dispatched at run time to the best instruction set of the machine.
//
// Rows are 64-byte aligned and padded to a multiple of kPad doubles. The padding is computed on, so it must hold
// harmless numbers. All kernels of the library share these conventions.
#pragma once

#include "base/buffer.hpp"

#include <cstddef>

namespace kirchhoff::numeric {

/// Left factors are packed in blocks of kRowBlock rows: element (r, k) at packed_index(r, k, stride), where stride >=
/// kRowBlock * depth separates the blocks. The inner loop then walks one pointer through contiguous memory.
constexpr std::size_t kRowBlock = 8;
constexpr std::size_t packed_index(std::size_t r, std::size_t k, std::size_t stride) {
  return r / kRowBlock * stride + k * kRowBlock + r % kRowBlock;
}

/// out[r][c] = in[r][c] + sum_k a(r, k) b[k*ldb + c] for c in [first, last): rank-`depth` update of scattered rows.
/// `in` may be null (zeros) or equal to `out`.
void multiply_rows(std::size_t rows, std::size_t first, std::size_t last, std::size_t depth, const double* a,
                   std::size_t a_stride, const double* b, std::size_t ldb, const double* const* in, double* const* out);

/// out = a b for n x n matrices of row stride ld = padded(n), a given by its transpose at.
void multiply_square(std::size_t n, std::size_t ld, const double* at, const double* b, double* out);

/// dst[c*ld_dst + r] = src[r*ld_src + c]; rows and cols are rounded up to multiples of 4 and must be backed by memory.
void transpose(std::size_t rows, std::size_t cols, const double* src, std::size_t ld_src, double* dst,
               std::size_t ld_dst);

}  // namespace kirchhoff::numeric
