// Elimination of all states of a dense matrix, which ComponentElimination leaves the rest to.
#pragma once

#include "numeric/extended_wide.hpp"

#include <cstddef>

namespace kirchhoff::wfsm {

/// How the pivot of state k, 1 - p_kk after the states before it were eliminated, is found.
enum class Pivot {
  closure,  ///< by this subtraction, the star of Kleene's algebra
  exits,    ///< without subtraction, as the sum of what leaves k, where rows and exits sum to 1 [GTH85]
};

/// Eliminates in place. `a` has n rows of stride ld > n, with the exits (or 0) in column n. It ends with the rows at
/// the time of their elimination right of the diagonal, and with the coefficients p_ik / pivot_k left of it. Rows of
/// doubles are 64-byte aligned, ld is a multiple of 8, and all of it is initialised. Returns the first state whose
/// pivot is not positive, or -1. n^3/3 multiplications.
int eliminate_dense(std::size_t n, double* a, std::size_t ld, Pivot rule, double* pivots);
int eliminate_dense(std::size_t n, numeric::ExtendedWide* a, std::size_t ld, Pivot rule, numeric::ExtendedWide* pivots);

}  // namespace kirchhoff::wfsm
