// Entropy by n further determinants, declared apart from the code, which is compiled for this very machine
// (see laplacian.hpp).
#pragma once

namespace kirchhoff::bench {

/// The Shannon entropy of the tree distribution, in nats.
double smith_eisner_entropy(const double* scores, int n);

}  // namespace kirchhoff::bench
