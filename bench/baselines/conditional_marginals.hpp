// Marginals of one word after the other, each given the heads of the words before, by Sherman and Morrison's update of
// the inverse Laplacian: what the baselines that sample without replacement share. Each step is O(n^2).
#pragma once

#include "baselines/laplacian.hpp"

namespace kirchhoff::bench {

/// Takes subnormal numbers for 0 as long as it lives. In sparse graphs, rounding errors where the inverse should be 0
/// shrink from step to step until they are subnormal, which makes steps ten times as slow.
class NoSubnormals {
#ifdef __SSE2__
 public:
  NoSubnormals() { __builtin_ia32_ldmxcsr(before_ | 0x8040); }  // flush to zero, denormals are zero
  ~NoSubnormals() { __builtin_ia32_ldmxcsr(before_); }
  NoSubnormals(const NoSubnormals&) = delete;
  NoSubnormals& operator=(const NoSubnormals&) = delete;

 private:
  const unsigned before_ = __builtin_ia32_stmxcsr();
#endif
};

/// The word's column of marginals, by head.
inline Eigen::VectorXd marginals_of_word(const ArcMatrix& w, const Dense& inverse, int word) {
  const Eigen::Index n = w.rows() - 1, j = word - 1;
  Eigen::VectorXd p(n + 1);
  p(0) = w(0, word) * inverse(j, 0);
  for (Eigen::Index i = 0; i < n; ++i) {
    p(i + 1) = w(i + 1, word) * ((j != 0 ? inverse(j, j) : 0.0) - (i != 0 ? inverse(j, i) : 0.0));
  }
  return p;
}

/// The inverse once `head` is the word's only head: x = w K a - e, K - x (row j of K) / (1 + x_j). Only the rows of
/// later words are updated, because nobody asks for the others.
inline void fix_head(const ArcMatrix& w, Dense& inverse, int head, int word) {
  const Eigen::Index j = word - 1, i = head - 1;
  Eigen::VectorXd x = Eigen::VectorXd::Zero(inverse.rows());
  if (head == 0) {
    x = inverse.col(0);
  } else {
    if (j != 0) x += inverse.col(j);
    if (i != 0) x -= inverse.col(i);
  }
  x *= w(head, word);
  const Eigen::Index later = inverse.rows() - word;
  const Eigen::RowVectorXd row = inverse.row(j) / x(j);
  inverse.bottomRows(later).noalias() -= x.tail(later) * row;
}

}  // namespace kirchhoff::bench
