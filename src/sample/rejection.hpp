// Wilson's walk over large graphs without tables of all heads: heads are proposed and accepted by weight, so that the
// first trees take little more time than reading the scores.
#pragma once

#include "base/random.hpp"
#include "kirchhoff/sample.hpp"
#include "sample/kernels/block_maxima.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kirchhoff::sample {

/// Draws heads of words by weight. What a draw gives, and how many random numbers it takes, depends on these numbers
/// and the scores alone.
class RejectionDraws {
 public:
  /// The scores stay the caller's. Their diagonal, where no arcs are, should have some of the column's scores, so that
  /// all are checked in one pass. Throws what TreeSampler throws for scores that are wrong or have no tree. O(n^2): one
  /// pass, and others if there are impossible arcs.
  RejectionDraws(const Matrix& scores, Root root);

  /// At most 128 proposals in the mean, whatever the weights.
  int draw(int word, base::Random& random) const;

  /// Gives the tree and the number of draws the law of wilson() in sample/kernels/wilson.hpp.
  bool wilson(base::Random& random, std::int64_t budget, Walk& walk) const;

 private:
  struct Proposals;
  struct Stacks;
  Proposals propose(int word, base::Random& random) const;
  /// Draws heads for those of the words that have none left.
  void fill(std::vector<int> words, base::Random& random, Stacks& stacks) const;
  /// Calls take(head) for every proposal that is accepted, in turn, while that is true.
  template <class Take>
  void accepted(int word, const Proposals& proposals, const Take& take) const;

  const Matrix& scores_;
  std::size_t nodes_;
  BlockMaxima blocks_;
};

}  // namespace kirchhoff::sample
