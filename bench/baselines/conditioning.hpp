// Pairs of arcs by one inverse for each first arc, declared apart from the code, which is compiled for this very
// machine (see laplacian.hpp).
#pragma once

#include "baselines/hessian.hpp"

#include <vector>

namespace kirchhoff::bench {

/// p(ij, kl) for all pairs of arcs, (n+1)^2 x (n+1)^2 row-major, with p(ij) on the diagonal.
std::vector<double> conditioned_pair_marginals(const double* scores, int n);

/// Cov(r, s), R x S row-major, from the same probabilities, without storing them.
std::vector<double> conditioned_covariance(const double* scores, int n, const ArcFeatures& r, const ArcFeatures& s,
                                           ArcPairs pairs = ArcPairs::all);

}  // namespace kirchhoff::bench
