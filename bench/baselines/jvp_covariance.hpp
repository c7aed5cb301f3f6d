// T2^v: Cov(r, s) from one Jacobian-vector product of the marginals for each feature of r.
// Source: [Zmigrod21, figure 3, T2^v]. Cost: O(R (n^3 + n^2 S)).
#pragma once

#include "kirchhoff/tree.hpp"

#include <vector>

namespace kirchhoff::bench {

inline Matrix jvp_covariance(const TreeDistribution& p, const std::vector<Matrix>& r, const std::vector<Matrix>& s) {
  Matrix covariance(r.size(), s.size());
  for (std::size_t a = 0; a < r.size(); ++a) {
    const Matrix gradient = p.marginals_along(r[a]);
    for (std::size_t b = 0; b < s.size(); ++b) covariance(a, b) = gradient.cwiseProduct(s[b]).sum();
  }
  return covariance;
}

}  // namespace kirchhoff::bench
