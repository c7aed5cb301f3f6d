// The best of every column of a matrix of scores, for each block of its rows, in one pass.
#pragma once

#include "numeric/matrix_span.hpp"

#include <cstddef>
#include <vector>

namespace kirchhoff::sample {

constexpr std::size_t kRowsOfBlock = 64;

/// Rows for each block, with a number for each column of the matrix; that of column 0 means nothing.
struct BlockMaxima {
  std::size_t stride;  ///< of rows, which are padded
  std::vector<double> scores;
  std::vector<double> weights;  ///< exponentials, relative to the column's best
  std::size_t unusual;          ///< elements, not counting column 0, that are no numbers of at most 1e100 in size
};

/// Reads each row once. O(rows * columns).
BlockMaxima block_maxima(const numeric::ConstMatrixSpan& matrix);

}  // namespace kirchhoff::sample
