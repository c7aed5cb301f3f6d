// WilsonRC, a sampler of single-root trees that is biased [Stanojevic22, section 4.1]: the root's child is drawn by the
// weights of the root's arcs instead of their marginals, then Wilson's walk goes on from that child. Here to be found
// out by tests, and to be timed.
#pragma once

#include "kirchhoff/types.hpp"

#include <random>
#include <vector>

namespace kirchhoff {

class WilsonRC {
 public:
  /// Every word must reach every possible child of the root by arcs between words, else a walk never ends.
  explicit WilsonRC(const Matrix& scores);
  Heads sample(std::mt19937_64& random) const;

 private:
  int words_;
  std::vector<std::discrete_distribution<int>::param_type>
      head_of_;  // word d's heads but the root; [0] draws the child
};

}  // namespace kirchhoff
