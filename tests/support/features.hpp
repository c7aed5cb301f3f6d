// Random features, and second-order expectations the expensive way (T2h): from the materialised table of pair
// marginals, O(n^4 R S), as in [Druck09] and [Zmigrod21] section 5. A second witness beside enumeration, for larger n.
#pragma once

#include "kirchhoff/expectation.hpp"
#include "support/graphs.hpp"
#include "support/oracle.hpp"

#include <vector>

namespace kirchhoff::features {

/// Each (labelled) arc has each feature with probability `density`, with a value N(0, 1).
Features random(int words, int labels, int num_features, double density, graphs::Random& random);
/// Every arc has every feature, given as matrices (which also have values where there is no arc).
Features random_matrices(int words, int num_features, graphs::Random& random);
/// The same function of a tree, as the oracle wants it: one dense array per feature, repeated entries added up.
std::vector<oracle::ArcArray> dense(const Features& features);

/// p(a and b) for all pairs of labelled arcs, from the library's table of pair marginals and the labels' softmax.
Matrix labelled_pairs(const TreeDistribution& p);
Matrix labelled_pairs(const LabelledTreeDistribution& p);

/// E[r s^T] = sum over a, b of p(a and b) r_a s_b.
Matrix hessian_second_order(const Matrix& pairs, const Features& r, const Features& s);
/// Cov(r, s) = sum over a, b of [p(a and b) - p(a) p(b)] r_a s_b; p(a) is the diagonal of `pairs`.
Matrix hessian_covariance(const Matrix& pairs, const Features& r, const Features& s);

}  // namespace kirchhoff::features
