// Elimination of all states of a dense matrix, for Factor.
#pragma once

#include "numeric/scaled.hpp"

#include <cstddef>

namespace kirchhoff::wfsm {

/// How the pivot of state k, 1 - p_kk after the states before it were eliminated, is found.
enum class Pivot {
  closure,  ///< by that subtraction: the star of Kleene's algebra
  exits,    ///< as the sum of what leaves k, where rows and exits sum to 1: without subtraction [GTH85]
};

/// a: n rows of stride ld > n, column n the exits (or 0). In place: right of the diagonal the rows at the time of their
/// elimination, left of it the coefficients p_ik / pivot_k. Rows of doubles are 64-byte aligned, ld a multiple of 8,
/// all of it initialised. Returns the first state whose pivot is not positive, or -1. n^3/3 multiplications.
int eliminate_dense(std::size_t n, double* a, std::size_t ld, Pivot rule, double* pivots);
int eliminate_dense(std::size_t n, numeric::Wide* a, std::size_t ld, Pivot rule, numeric::Wide* pivots);

}  // namespace kirchhoff::wfsm
