// The kernel of the fast method: Gauss-Jordan elimination with subtraction-free (GTH) pivots.
#pragma once

#include "base/buffer.hpp"

#include <cstddef>

namespace kirchhoff::tree {

/// Eliminates words 0 .. count-1 of x in place: n+1 rows (backed by base::padded(n+1)+8) of stride ld =
/// base::padded(n), the words' and then the root's; x = -(off-diagonal of L). pivots: ld GTH pivots. sum_root: the root
/// row counts in pivots (multi-root). work: gauss_jordan_work(n) doubles. Returns false at a pivot below `smallest`.
bool gauss_jordan(std::size_t n, double* x, std::size_t ld, std::size_t count, bool sum_root, double smallest,
                  double* pivots, double* work);
constexpr std::size_t gauss_jordan_work(std::size_t n) { return 8 * base::padded(n) + 72 * (n + 1); }

}  // namespace kirchhoff::tree
