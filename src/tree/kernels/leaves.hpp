// A kernel that ends the leave-one-out elimination of one graph (tree/robust/leave_one_out.hpp): the last words are
// left one by one, all at once.
#pragma once

#include "numeric/matrix_span.hpp"

#include <array>
#include <cstddef>

namespace kirchhoff::tree {

inline constexpr std::size_t kLeafWords = 8;  // at most

/// What remains of a graph of n words: the rows of the root and of `words.rows` words from `first` on.
struct LeafPart {
  const double* root;
  numeric::ConstMatrixSpan words;  // whole vectors of columns
  std::size_t first;
  std::size_t n;
  bool root_counts;
  const double* inverse_totals;  // 1 / the sums of the columns, which elimination does not change
};

struct LeafOutcome {
  bool good;                              // else a pivot or a weight z is 0, and nothing was written
  double smallest, largest;               // of pivots and of the weights of walks to the root
  std::array<double, kLeafWords> pivots;  // of the elimination that leaves the first word: as many as words, some 1
  std::array<double, kLeafWords> z;       // the root's weight to each word when it is left alone
};

/// Leaves each of the words alone and writes its row of slopes, as absorption_slopes does.
LeafOutcome leave_each(const LeafPart& part, const numeric::MatrixSpan& slopes);

}  // namespace kirchhoff::tree
