// Random candidate arcs and scores, for the tests of second-order parts.
#pragma once

#include "dependency/candidates.hpp"
#include "kirchhoff/part_set.hpp"
#include "support/graphs.hpp"

#include <array>
#include <random>

namespace kirchhoff::dependency {

using graphs::Random;

/// The parts that belief propagation knows.
inline constexpr std::array<PartSet, 4> kSoftSets = {kNextSiblings, kAllSiblings, PartSet{Siblings::all, true, true},
                                                     PartSet{Siblings::next, true, true}};

inline Candidates random_candidates(int words, double density, const Heads& tree, Random& random) {
  std::bernoulli_distribution keep(density);
  Candidates c;
  c.begin = {0, 0};
  for (int d = 1; d <= words; ++d) {
    for (int h = 0; h <= words; ++h) {
      if (h != d && (h == tree[static_cast<std::size_t>(d)] || keep(random))) {
        c.heads.push_back(static_cast<std::uint16_t>(h));
      }
    }
    c.begin.push_back(static_cast<std::uint32_t>(c.heads.size()));
  }
  return c;
}

inline std::vector<double> normal(std::size_t count, double s, Random& random) {
  std::normal_distribution<double> draw;
  std::vector<double> values(count);
  for (double& v : values) v = s * draw(random);
  return values;
}

}  // namespace kirchhoff::dependency
