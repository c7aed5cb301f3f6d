// The partition function and all marginals by the obvious Eigen code: Laplacian, PartialPivLU, determinant, inverse.
// Source: [Koo07]; docs/methods/trees.md. Cost: 2n^3 flops and n^2 exponentials.
#include "baselines/eigen_marginals.hpp"

#include "baselines/laplacian.hpp"

namespace kirchhoff::bench {

double eigen_marginals(const double* scores, int n, double* marginals) {
  const ArcMatrix w = weights_of(scores, n);
  const Eigen::PartialPivLU<Dense> lu(laplacian_of(w));
  const Dense inverse = lu.inverse();
  marginals_of(w, inverse, marginals);
  return lu.matrixLU().diagonal().array().abs().log().sum();
}

}  // namespace kirchhoff::bench
