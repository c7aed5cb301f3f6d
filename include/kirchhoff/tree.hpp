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

namespace detail {
struct TreeState;
struct TreeAccess;
}  // namespace detail

/// Immutable; the factorisation is done once, in the constructor, and all queries share it. n >= 1 words.
/// Copies are cheap (they share the state), and all members may be called from several threads at once.
class TreeDistribution {
 public:
  /// Throws InputError (shape, NaN, +inf, size) or Infeasible. O(n^3).
  TreeDistribution(const MatrixRef& scores, Root root, Accuracy accuracy = {});

  int words() const;
  Root root() const;
  const Accuracy& accuracy() const;
  const Report& report() const;
  /// A view into this distribution; of a temporary, a copy.
  MatrixView scores() const&;
  Matrix scores() &&;

  /// log Z = log of the sum over all trees of exp(score).
  double log_partition() const;
  /// p(head -> dependent) for all arcs.
  MatrixView marginals() const&;
  Matrix marginals() &&;
  /// Their logarithms, right also where a marginal is below the smallest double. O(n^3).
  Matrix log_marginals() const;
  /// -inf for a tree that uses an impossible arc. InputError when `heads` is not a tree of this root mode.
  double log_prob(const Heads& heads) const;
  /// Probability that a tree has both arcs. O(1) when the inverse is accurate enough, else O(n^3).
  double pair_marginal(Arc a, Arc b) const;
  /// All of them: entry (a.head*(n+1) + a.dependent, b.head*(n+1) + b.dependent); the diagonal holds p(a).
  /// InputError when n > max_words: the table has (n+1)^4 entries.
  Matrix pair_marginals(int max_words = 40) const;
  /// Natural logarithm of the number of trees without an impossible arc.
  double log_count() const;

  /// The distribution with scores / temperature, temperature > 0.
  TreeDistribution with_temperature(double temperature) const;
  /// The same scores, conditioned on the arc being in (out of) the tree. Infeasible when no tree is left.
  TreeDistribution require(Arc arc) const;
  TreeDistribution forbid(Arc arc) const;
  /// Other scores, same root mode and accuracy.
  TreeDistribution with_scores(const MatrixRef& scores) const;

  /// Directional derivative of the marginals when the scores move along `direction`; by symmetry of the Hessian also
  /// the gradient of E[direction] w.r.t. the scores: entry (k,l) is Cov(direction(tree), [k->l in tree]). O(n^3).
  Matrix marginals_along(const MatrixRef& direction) const;

 private:
  friend struct detail::TreeAccess;
  TreeDistribution given(Arc arc) const;
  explicit TreeDistribution(std::shared_ptr<const detail::TreeState> state) : state_(std::move(state)) {}
  std::shared_ptr<const detail::TreeState> state_;
};

/// Labelled trees: every arc carries one of L labels, with its own score. Sums over labels are exact.
class LabelledTreeDistribution {
 public:
  LabelledTreeDistribution(LabelledMatrix scores, Root root, Accuracy accuracy = {});

  int words() const { return scores_.words(); }
  int labels() const { return scores_.labels(); }
  Root root() const { return tree_.root(); }
  const Report& report() const { return tree_.report(); }
  const LabelledMatrix& scores() const& { return scores_; }
  LabelledMatrix scores() && { return std::move(scores_); }
  /// The distribution of the unlabelled tree: scores logsumexp over labels, minus word_shift() of the dependent.
  const TreeDistribution& tree() const { return tree_; }
  /// Each word's largest score; word_shift()[0] is 0.
  const std::vector<double>& word_shift() const { return word_shift_; }

  double log_partition() const;
  /// p(head -> dependent with that label).
  const LabelledMatrix& marginals() const& { return marginals_; }
  LabelledMatrix marginals() && { return std::move(marginals_); }
  LabelledMatrix log_marginals() const;
  /// labels[d] is the label of the arc into word d; labels[0] is ignored.
  double log_prob(const Heads& heads, const std::vector<int>& labels) const;
  double log_count() const;

  LabelledTreeDistribution with_temperature(double temperature) const;
  LabelledTreeDistribution require(Arc arc, int label) const;
  LabelledTreeDistribution forbid(Arc arc, int label) const;
  LabelledTreeDistribution with_scores(LabelledMatrix scores) const;

  /// As TreeDistribution::marginals_along, for labelled arcs.
  LabelledMatrix marginals_along(const LabelledMatrix& direction) const;

 private:
  LabelledMatrix scores_;
  std::vector<double> word_shift_;
  TreeDistribution tree_;
  LabelledMatrix marginals_;
};

}  // namespace kirchhoff
