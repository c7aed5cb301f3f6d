// Euclidean projections in closed form [Martins15].
#pragma once

#include <algorithm>
#include <span>

namespace kirchhoff::factor {

/// Onto the box [0,1]^n; returns the sum of the result.
double project_on_box(std::span<const double> target, std::span<double> u);
/// Onto {u >= 0, sum u = 1}. O(n log n).
void project_on_simplex(std::span<const double> target, std::span<double> u);
/// What is taken off three entries before they are clipped at 0, so that they sum to 1: the highest of what the largest
/// one, two and three of them need. Without branches.
inline double simplex_threshold(double x, double y, double z) {
  const double low = std::min(x, y), high = std::max(x, y);
  const double one = std::max(high, z) - 1.0;
  const double two = one + std::max(low, std::min(high, z));
  const double three = two + std::min(low, z);
  return std::max(one, std::max(0.5 * two, three / 3.0));
}
/// Onto {0 <= u <= 1, sum u = total}, 0 <= total <= n. O(n log n).
void project_on_box_slice(std::span<const double> target, double total, std::span<double> u);

}  // namespace kirchhoff::factor
