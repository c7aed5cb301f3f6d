// Makes scores ready for elimination: checks them, reorders words, scales columns and exponentiates.
#pragma once

#include "base/buffer.hpp"
#include "kirchhoff/types.hpp"
#include "numeric/sum.hpp"
#include "tree/kernels/exponential.hpp"

#include <cstddef>

namespace kirchhoff::tree {

/// The graph in elimination order: row r and column c stand for nodes node(r) and node(c + 1), row 0 is the root.
/// Scaling column j by exp(-shift_j) (and, for single-root, the root row by exp(-shift_0)) multiplies every tree's
/// weight by the same constant: it moves log Z by log_scale and changes nothing else.
struct Weights {
  int n = 0;
  std::size_t ld = 0;  // padded row length
  Root root = Root::multi;
  int last = 0;              // the word put last; single-root: it can reach every word (its row is the one replaced)
  base::Buffer scores;       // (n+1) x ld, kNoArc on the diagonal and in the padding
  base::Buffer shifts;       // 4 x ld: column shift, its low part (0), root row shift, its low part
  base::Buffer w;            // (n+1) x ld: exp(score - shift)
  bool underflowed = false;  // some possible arc's w is 0
  bool complete = true;      // every arc is possible
  numeric::Sum log_scale;    // log Z = log_scale + log Z(w)

  int node(int position) const { return position == last ? n : (position == n ? last : position); }
  const double* shift_high(int row) const { return shifts.data() + (row == 0 ? 2 * ld : 0); }
  const double* shift_low(int row) const { return shift_high(row) + ld; }
  /// What is subtracted from the scores of this row.
  Shift shift(int row) const { return {shift_high(row), shift_low(row), row == 0}; }
  /// The scaled score of a possible arc given by nodes, log w: exactly high + low.
  numeric::TwoSum shifted(double score, int head, int dependent) const {
    const std::size_t c = node(dependent) - 1;
    const numeric::TwoSum difference(score, -shift_high(head)[c]);
    return {difference.high, difference.low - shift_low(head)[c]};
  }
};

/// Makes weights of scores; storage is reused. Throws InputError (NaN, +inf, too large) or Infeasible. `copy` gets the
/// weights a second time, with the root's row last, for elimination in place.
void weigh(const MatrixRef& scores, Root root, Weights& weights, base::Buffer& copy);

}  // namespace kirchhoff::tree
