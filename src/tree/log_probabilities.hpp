// Logarithms of probabilities, right also where the probabilities themselves are below the smallest double.
#pragma once

#include "tree/state.hpp"

#include <vector>

namespace kirchhoff::tree {

/// log p of heads that are known to be a tree.
double log_prob(const TreeState& state, const Heads& heads);
/// The logarithms of all marginals. O(n^3) when some marginal is tiny, else O(n^2).
Matrix log_marginals(const TreeState& state);
/// Tells which arcs are in some tree, by structure; the index is head * (n+1) + dependent. O(n^3).
std::vector<bool> possible_arcs(const TreeState& state);

}  // namespace kirchhoff::tree
