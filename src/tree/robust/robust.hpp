// The robust method: marginals by subtraction-free leave-one-out elimination, with small relative error for any scores.
#pragma once

#include "base/buffer.hpp"
#include "numeric/sum.hpp"
#include "tree/weights.hpp"

namespace kirchhoff::tree {

/// Slopes G_ji = d log Z / d w_ij, one row per dependent j, one column per head i (elimination order, both from 0 for
/// the first word), and root[j] for w_0j. Extended slopes are numbers m 2^e in planes of m and e. Along a direction,
/// a plane of tangents follows; along two, planes of both tangents and of the mixed derivative.
struct Slopes {
  bool extended = false;
  std::size_t tangents = 0;  // planes of derivatives
  std::size_t plane = 0;     // doubles per plane = ld; a row has planes() of them
  base::Buffer rows;         // n rows
  base::Buffer root;         // one row
  numeric::Sum log_z;        // log Z of the scaled weights

  std::size_t planes() const { return (extended ? 2u : 1u) + tangents; }
  std::size_t stride() const { return planes() * plane; }
};

/// Computes slopes, in doubles unless they would underflow, else in extended numbers. `direction` is null, or has (n+1)
/// x ld tangents of the scores, along which the slopes are then differentiated.
void robust_slopes(const Weights& weights, const double* direction, Slopes& slopes);
/// The same, always in extended numbers.
void robust_slopes_extended(const Weights& weights, const double* direction, Slopes& slopes);
/// The same along two directions, always in extended numbers.
void robust_slopes_along(const Weights& weights, const double* r, const double* s, Slopes& slopes);

}  // namespace kirchhoff::tree
