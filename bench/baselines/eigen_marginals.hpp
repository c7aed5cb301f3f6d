// Marginals by Eigen's LU, declared apart from the code, which is compiled for this very machine
// (see laplacian.hpp).
#pragma once

namespace kirchhoff::bench {

/// Returns log Z and fills the marginals.
double eigen_marginals(const double* scores, int n, double* marginals);

}  // namespace kirchhoff::bench
