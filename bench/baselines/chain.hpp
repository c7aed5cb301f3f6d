// Forward-backward for one linear chain as one writes it with Eigen: scaled rows, products of matrices and vectors.
#pragma once

#include <vector>

namespace kirchhoff::bench {

/// Emission scores length x tags, transition scores (length - 1) x tags x tags, and where the marginals go, in the same
/// shapes. Returns log Z. Exponentials are taken of scores less the largest of each row of emissions and of each
/// matrix.
double eigen_chain(int length, int tags, const double* emissions, const double* transitions, double* emission_marginals,
                   double* transition_marginals);

}  // namespace kirchhoff::bench
