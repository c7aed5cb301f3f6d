// The arrays of a line as the matrices that the library takes.
#pragma once

#include "json/graph_line.hpp"

#include <kirchhoff/tree.hpp>

#include <algorithm>

namespace kirchhoff::cli {

inline MatrixView matrix_of(const ArcArray& array, const TreeDistribution*) {
  return {array.values.data(), array.nodes, array.nodes};
}

inline LabelledMatrix matrix_of(const ArcArray& array, const LabelledTreeDistribution*) {
  LabelledMatrix matrix(array.nodes - 1, array.labels);
  std::copy(array.values.begin(), array.values.end(), matrix.data());
  return matrix;
}

/// The array as the matrix from which a distribution of type D is made.
template <class D>
auto matrix_for(const ArcArray& array) {
  return matrix_of(array, static_cast<const D*>(nullptr));
}

}  // namespace kirchhoff::cli
