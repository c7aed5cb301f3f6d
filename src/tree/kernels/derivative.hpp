// Kernels around the two matrix products of a fast directional derivative of the marginals.
//
// All matrices have padded rows, which are computed on, and one common stride.
#pragma once

#include "numeric/matrix_span.hpp"

#include <cstddef>

namespace kirchhoff::tree {

using numeric::ConstMatrixSpan;
using numeric::MatrixSpan;

/// Clears r where p is 0 and subtracts from each column of the rest its mean under p.
void centre_columns(const ConstMatrixSpan& p, const MatrixSpan& r);
/// Computes the n x n matrix out = L(w r) from w and r, which have a row more, the root's, in front. With Root::single
/// the last row is replaced by the root's.
void weighted_laplacian(const ConstMatrixSpan& w, const ConstMatrixSpan& r, bool single, const MatrixSpan& out);
/// The terms of out_ij = p_ij r_ij - w_ij (base_j - qt_ij), with rows as far apart as those of out. Row `bare` has no
/// qt.
struct DerivativeTerms {
  const double* w;
  const double* p;
  const double* r;
  const double* qt;
  const double* base;
  std::size_t bare;
};
void derivative_rows(const DerivativeTerms& terms, const MatrixSpan& out);
/// Computes out = in - g u^T.
void subtract_outer_product(const ConstMatrixSpan& in, const double* g, const double* u, const MatrixSpan& out);

}  // namespace kirchhoff::tree
