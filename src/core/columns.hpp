// Columns of a graph under contraction: for every head the best arc from it into one node.
#pragma once

#include "core/buffer.hpp"
#include "kirchhoff/types.hpp"

#include <cstddef>

namespace kirchhoff::core {

/// Scores of the arcs into word d at data + d * stride, one per head; -inf on the diagonal and in the padding up to
/// `stride`, a multiple of 8.
struct Columns {
  const double* data = nullptr;
  std::ptrdiff_t stride = 0;
  int words = 0;

  const double* of(int word) const { return data + word * stride; }
  double operator()(int head, int word) const { return data[word * stride + head]; }
};

constexpr std::ptrdiff_t padded_size(int words) { return (static_cast<std::ptrdiff_t>(words) + 8) / 8 * 8; }

/// The scores, transposed into the buffer.
Columns columns_of(const MatrixRef& scores, Buffer& buffer);

/// Values and, where they come from a cycle, dependents (whole numbers kept as doubles, for the vector unit).
struct Column {
  const double* values = nullptr;
  const double* dependents = nullptr;  ///< nullptr: `dependent` for all heads
  double dependent = 0;
  double own = 0;  ///< to be subtracted from the values
};

/// values = max(a, b) + inside (0 or -inf), a where equal; values may be those of a. Returns the lowest head with the
/// highest value, from `lowest` (0 or 1) on, -1 when all those are -inf.
int merge_columns(std::ptrdiff_t size, const Column& a, const Column& b, const double* inside, double* values,
                  double* dependents, int lowest);
/// The same of a given column.
int best_of_column(std::ptrdiff_t size, const double* values, int lowest);

}  // namespace kirchhoff::core
