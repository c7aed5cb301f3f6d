// The arrays of a line as the matrices that the library takes.
#pragma once

#include "json/graph_line.hpp"

#include <kirchhoff/tree.hpp>

#include <algorithm>

namespace kirchhoff::cli {

/// The array as the matrix from which a distribution of type D is made.
template <class D>
auto matrix_for(const ArcArray& array) {
  if constexpr (kHasLabels<D>) {
    LabelledMatrix matrix(array.nodes - 1, array.labels);
    std::copy(array.values.begin(), array.values.end(), matrix.data());
    return matrix;
  } else {
    return MatrixView(array.values.data(), array.nodes, array.nodes);
  }
}

}  // namespace kirchhoff::cli
