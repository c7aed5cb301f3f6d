// Covariances of all pairs of features from the inverse, for sparse and for dense functions.
#pragma once

#include "kirchhoff/expectation.hpp"
#include "tree/state.hpp"

#include <vector>

namespace kirchhoff::expectations {

/// Subtracts tr(K L_r K L_s) from covariance(r, s), R x S. Needs the fast method's inverse. Entries are unlabelled and
/// sorted by dependent. O(n^3 (R' + S') + n^2 Rbar Sbar).
void subtract_traces(const tree::TreeState& state, const std::vector<FeatureEntry>& r,
                     const std::vector<FeatureEntry>& s, Matrix& covariance);

/// Cov(r, s) for dense functions (dense_features.hpp) by matrix products: O(n^3 (R + S) + n^2 R S).
Matrix dense_covariance(const tree::TreeState& state, const Features& r, const Features& s);

}  // namespace kirchhoff::expectations
