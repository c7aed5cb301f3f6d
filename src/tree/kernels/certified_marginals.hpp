// Kernels that make marginals, and a bound on their error, from the entries of the fast inverse.
#pragma once

#include "numeric/matrix_span.hpp"

#include <cstddef>

namespace kirchhoff::tree {

/// What the fast method's marginals are made of: p_ij = w_ij (base_j - d_ji + u_i g_j), with error at most
/// w_ij * scale * (a_j + u_i g_j). Row `bare`, if there is one, has no d.
struct MarginalTerms {
  numeric::ConstMatrixSpan w;
  const double* d;  // rows as far apart as those of w, in whole blocks of base::kPad
  const double* base;
  const double* a;
  const double* g;
  const double* u;
  std::size_t bare;
};
/// The error of a marginal relative to the size of the terms it is subtracted from. Rounding errors of a sum grow like
/// sqrt(n) in practice: (4 + 1.4 sqrt(n)) eps was the worst of 4,000 graphs of 5 to 600 words (docs/methods/trees.md);
/// this is more than twice that.
double error_scale(int n);
/// The error is `scale` times the size of the terms, and may be tolerance * max(p, floor).
struct MarginalBound {
  double scale;
  double tolerance;
  double floor;
};
/// Writes the n x n marginals, clamped to [0, 1], to p, whose rows may be aligned or not. Returns true when every error
/// is within its bound.
bool certified_marginals(const MarginalTerms& terms, const MarginalBound& bound, const numeric::MatrixSpan& p);

/// Writes the n x n marginals p = w G, at most 1. `slopes` has a row for each dependent; all rows are as far apart as
/// those of w, and there are whole blocks of kRowBlock of them: what is beyond the n-th ends in padding. `scratch` has
/// room for kRowBlock rows.
void slope_marginals(const numeric::ConstMatrixSpan& w, const double* slopes, double* scratch, double* p);

/// Writes the sums of the columns of w, which are whole vectors.
void column_totals(const numeric::ConstMatrixSpan& w, double* totals);

struct Range {
  double smallest;
  double largest;
};
/// The rows of the root and of the one word that is left, n numbers padded to `cols`.
struct AbsorptionRows {
  const double* root;
  const double* word;
  std::size_t n;
  std::size_t cols;
};
/// Writes g[c] = root[c] / ((root_counts ? root[c] : 0) + word[c]) * scale and returns the range of root[0 .. n).
Range absorption_slopes(const AbsorptionRows& rows, bool root_counts, double scale, double* g);

}  // namespace kirchhoff::tree
