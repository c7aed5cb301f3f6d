// Directional derivatives of the marginals.
#pragma once

#include "tree/state.hpp"

namespace kirchhoff::tree {

/// Writes the derivative of the marginals along `direction`, (n+1) x (n+1), to `out`. Entries of `direction` where
/// there is no arc, or none that is possible, may be anything.
void marginals_along(const TreeState& state, const MatrixRef& direction, double* out);

}  // namespace kirchhoff::tree
