// A mixture of k configurations spans k - 1 dimensions, and its face may have more: where all scores are equal, n trees
// mix to the point in the middle of a polytope of n^2 - n dimensions. The projection on the face is the derivative
// there, not that on the mixture.
//
// Let r be a random direction, less its projection on the differences of members: r.y is the same for all of them. If
// the face has a configuration outside their affine hull, r.y is with probability 1 larger or smaller for one. The best
// configuration of q + epsilon r or of q - epsilon r then is a new one. Cost: see the header.
#include "factor/sparsemap/face.hpp"

#include "base/random.hpp"

#include <algorithm>
#include <vector>

namespace kirchhoff::factor {
namespace {

constexpr std::uint64_t kSeed = 0x5ba45e3a9;  // any will do; the answer does not depend on it

}  // namespace

void span_face(ActiveSet& set, const Factor& factor, std::span<const double> q, double tolerance) {
  const std::size_t n = q.size();
  std::vector<double> random(n), r(n), moved(n);
  std::vector<std::uint8_t> y(n);
  std::size_t ones = 0;
  for (const ActiveSet::Member& member : set.members()) ones = std::max(ones, member.ones.size());
  base::Random numbers(kSeed, 0);
  for (double& x : random) x = 2.0 * numbers.uniform() - 1.0;
  for (bool found = true; found;) {
    found = false;
    set.along(random, r);
    double largest = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      r[i] = random[i] - r[i];
      largest = std::max(largest, std::abs(r[i]));
    }
    const double step = tolerance / (1.0 + 2.0 * static_cast<double>(ones) * largest);
    for (const double sign : {1.0, -1.0}) {
      for (std::size_t i = 0; i < n; ++i) moved[i] = q[i] + sign * step * r[i];
      found = factor.best(moved, y) != -HUGE_VAL && set.include(factor, y);
      if (found) break;
    }
  }
}

}  // namespace kirchhoff::factor
