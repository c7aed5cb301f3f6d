// Kernels on the packed coefficients of a block of words that the robust method eliminates together.
#pragma once

#include "numeric/matrix_span.hpp"

#include <array>
#include <cstddef>
#include <span>

namespace kirchhoff::tree {

/// One column of a packed left factor (numeric/simd/products.hpp): blocks of kRowBlock rows, `stride` doubles apart.
/// Later columns follow at steps of kRowBlock doubles. Row 0 is the root's.
struct PackedColumn {
  double* data;
  std::size_t blocks;
  std::size_t stride;
};

/// The sum of a column over its rows, with or without the root's.
double column_sum(const PackedColumn& column, bool root_counts);
/// Multiplies a column by `inverse`, then adds factors[k] times it to the k-th column after it.
void pivot_step(const PackedColumn& column, double inverse, std::span<const double> factors);
/// For k = inner.rows - 1 down to 1 and every e < k, adds inner(k, e) times column k to column e.
void fold_block(const PackedColumn& first, const numeric::ConstMatrixSpan& inner);

inline constexpr std::size_t kBlockWords = 4;  // at most
/// The weights inner[k'][k] between a block's words, and their pivots.
struct BlockWords {
  std::size_t count;
  const std::array<std::array<double, kBlockWords>, kBlockWords>& inner;
  std::array<double, kBlockWords> pivots;
};
/// All of this for all columns of a block at once. False when a pivot is 0: nothing is changed then but the pivots.
bool block_coefficients(const PackedColumn& first, bool root_counts, BlockWords& words);

}  // namespace kirchhoff::tree
