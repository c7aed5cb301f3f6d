// Triangular systems with a lower triangle L, by rows of `stride`, for the active set.
#pragma once

#include <cstddef>
#include <span>

namespace kirchhoff::factor {

/// L must be backed by so many rows at a time; what stands in those behind the last one does not matter.
inline constexpr std::size_t kTriangleRows = 8;

/// x = inverse of L times x.
void solve_lower(const double* lower, std::size_t stride, std::span<double> x);
/// x = inverse of L' times x.
void solve_lower_transposed(const double* lower, std::size_t stride, std::span<double> x);

}  // namespace kirchhoff::factor
