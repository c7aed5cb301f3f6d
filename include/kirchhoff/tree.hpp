// Distributions over dependency trees (spanning arborescences): p(tree) = exp(sum of its arcs' scores) / Z.
//
// Scores are log-weights; -inf forbids an arc. Finite scores up to 1e100 in size give right answers: when the fast
// matrix inverse cannot certify its own error, a subtraction-free elimination takes over. Arcs some 1e12 below the best
// arc into their word (masks such as -1e30) cannot matter and are left out (docs/methods/trees.md).
#pragma once

#include "kirchhoff/accuracy.hpp"
#include "kirchhoff/types.hpp"

#include <memory>
#include <vector>

namespace kirchhoff {

/// A distribution over the trees of n >= 1 words. It never changes: the factorisation is done once, in the constructor,
/// and all queries share it. Copies are cheap, since they share it too, and all members may be called from several
/// threads at once.
class TreeDistribution {
 public:
  /// Throws InputError (shape, NaN, +inf, size) or Infeasible. O(n^3).
  TreeDistribution(const MatrixRef& scores, Root root, Accuracy accuracy = {});

  int words() const;
  Root root() const;
  const Accuracy& accuracy() const;
  const Report& report() const;
  /// A view into this distribution, or a copy when the distribution is a temporary.
  MatrixView scores() const&;
  Matrix scores() &&;

  /// log Z, the logarithm of the sum of exp(score) over all trees.
  double log_partition() const;
  /// p(head -> dependent) for all arcs. A view into this distribution, or a copy when it is a temporary.
  MatrixView marginals() const&;
  Matrix marginals() &&;
  /// The logarithms of the marginals, right also where a marginal is below the smallest double. O(n^3).
  Matrix log_marginals() const;
  /// log p(tree), which is -inf for a tree that uses an impossible arc. Throws InputError when `heads` is not a tree of
  /// this root mode.
  double log_prob(const Heads& heads) const;
  /// The probability that a tree has both arcs. O(1) where the bound of its error allows, else O(n^3).
  double pair_marginal(Arc a, Arc b) const;
  /// The probabilities of all pairs of arcs, in row a.head*(n+1) + a.dependent and column b.head*(n+1) + b.dependent;
  /// the diagonal holds p(a). Throws InputError when n > max_words, because the table has (n+1)^4 entries.
  Matrix pair_marginals(int max_words = 40) const;
  /// The natural logarithm of the number of trees without an impossible arc.
  double log_count() const;

  /// The distribution with scores / temperature, temperature > 0.
  TreeDistribution with_temperature(double temperature) const;
  /// The distribution given that the arc is in the tree. Throws Infeasible when no tree is left.
  TreeDistribution require(Arc arc) const;
  /// The distribution given that the arc is not in the tree. Throws Infeasible when no tree is left.
  TreeDistribution forbid(Arc arc) const;
  /// The distribution with other scores and the same root mode and accuracy.
  TreeDistribution with_scores(const MatrixRef& scores) const;

  /// The directional derivative of the marginals when the scores move along `direction`. Because the Hessian is
  /// symmetric, this is also the gradient of E[direction] with respect to the scores: entry (k, l) is
  /// Cov(direction(tree), [k->l in tree]). O(n^3).
  Matrix marginals_along(const MatrixRef& direction) const;

 private:
  friend struct TreeAccess;
  struct State;
  TreeDistribution given(Arc arc) const;
  explicit TreeDistribution(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

/// A distribution over labelled trees, in which every arc carries one of L labels and each label has its own score.
/// Sums over labels are exact. T is the distribution of the tree without its labels: TreeDistribution, or
/// ProjectiveTreeDistribution (projective.hpp).
template <class T>
class LabelledOf {
 public:
  /// Throws InputError (NaN, +inf, size) or Infeasible. O(n^3 + n^2 L).
  LabelledOf(LabelledMatrix scores, Root root, Accuracy accuracy = {});

  int words() const { return scores_.words(); }
  int labels() const { return scores_.labels(); }
  Root root() const { return tree_.root(); }
  const Report& report() const { return tree_.report(); }
  const LabelledMatrix& scores() const& { return scores_; }
  LabelledMatrix scores() && { return std::move(scores_); }
  /// The distribution of the tree without its labels. Its scores are logarithms of sums over labels, less each word's
  /// largest score, so that no digits are lost: its probabilities are those of this distribution, its log Z is not.
  const T& tree() const { return tree_; }

  /// log Z, the logarithm of the sum of exp(score) over all labelled trees.
  double log_partition() const;
  /// p(head -> dependent with that label) for all labelled arcs.
  const LabelledMatrix& marginals() const& { return marginals_; }
  LabelledMatrix marginals() && { return std::move(marginals_); }
  /// The logarithms of the marginals, right also where a marginal is below the smallest double.
  LabelledMatrix log_marginals() const;
  /// log p of the tree whose arc into word d has the label labels[d]; labels[0] is ignored.
  double log_prob(const Heads& heads, const std::vector<int>& labels) const;
  /// The probability that a tree has both arcs, each with this label. It costs what that of arcs without labels does.
  double pair_marginal(Arc a, int label_of_a, Arc b, int label_of_b) const;
  /// The natural logarithm of the number of labelled trees without an impossible arc.
  double log_count() const;

  /// The distribution with scores / temperature, temperature > 0.
  LabelledOf with_temperature(double temperature) const;
  /// The distribution given that the arc is in the tree, with this label. Throws Infeasible when no tree is left.
  LabelledOf require(Arc arc, int label) const;
  /// The distribution given that the tree does not have the arc with this label. Throws Infeasible when no tree is
  /// left.
  LabelledOf forbid(Arc arc, int label) const;
  /// The distribution with other scores and the same root mode and accuracy.
  LabelledOf with_scores(LabelledMatrix scores) const;

  /// The directional derivative of the marginals, as TreeDistribution::marginals_along, for labelled arcs.
  LabelledMatrix marginals_along(const LabelledMatrix& direction) const;

 private:
  LabelledMatrix scores_;
  std::vector<double> word_shift_;
  T tree_;
  LabelledMatrix marginals_;
};

using LabelledTreeDistribution = LabelledOf<TreeDistribution>;

/// Whether the arcs of a distribution have labels: its arrays are LabelledMatrix then, else Matrix.
template <class D>
inline constexpr bool kHasLabels = false;
template <class T>
inline constexpr bool kHasLabels<LabelledOf<T>> = true;

}  // namespace kirchhoff
