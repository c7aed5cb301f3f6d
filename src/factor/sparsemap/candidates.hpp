// The arcs, with labels, that trees of a sparse mixture may have, and the best tree of them.
//
// Every word has one head, so that a number added to all scores of a word changes |u - s|^2 / 2 by a constant only. We
// subtract the score of the arc that the best tree y* has: s.y <= s.y* = 0 for all trees y then. A tree of the optimal
// mixture, and any that the active set meets on its way, satisfies (s - u).y >= (s - u).y*, and since 0 <= u <= 1
//   s.y >= u.y - u.y* >= -n.
// Arcs whose trees are all below that are left out: with scores far apart, few are left, and scores that stand for
// "never" cost no digits. Labels change nothing of this: a word has one head and one label.
#pragma once

#include "factor/factors/factors.hpp"
#include "kirchhoff/decode.hpp"
#include "kirchhoff/tree_batch.hpp"

namespace kirchhoff::factor {

struct Candidates {
  struct LabelledArc {
    int head = 0;
    int dependent = 0;
    int label = 0;  ///< 0 for unlabelled graphs
  };
  int words = 0;
  int labels = 1;
  std::vector<LabelledArc> arcs;  ///< by heads, dependents and labels
  std::vector<double> scores;     ///< shifted

  Candidates(const GraphView& all, const Tree& best);
  /// The arcs of finite slopes.
  explicit Candidates(const GraphView& slopes);
  /// The place of an arc, or of candidate i, in an array of arcs.
  std::size_t cell(LabelledArc arc) const {
    return (static_cast<std::size_t>(arc.head) * (words + 1) + arc.dependent) * labels + arc.label;
  }
  std::size_t cell(std::size_t i) const { return cell(arcs[i]); }
  /// The candidates' part of an array of arcs.
  std::vector<double> read(const GraphView& array) const;
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
  /// The candidates for one arc, begin ... end - 1, which differ in their labels.
  struct Labels {
    int cell = 0;  ///< of the arc in scores_
    int begin = 0;
    int end = 0;
  };
  bool allows(Configuration y) const override;
  const Candidates& candidates_;
  Root root_;
  mutable Matrix scores_;            ///< -inf where there is no candidate
  std::vector<int> cells_;           ///< without labels: of each candidate, in scores_
  std::vector<Labels> arcs_;         ///< with labels
  mutable std::vector<int> inputs_;  ///< by cell of scores_, the best candidate
};

}  // namespace kirchhoff::factor
