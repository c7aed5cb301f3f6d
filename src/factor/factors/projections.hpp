// Euclidean projections in closed form [Martins15].
#pragma once

#include <span>

namespace kirchhoff::factor {

/// Onto the box [0,1]^n; returns the sum of the result.
double project_on_box(std::span<const double> target, std::span<double> u);
/// Onto {u >= 0, sum u = 1}. O(n log n).
void project_on_simplex(std::span<const double> target, std::span<double> u);
/// Onto {0 <= u <= 1, sum u = total}, 0 <= total <= n. O(n log n).
void project_on_box_slice(std::span<const double> target, double total, std::span<double> u);

}  // namespace kirchhoff::factor
