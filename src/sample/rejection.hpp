// Wilson's walk over large graphs without tables of all heads: heads are proposed and accepted by weight, so that the
// first trees take little more time than reading the scores.
#pragma once

#include "base/random.hpp"
#include "kirchhoff/sample.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kirchhoff::sample {

/// Draws heads of words by weight. What a draw gives, and how many random numbers it takes, depends on these numbers
/// and the scores alone.
class RejectionDraws {
 public:
  /// The scores stay the caller's; their diagonal is -inf. Throws what TreeSampler throws for scores that are wrong or
  /// have no tree. O(n^2): one pass, and others if there are impossible arcs.
  RejectionDraws(const Matrix& scores, Root root);

  /// At most 64 proposals in the mean, whatever the weights.
  int draw(int word, base::Random& random) const;

  /// Walks from each word until the tree is met, as wilson() in sample/kernels/wilson.hpp.
  bool wilson(base::Random& random, std::int64_t budget, Walk& walk) const;

 private:
  const Matrix& scores_;
  std::size_t nodes_, blocks_;
  std::vector<double>
      columns_;  // of each word, the sums of the blocks' weights up to each, and the blocks' best scores
};

}  // namespace kirchhoff::sample
