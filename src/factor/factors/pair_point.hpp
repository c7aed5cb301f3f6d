// Points of PAIR: its projection, apart because AD3 asks for it in its innermost loop, and the best pair of two inputs.
#pragma once

#include <algorithm>
#include <cmath>

namespace kirchhoff::factor {

struct PairPoint {
  double a = 0.0;
  double b = 0.0;
  double both = 0.0;
};

/// minimise (a - t_a)^2 / 2 + (b - t_b)^2 / 2 - c both, where max(0, a + b - 1) <= both <= min(a, b) [Martins15].
/// For c >= 0 the pair is min(a, b); c < 0 becomes that by negating b.
inline PairPoint project_pair(double t_a, double t_b, double c) {
  const bool negate = c < 0.0;
  const double size = std::abs(c);
  const double a = negate ? t_a - size : t_a;
  const double b = negate ? 1.0 - t_b : t_b;
  const double mean = (a + b + size) / 2.0;
  const double u = std::clamp(a > b + size ? a : std::min(mean, a + size), 0.0, 1.0);
  const double v = std::clamp(b > a + size ? b : std::min(mean, b + size), 0.0, 1.0);
  const double both = std::min(u, v);
  return negate ? PairPoint{u, 1.0 - v, u - both} : PairPoint{u, v, both};
}

/// How much both are 1 in the best mixture in which they are a and b [Martins10, eq. 12]; where the pair has no score,
/// any will do.
inline double best_pair(double score, double a, double b) {
  if (score == 0.0) return a * b;
  return score > 0.0 ? std::min(a, b) : std::max(0.0, a + b - 1.0);
}

}  // namespace kirchhoff::factor
