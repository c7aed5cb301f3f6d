// Gives matrices that are kept for later another size, so that a lack of memory does not spoil them.
#pragma once

#include "kirchhoff/types.hpp"

namespace kirchhoff::numeric {

/// Makes a matrix rows x cols; its content is lost if that is another size. Eigen's own resize frees the old memory
/// before it asks for new memory, and keeps the address of the old if it gets none, so that a matrix that outlives the
/// exception frees it again. A matrix without memory may grow.
inline void resize_kept(Matrix& matrix, Eigen::Index rows, Eigen::Index cols) {
  if (matrix.rows() == rows && matrix.cols() == cols) return;
  matrix.resize(0, 0);
  matrix.resize(rows, cols);
}

}  // namespace kirchhoff::numeric
