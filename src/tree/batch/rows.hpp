// What functions of batches share: which graphs are left to be asked one by one, and where an array of arcs goes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace kirchhoff::tree {

inline std::vector<std::size_t> every_graph(std::size_t count) {
  std::vector<std::size_t> graphs(count);
  std::iota(graphs.begin(), graphs.end(), std::size_t{0});
  return graphs;
}

/// Writes an array of arcs of `words` words to rows `stride` apart, which a batch may pad; what is padded there is 0.
inline void write_rows(std::span<const double> array, int words, std::span<double> out, std::size_t stride) {
  const std::size_t rows = words + std::size_t{1}, length = array.size() / rows;
  if (length < stride) std::ranges::fill(out, 0.0);
  for (std::size_t r = 0; r < rows; ++r) std::copy_n(array.begin() + r * length, length, out.begin() + r * stride);
}

}  // namespace kirchhoff::tree
