// Columns of a graph under contraction: for every head the best arc from it into one node.
#pragma once

#include "core/buffer.hpp"
#include "kirchhoff/types.hpp"

#include <cstddef>
#include <vector>

namespace kirchhoff::core {

/// Scores of the arcs into word d at data + d * stride, one per head; -inf on the diagonal, in column 0, and in the
/// padding up to `stride`, a multiple of 8. After the words there is room for as many cycles.
struct Columns {
  double* data = nullptr;
  std::ptrdiff_t stride = 0;
  int words = 0;

  double* of(int node) const { return data + node * stride; }
  double operator()(int head, int node) const { return of(node)[head]; }
};

constexpr std::ptrdiff_t padded_size(int words) { return (static_cast<std::ptrdiff_t>(words) + 8) / 8 * 8; }

/// By word: the highest score of an arc into it and the lowest head that this comes from (-inf, -1: none). Single-root:
/// from the root only if nothing else is possible.
struct BestArcs {
  std::vector<double> score;
  std::vector<int> head;
};

/// Transposes the scores into the buffer and sets best arcs [1..n], which have room for padded_size(n) words. O(n^2).
/// `valid`: all cells, also those without an arc, are known to be finite and at most kLargestScore in size; else ask
/// check_scores.
struct ScoresRead {
  Columns columns;
  bool valid = false;
};
ScoresRead read_scores(const MatrixRef& scores, Root root, Buffer& buffer, BestArcs& best);

/// The lowest head with the highest value, from `lowest` (0 or 1) on, -1 when all those are -inf.
int best_of_column(std::ptrdiff_t size, const double* values, int lowest);

}  // namespace kirchhoff::core
