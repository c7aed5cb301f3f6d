// The fast method's second step: slopes that cancel in the inverse are computed anew from those that do not.
#pragma once

#include "tree/fast/fast.hpp"
#include "tree/robust/robust.hpp"

namespace kirchhoff::tree {

/// Writes the slopes of an inverse whose marginals were uncertified, each of them within the tolerance, to `slopes`, as
/// the robust method does. False where that fails. Takes O(n) for each arc that cancels, and O(n^2) for all others. The
/// inverse cannot be used for derivatives afterwards.
bool refine(const Weights& weights, const Accuracy& accuracy, FastInverse& inverse, Slopes& slopes);

}  // namespace kirchhoff::tree
