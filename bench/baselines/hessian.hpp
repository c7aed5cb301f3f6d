// Second-order expectations through the Hessian, declared apart from the code, which is compiled for this very machine
// (see laplacian.hpp).
#pragma once

#include <vector>

namespace kirchhoff::bench {

/// Features by arc: those of arc head*(n+1)+dependent are entries [start[arc], start[arc+1]).
struct ArcFeatures {
  int size = 0;
  std::vector<int> start;
  std::vector<int> feature;
  std::vector<double> value;
};

/// Which pairs of arcs the loops visit: all of them, as published, or only those whose first arc has a feature.
enum class ArcPairs { all, featured };

/// Cov(r, s), R x S row-major.
std::vector<double> hessian_covariance(const double* scores, int n, const ArcFeatures& r, const ArcFeatures& s,
                                       ArcPairs pairs = ArcPairs::all);

/// p(ij, kl) for all pairs of arcs, (n+1)^2 x (n+1)^2 row-major, with p(ij) on the diagonal.
std::vector<double> hessian_pair_marginals(const double* scores, int n);

/// The gradient of 1/2 ||E[f] - target||^2 w.r.t. the scores, through the covariance of f with every arc.
std::vector<double> hessian_ge_gradient(const double* scores, int n, const ArcFeatures& f,
                                        const std::vector<double>& target, ArcPairs pairs = ArcPairs::all);

}  // namespace kirchhoff::bench
