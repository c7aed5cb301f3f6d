// Moves matrices between the caller's order of words and that of elimination, in which one word may be put last.
#pragma once

#include "tree/weights.hpp"

#include <cstddef>

namespace kirchhoff::tree {

/// Copies an (n+1) x (n+1) matrix, whose rows are `stride` apart, without column 0 to n+1 rows of weights.ld doubles.
void to_elimination_order(const Weights& weights, const double* matrix, std::ptrdiff_t stride, double* rows);
/// Copies back, with 0 in column 0 and on the diagonal.
void from_elimination_order(const Weights& weights, const double* rows, double* matrix, std::ptrdiff_t stride);
/// The same for a matrix that has the rows already, behind column 0.
void put_words_back(const Weights& weights, double* matrix, std::ptrdiff_t stride);

}  // namespace kirchhoff::tree
