// One finite-difference checker for every gradient.
//
// D(h) = [f(x+h) - f(x-h)] / 2h has error h^2 f'''/6 + O(h^4); Richardson's (4 D(h/2) - D(h)) / 3 removes the h^2 term
// and leaves about h^4 f^(5)/480 from the formula and 3 eps |f| / h from rounding. With h = 0.01, f and its derivatives
// of order 1..100, that is 1e-11..1e-9 and 1e-13..1e-11.
#pragma once

#include "kirchhoff/types.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>

namespace kirchhoff {

inline constexpr double kStep = 0.01;

/// df/dx at x for f: double -> double.
template <class F>
double derivative(const F& f, double x) {
  const auto central = [&](double h) { return (f(x + h) - f(x - h)) / (2 * h); };
  return (4 * central(kStep / 2) - central(kStep)) / 3;
}

inline std::size_t flat_size(const Matrix& a) { return static_cast<std::size_t>(a.size()); }
inline std::size_t flat_size(const LabelledMatrix& a) { return a.size(); }

/// Checks `gradient` of f at `scores` (Matrix or LabelledMatrix), entry by entry. Impossible arcs, column 0 and the
/// diagonal must have gradient exactly 0: f does not depend on them, or cannot be perturbed there.
template <class Array, class F>
void expect_gradient(const F& f, const Array& scores, const Array& gradient, double tolerance,
                     const std::string& what) {
  ASSERT_EQ(flat_size(scores), flat_size(gradient)) << what;
  std::size_t moving = 0;
  for (std::size_t k = 0; k < flat_size(scores); ++k) {
    const double g = gradient.data()[k];
    double expected = 0;
    if (std::isfinite(scores.data()[k])) {
      Array moved = scores;
      const auto along = [&](double x) { return moved.data()[k] = x, f(moved); };
      expected = derivative(along, scores.data()[k]);
    } else {
      EXPECT_EQ(g, 0.0) << what << ": gradient of the impossible arc at flat index " << k;
    }
    moving += std::abs(expected) > 100 * tolerance;
    // The error of the quotient grows with f's derivatives, so the tolerance grows with the gradient.
    EXPECT_NEAR(g, expected, tolerance * std::max(1.0, std::abs(expected))) << what << ": flat index " << k;
  }
  EXPECT_GT(moving, 0u) << what << ": the gradient is nowhere large enough for the check to mean anything";
}

}  // namespace kirchhoff
