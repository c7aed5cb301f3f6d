// The kernel of the fast method: Gauss-Jordan elimination with subtraction-free (GTH) pivots.
#pragma once

#include "base/buffer.hpp"
#include "numeric/matrix_span.hpp"

#include <cstddef>

namespace kirchhoff::tree {

/// Which words are eliminated, and when a pivot is too small to go on.
struct Elimination {
  std::size_t count;  ///< The words 0 .. count-1 are eliminated.
  bool sum_root;      ///< The root's row counts in the pivots, as in multi-root graphs.
  double smallest;    ///< The smallest pivot that is good enough.
};

/// Eliminates words of x in place, where x = -(off-diagonal of L) has n+1 rows, the words' and then the root's, of
/// stride base::padded(n); there is memory behind base::padded(n+1)+8 rows. Writes `stride` GTH pivots and uses
/// gauss_jordan_work(n) doubles of `work`. Returns false at a pivot that is too small.
bool gauss_jordan(const numeric::MatrixSpan& x, const Elimination& elimination, double* pivots, double* work);
constexpr std::size_t gauss_jordan_work(std::size_t n) { return 8 * base::padded(n) + 72 * (n + 1); }

}  // namespace kirchhoff::tree
