// Kernels that make marginals, and a bound on their error, from the entries of the fast inverse.
#pragma once

#include <cstddef>

namespace kirchhoff::tree {

/// What the fast method's marginals are made of: p_ij = w_ij (base_j - d_ji + u_i g_j), with error at most
/// w_ij * scale * (a_j + u_i g_j). Row `bare` has no d.
struct MarginalTerms {
  const double* w;
  const double* d;
  const double* base;
  const double* a;
  const double* g;
  const double* u;
  std::size_t bare;
};
/// p (n x n, rows `stride` apart and aligned or not), clamped to [0, 1]; returns true when every error is <= tolerance
/// * max(p, floor). rows: room for kRowBlock * cols doubles.
bool certified_marginals(std::size_t n, std::size_t cols, const MarginalTerms& terms, double scale, double tolerance,
                         double floor, double* rows, double* p, std::size_t stride);

struct Range {
  double smallest;
  double largest;
};
/// g[c] = root[c] / ((root_counts ? root[c] : 0) + word[c]) * scale; returns the range of root[0 .. n).
Range absorption_slopes(std::size_t n, std::size_t cols, const double* root, const double* word, bool root_counts,
                        double scale, double* g);

}  // namespace kirchhoff::tree
