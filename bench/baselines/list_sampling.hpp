// Sampling without replacement with a list of trees, declared apart from the code, which is compiled for this very
// machine (see laplacian.hpp).
#pragma once

#include <cstdint>
#include <vector>

namespace kirchhoff::bench {

/// k trees with one root child, without replacement; fewer when rounding has used up the probability that was left.
std::vector<std::vector<int>> list_sampling(const double* scores, int n, int k, std::uint64_t seed);

}  // namespace kirchhoff::bench
