// Sums over the labels of many arcs, and the labels' shares of them.
#pragma once

#include <cstddef>

namespace kirchhoff::tree {

/// Arcs with labels side by side, the arcs `stride` doubles apart.
struct LabelledRow {
  const double* scores;
  std::ptrdiff_t stride;
  std::size_t arcs, labels;
};

/// Writes, for each arc, its best label's score to `tops`, exp(score - top) of all labels to `weights`, arc after arc
/// without gaps, and the sum of these to `sums`: 0 where no label is possible. Returns false when some score is none
/// (kirchhoff/types.hpp).
bool weigh_labels(const LabelledRow& row, double* weights, double* tops, double* sums);

/// Multiplies the weights of each arc's labels by p / sum, or by 0 where p is 0.
void share_among_labels(const double* p, const double* sums, std::size_t arcs, std::size_t labels, double* weights);

}  // namespace kirchhoff::tree
