// The robust method: marginals by subtraction-free leave-one-out elimination, with small relative error for any scores.
#pragma once

#include "base/buffer.hpp"
#include "numeric/sum.hpp"
#include "tree/weights.hpp"

namespace kirchhoff::tree {

/// Slopes G_ji = d log Z / d w_ij, one row per dependent j, one column per head i (elimination order, both from 0 for
/// the first word), and root[j] for w_0j. Extended: numbers m 2^e in planes m, e; then, with a direction, tangents.
struct Slopes {
  bool extended = false;
  bool tangent = false;
  std::size_t plane = 0;  // doubles per plane = ld; a row has planes() of them
  base::Buffer rows;      // n rows
  base::Buffer root;      // one row
  numeric::Sum log_z;     // of the scaled weights

  std::size_t planes() const { return (extended ? 2u : 1u) + (tangent ? 1u : 0u); }
  std::size_t stride() const { return planes() * plane; }
};

/// direction: null, or (n+1) x ld tangents of the scores, for the derivative of the slopes along it. In doubles unless
/// they would underflow, then in extended numbers.
void robust_slopes(const Weights& weights, const double* direction, Slopes& slopes);
/// Always in extended numbers.
void robust_slopes_extended(const Weights& weights, const double* direction, Slopes& slopes);

}  // namespace kirchhoff::tree
