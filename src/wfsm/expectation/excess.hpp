// The term of a divergence that is never negative.
#pragma once

#include <cmath>

namespace kirchhoff::wfsm {

/// exp(x) - 1 - x >= 0, accurate also for small x.
inline double excess(double x) {
  if (std::abs(x) > 0.05) return std::expm1(x) - x;
  double sum = 1.0;
  for (int n = 10; n >= 3; --n) sum = 1.0 + x / n * sum;
  return x * x / 2 * sum;
}

}  // namespace kirchhoff::wfsm
