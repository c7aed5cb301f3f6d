// The probability that a tree has two given arcs, from the inverse of the fast method.
#pragma once

#include "tree/state.hpp"

namespace kirchhoff::tree {

/// Returns p(a and b) when the fast method ran and its error bound allows, else a negative number. O(1).
double fast_pair_marginal(const TreeState& state, Arc a, Arc b);

}  // namespace kirchhoff::tree
