// From the robust method's slopes G = d log Z / d w to marginals p = w G and to their derivatives.
#pragma once

#include "tree/robust/robust.hpp"
#include "tree/weights.hpp"

namespace kirchhoff::tree {

/// The slope m 2^e with the tangent t 2^e; e is 0 where slopes are doubles.
struct ExtendedSlope {
  double m, e, t;
};
/// The slope of the arc in `row` (0 is the root's) and `column` of the weights.
ExtendedSlope slope_at(const Slopes& slopes, int row, int column);

/// Writes the marginals p = w G, (n+1) x ld in elimination order.
void marginals_from_slopes(const Weights& weights, const Slopes& slopes, double* p);
/// Writes the derivatives r p + w dG of the marginals p along the direction r; all are (n+1) x ld.
void derivatives_from_slopes(const Weights& weights, const Slopes& slopes, const double* p, const double* direction,
                             double* out);

/// Two directions of the scores, (n+1) x ld in elimination order.
struct Directions {
  const double* r;
  const double* s;
};
/// Writes the mixed second derivatives w (r s G + r dG/ds + s dG/dr + d2G) of the marginals; the slopes are those of
/// robust_slopes_along.
void second_derivatives_from_slopes(const Weights& weights, const Slopes& slopes, const Directions& along, double* out);

}  // namespace kirchhoff::tree
