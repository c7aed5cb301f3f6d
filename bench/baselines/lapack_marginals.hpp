// Marginals by OpenBLAS's LU, declared apart from the code, which is compiled for this very machine
// (see laplacian.hpp).
#pragma once

namespace kirchhoff::bench {

/// Keeps OpenBLAS on one thread from now on.
void lapack_single_thread();

/// Returns log Z and fills the marginals.
double lapack_marginals(const double* scores, int n, double* marginals);

/// The bare factorisation: `matrix` (n x n) is replaced by its inverse.
void lapack_invert(double* matrix, int n);

}  // namespace kirchhoff::bench
