// The best of every column of a matrix of scores, for each block of its rows, in one pass; and the choice of a block.
#pragma once

#include "base/buffer.hpp"
#include "numeric/matrix_span.hpp"

#include <cstddef>
#include <vector>

namespace kirchhoff::sample {

constexpr std::size_t kRowsOfBlock = 64;
constexpr double kLargestScore = 1e100;  ///< beyond, TreeDistribution refuses a score

/// What is known of the columns' blocks. Column 0 means nothing.
struct BlockMaxima {
  std::size_t blocks;
  std::vector<double, base::UnwrittenAllocator<double>> columns;
  bool unusual;  ///< whether some element is no number of at most kLargestScore in size

  /// The weights of the blocks of a column up to each, added up; a weight is the exponential of the block's best score,
  /// relative to the column's.
  const double* sums(std::size_t column) const { return columns.data() + 2 * blocks * column; }
  const double* scores(std::size_t column) const { return sums(column) + blocks; }  ///< the best of each block
};

/// Reads each row once. O(rows * columns).
BlockMaxima block_maxima(const numeric::ConstMatrixSpan& matrix);

constexpr std::size_t kThresholds = 8;
/// Replaces each of kThresholds numbers by the number of sums that are at most as large, but by the last at most.
void choose_blocks(const double* sums, std::size_t blocks, double* thresholds);

}  // namespace kirchhoff::sample
