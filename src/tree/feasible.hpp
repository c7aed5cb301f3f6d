// Decides by reachability alone whether a graph has a tree.
#pragma once

#include "kirchhoff/types.hpp"

namespace kirchhoff::tree {

/// Throws Infeasible when there is no tree. Returns, for single-root, a word that may be the root's child in some tree:
/// the preferred one if it may, else the last that may; for multi-root the last word. O(n^2), of which all but n^2 / 64
/// is reading the scores.
int require_feasible(const MatrixRef& scores, Root root, int preferred);
/// The same; the last word is preferred.
int require_feasible(const MatrixRef& scores, Root root);

}  // namespace kirchhoff::tree
