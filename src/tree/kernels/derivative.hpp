// Kernels around the two matrix products of a fast directional derivative of the marginals.
#pragma once

#include <cstddef>

namespace kirchhoff::tree {

/// Clears r where p is 0 and subtracts from each column of the rest its mean under p.
void centre_columns(std::size_t rows, std::size_t cols, const double* p, double* r);
/// out = L(w r), n x cols, from (n+1)-row w and r (row 0 the root); single: the last row replaced by the root row.
void weighted_laplacian(std::size_t n, std::size_t cols, const double* w, const double* r, bool single, double* out);
/// out_ij = p_ij r_ij - w_ij (base_j - qt_ij); row `bare` has no qt.
struct DerivativeTerms {
  const double* w;
  const double* p;
  const double* r;
  const double* qt;
  const double* base;
  std::size_t bare;
};
void derivative_rows(std::size_t rows, std::size_t cols, const DerivativeTerms& terms, double* out);
/// out = in - g u^T.
void subtract_outer_product(std::size_t rows, std::size_t cols, const double* in, const double* g, const double* u,
                            double* out);

}  // namespace kirchhoff::tree
