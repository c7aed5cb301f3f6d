// Third derivatives of log Z, contracted with two directions.
#pragma once

#include "tree/state.hpp"

namespace kirchhoff::tree {

/// Writes the gradient of Cov(r, s) with respect to the scores, (n+1) x (n+1), to `out`: the derivative of the
/// marginals along r and s. Entries of r and s where there is no arc, or none that is possible, may be anything.
void covariance_gradient(const TreeState& state, const MatrixRef& r, const MatrixRef& s, double* out);

}  // namespace kirchhoff::tree
