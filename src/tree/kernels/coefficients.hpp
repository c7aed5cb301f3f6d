// Kernels on the packed coefficients of a block of words that the robust method eliminates together.
#pragma once

#include <cstddef>

namespace kirchhoff::tree {

/// Sum over the rows of one column, c(0, k) = c[0]; row 0 is the root's.
double column_sum(std::size_t blocks, const double* c, std::size_t stride, bool root_counts);
/// Column *= inverse; the `later` columns after it += column * factors[.].
void pivot_step(std::size_t blocks, double* c, std::size_t stride, double inverse, std::size_t later,
                const double* factors);
/// For k = size - 1 .. 1, e < k: column e += column k * inner[k * inner_stride + e].
void fold_block(std::size_t blocks, double* c, std::size_t stride, std::size_t size, const double* inner,
                std::size_t inner_stride);

}  // namespace kirchhoff::tree
