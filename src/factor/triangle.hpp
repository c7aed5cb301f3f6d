// Triangular systems with a lower triangle L, by rows of `stride`, for the active set.
#pragma once

#include <cstddef>
#include <span>

namespace kirchhoff::factor {

/// x = inverse of L times x.
void solve_lower(const double* lower, std::size_t stride, std::span<double> x);
/// x = inverse of L' times x.
void solve_lower_transposed(const double* lower, std::size_t stride, std::span<double> x);

}  // namespace kirchhoff::factor
