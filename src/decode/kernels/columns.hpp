// Columns of a graph under contraction: for every head the best arc from it into one node.
#pragma once

#include "base/buffer.hpp"
#include "kirchhoff/types.hpp"

#include <cstddef>
#include <vector>

namespace kirchhoff::decode {

/// The scores of the arcs into word d are at data + d * stride, one for each head. They are -inf on the diagonal, in
/// column 0, and in the padding up to `stride`, a multiple of 8. After the words there is room for as many cycles.
struct Columns {
  double* data = nullptr;
  std::ptrdiff_t stride = 0;
  int words = 0;

  double* of(int node) const { return data + node * stride; }
  double operator()(int head, int node) const { return of(node)[head]; }
};

constexpr std::ptrdiff_t padded_size(int words) { return (static_cast<std::ptrdiff_t>(words) + 8) / 8 * 8; }

/// A word or a contracted cycle, with its best arc (head is -1 if there is none).
struct ContractionNode {
  const double* values = nullptr;  ///< its column, whose values count less `weight`
  double weight = 0.0;             ///< the weight of its best arc; in a cycle, less what entering there saves inside
  int head = 0;
  int first = 0;  ///< the position of the first of its words on the path
};

struct ScoresRead {
  Columns columns;
  bool valid = false;  ///< all cells, also those without an arc, are known to be scores; else check_scores decides
};

/// Transposes the scores into the buffer and finds the best arc of every word, for nodes 1..n: the highest score, the
/// lowest head, and with a single root an arc from the root only if nothing else is possible. O(n^2).
ScoresRead read_scores(const MatrixRef& scores, Root root, base::Buffer& buffer, std::vector<ContractionNode>& nodes);

/// The lowest head with the highest value, from `lowest` (0 or 1) on; the root if only that is possible, else -1.
int best_of_column(std::ptrdiff_t size, const double* values, int lowest);

}  // namespace kirchhoff::decode
