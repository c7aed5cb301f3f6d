// What all walks through a distribution share: its weights and the inverse of its Laplacian.
#pragma once

#include "base/buffer.hpp"
#include "kirchhoff/tree.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kirchhoff::sample {

/// The weights of a distribution and the inverse of its Laplacian. Words with the most certain heads come first, so
/// that samples share long prefixes. O(n^3).
struct LaplacianInverse {
  explicit LaplacianInverse(const TreeDistribution& p);

  std::uint64_t id;  // never 0, and no other object has it
  TreeDistribution p;
  int n;
  bool single;
  std::size_t heads;          // padded(n + 1)
  std::size_t ld;             // padded(n + 2)
  std::vector<int> order;     // the words; single-root: the last is the word t that K = D is grounded at
  base::Buffer weights;       // a row for each word, a column for each head; single-root: no root arcs
  std::vector<double> total;  // the sum of each word's weights
  std::vector<double> root;   // single-root: p(0 -> word) of each word
  bool usable = false;        // whether the elimination found no pivot too small
  base::Buffer k;             // n x ld in that order: row = dependent, column = head; column n is 0, column n + 1 is g

  const double* weights_of(int word) const { return weights.data() + static_cast<std::size_t>(word) * heads; }
  const double* row(int position) const { return k.data() + static_cast<std::size_t>(position) * ld; }
  /// Single-root: a number proportional to how often the walk without a root visits the word.
  double g(int position) const { return row(position)[n + 1]; }
  /// The mean number of draws of Wilson's algorithm from `top` (0 is the root), which is the trace of the walk's
  /// Green's function.
  double expected_draws(int top) const;
};

}  // namespace kirchhoff::sample
