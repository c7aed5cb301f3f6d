// The weight of an arc while cycles are contracted: compared first by root arcs, then by score, then by preference.
//
// Contraction only subtracts weights and compares them. The score is kept as the unevaluated sum of two doubles, which
// is exact unless scores differ by more than some 2^50 in size; the counts are integers. So the single-root tree needs
// no large penalty on root arcs, and equal scores compare equal.
#pragma once

#include "core/sum.hpp"

#include <cmath>

namespace kirchhoff::decode {

struct Weight {
  double high = -HUGE_VAL;  ///< -inf: impossible
  double low = 0.0;
  int roots = 0;   ///< root arcs, counted for single-root graphs only; fewer is better
  int prefer = 0;  ///< arcs of a preferred tree; decides between equal scores

  bool possible() const { return high != -HUGE_VAL; }
};

/// a - b of possible weights.
inline Weight operator-(const Weight& a, const Weight& b) {
  const core::TwoSum sum(a.high, -b.high);
  const core::TwoSum score(sum.high, sum.low + (a.low - b.low));
  return {score.high, score.low, a.roots - b.roots, a.prefer - b.prefer};
}

/// A possible weight against any.
inline bool better(const Weight& a, const Weight& b) {
  if (a.roots != b.roots) return !b.possible() || a.roots < b.roots;
  if (a.high != b.high) return a.high > b.high;
  if (a.low != b.low) return a.low > b.low;
  return a.prefer > b.prefer;
}

}  // namespace kirchhoff::decode
