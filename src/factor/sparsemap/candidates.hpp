// The arcs that trees of a sparse mixture may have, and the best tree of them.
//
// Every word has one head, so that a number added to all scores of a word changes |u - s|^2 / 2 by a constant only. We
// subtract the score of the arc that the best tree y* has: s.y <= s.y* = 0 for all trees y then. A tree of the optimal
// mixture, and any that the active set meets on its way, satisfies (s - u).y >= (s - u).y*, and since 0 <= u <= 1
//   s.y >= u.y - u.y* >= -n.
// Arcs whose trees are all below that are left out: with scores far apart, few are left, and scores that stand for
// "never" cost no digits.
#pragma once

#include "factor/factors/factors.hpp"

namespace kirchhoff::factor {

struct Candidates {
  int words = 0;
  std::vector<Arc> arcs;       ///< by heads
  std::vector<double> scores;  ///< shifted

  /// `best` is the best tree.
  Candidates(const MatrixRef& all, const Heads& best);
  /// The arcs of finite slopes.
  explicit Candidates(const Matrix& slopes);
  /// The size of what is added up and compared: the largest score, and at least n.
  double scale() const;
};

/// TREE over candidates, for the active set: fast because all it is asked for is the best tree of finite scores, again
/// and again, by one thread.
class CandidateTrees final : public HardFactor {
 public:
  CandidateTrees(const Candidates& candidates, Root root);
  std::string_view name() const override { return "tree"; }
  double best(std::span<const double> q, std::span<std::uint8_t> y) const override;

 private:
  bool allows(Configuration y) const override;
  const Candidates& candidates_;
  Root root_;
  mutable Matrix scores_;    ///< -inf where there is no candidate
  std::vector<int> cells_;   ///< of each candidate, in scores_
  std::vector<int> inputs_;  ///< the candidate of each cell
};

}  // namespace kirchhoff::factor
