// Scores of non-projective arcs in the search for the best tree, by cutting planes.
//
// An arc a = (h, d) of the tree is non-projective, n_a = 1, when a word between h and d does not descend from h
// [Martins10, section 4.2]. Saying so for every arc takes flow variables, n for each arc. Instead the search begins
// with what is best for the score: n_a = 0 where the score is negative, n_a = z_a where it is positive. When the tree
// that comes out says otherwise, the arcs that prove it make a cut, which holds for every tree:
//   - j is between h and d, and the ways up from j and from h meet in a word other than h: if z_a and all these arcs
//     are 1, so is n_a;
//   - the ways up from all words between h and d lead to h: if all these arcs are 1, n_a is 0.
// Only arcs with a cut have a variable n_a. Every round's bound holds for all trees, because its graph has what is
// best for the score where it has no cut.
#pragma once

#include "dependency/second_order.hpp"

namespace kirchhoff::dependency {

class Crossings {
 public:
  /// What it refers to must outlive it.
  explicit Crossings(const ScoredParts& scored);

  /// The candidates' scores, with those of arcs that are taken to be non-projective whenever they are in the tree.
  const std::vector<double>& arc_scores() const { return arc_scores_; }
  /// Adds the variables n_a and the cuts to a graph whose first variables are the candidates.
  void add_to(FactorGraph& graph);
  /// Adds cuts for what the tree has and the assignment denies. Returns false when there is nothing to add.
  bool cut(const Heads& tree, const Assignment& assignment);
  /// The value of n_a in a solution of the graph, for each non-projective part.
  std::vector<double> values(std::span<const double> point) const;

 private:
  /// When all these arcs are in the tree, the part is there or it is not.
  struct Cut {
    std::size_t part;
    bool crosses;
    std::vector<std::uint32_t> arcs;
  };
  double score(std::size_t part) const { return scored_.part_scores[scored_.parts.first_non_projective() + part]; }
  double value(std::size_t part, std::span<const double> point) const;
  std::uint32_t candidate(int head, int dependent) const;
  std::vector<std::uint32_t> proof_of_crossing(const Heads& tree, std::uint32_t arc) const;
  std::vector<std::uint32_t> proof_of_none(const Heads& tree, std::uint32_t arc) const;

  const ScoredParts& scored_;
  std::vector<double> arc_scores_;
  std::vector<char> has_variable_;  ///< by part
  std::vector<int> variable_;       ///< by part, in the last graph; -1 without one
  std::vector<Cut> cuts_;
};

}  // namespace kirchhoff::dependency
