// Distributions over projective dependency trees, those whose arcs do not cross when drawn above the sentence: by
// [Eisner96], with the verbs of tree.hpp, tree_batch.hpp, expectation.hpp, decode.hpp and sample.hpp.
//
// Scores, root modes and errors are those of TreeDistribution. The root stands before the first word, so its arcs must
// not be crossed either. Every function costs O(n^3) unless it says otherwise. Method: docs/methods/projective.md.
#pragma once

#include "kirchhoff/expectation.hpp"
#include "kirchhoff/sample.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace kirchhoff {

/// Whether no two arcs of the tree cross: all words between a head and its dependent are below the head. O(n^2). Throws
/// InputError when `heads` is not a tree.
bool is_projective(const Heads& heads);

/// A distribution over the projective trees of n >= 1 words, p(tree) = exp(sum of its arcs' scores) / Z. It never
/// changes; copies are cheap, and all members may be called from several threads at once. The functions of
/// expectation.hpp take it, too.
class ProjectiveTreeDistribution {
 public:
  /// Throws InputError (shape, NaN, +inf, size) or Infeasible, when no projective tree is possible. Of the accuracy
  /// only the method is used: both methods give every marginal a small relative error, and the fast one, in doubles,
  /// answers unless numbers would underflow.
  ProjectiveTreeDistribution(const MatrixRef& scores, Root root, Accuracy accuracy = {});

  int words() const;
  Root root() const;
  const Accuracy& accuracy() const;
  const Report& report() const;
  /// A view into this distribution, or a copy when the distribution is a temporary.
  MatrixView scores() const&;
  Matrix scores() &&;

  /// log Z, the logarithm of the sum of exp(score) over all projective trees.
  double log_partition() const;
  /// p(head -> dependent) for all arcs. A view into this distribution, or a copy when it is a temporary.
  MatrixView marginals() const&;
  Matrix marginals() &&;
  /// The logarithms of the marginals, right also where a marginal is below the smallest double.
  Matrix log_marginals() const;
  /// log p(tree), which is -inf for a tree that is not projective or uses an impossible arc. Throws InputError when
  /// `heads` is not a tree of this root mode.
  double log_prob(const Heads& heads) const;
  /// The probability that a tree has both arcs.
  double pair_marginal(Arc a, Arc b) const;
  /// The probabilities of all pairs of arcs, as TreeDistribution::pair_marginals. O(n^5).
  Matrix pair_marginals(int max_words = 40) const;
  /// The natural logarithm of the number of projective trees without an impossible arc.
  double log_count() const;

  /// The distribution with scores / temperature, temperature > 0.
  ProjectiveTreeDistribution with_temperature(double temperature) const;
  /// The distribution given that the arc is, or is not, in the tree. Throws Infeasible when no tree is left.
  ProjectiveTreeDistribution require(Arc arc) const;
  ProjectiveTreeDistribution forbid(Arc arc) const;
  /// The distribution with other scores and the same root mode and accuracy.
  ProjectiveTreeDistribution with_scores(const MatrixRef& scores) const;

  /// The directional derivative of the marginals when the scores move along `direction`, which is also the gradient of
  /// E[direction]: entry (k, l) is Cov(direction(tree), [k->l in tree]).
  Matrix marginals_along(const MatrixRef& direction) const;

 private:
  friend struct ProjectiveAccess;
  struct State;
  std::shared_ptr<const State> state_;
};

using LabelledProjectiveTreeDistribution = LabelledOf<ProjectiveTreeDistribution>;
using ProjectiveTreeBatch = BatchOf<ProjectiveTreeDistribution>;
using LabelledProjectiveTreeBatch = BatchOf<LabelledProjectiveTreeDistribution>;

/// The logarithm of the probability that a tree of p is projective: log Z of the projective trees less log Z of all.
/// -inf when no tree of p is.
double log_projective_mass(const TreeDistribution& p);
double log_projective_mass(const LabelledTreeDistribution& p);

/// A projective tree with the highest score; where trees tie, which one is not said. Throws as best_tree does.
Tree best_projective_tree(const MatrixRef& scores, Root root, const Constraints& constraints = {});
Tree best_projective_tree(const LabelledMatrix& scores, Root root, const Constraints& constraints = {});
/// The most probable tree, with its log-probability.
Tree best_tree(const ProjectiveTreeDistribution& p);
Tree best_tree(const LabelledProjectiveTreeDistribution& p);
/// The tree with the highest expected number of right heads (and labels) under p. Its score and log-probability are
/// those under p.
Tree mbr_tree(const ProjectiveTreeDistribution& p);
Tree mbr_tree(const LabelledProjectiveTreeDistribution& p);

/// The projective trees of a graph by decreasing score, each exactly once, as many as are asked for: as KBestTrees. The
/// set-up takes O(n^3), each tree O(n^2 log n).
class KBestProjectiveTrees {
 public:
  KBestProjectiveTrees(const MatrixRef& scores, Root root, const Constraints& constraints = {});
  KBestProjectiveTrees(const LabelledMatrix& scores, Root root, const Constraints& constraints = {});
  ~KBestProjectiveTrees();
  KBestProjectiveTrees(KBestProjectiveTrees&&) noexcept;
  KBestProjectiveTrees& operator=(KBestProjectiveTrees&&) noexcept;
  /// Returns nothing when all trees have been given.
  std::optional<Tree> next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};
/// The k best trees, or all if there are fewer. `stop` is called after each tree and may end the list.
std::vector<Tree> k_best_projective_trees(const MatrixRef& scores, Root root, int k,
                                          const Constraints& constraints = {}, const Stop& stop = {});
std::vector<Tree> k_best_projective_trees(const LabelledMatrix& scores, Root root, int k,
                                          const Constraints& constraints = {}, const Stop& stop = {});
/// The k most probable trees, with their log-probabilities.
std::vector<Tree> k_best_trees(const ProjectiveTreeDistribution& p, int k, const Stop& stop = {});
std::vector<Tree> k_best_trees(const LabelledProjectiveTreeDistribution& p, int k, const Stop& stop = {});

/// Draws independent trees from the top down: O(n^3) to set up and O(n^2) at most for each. Sample i of a seed is the
/// same tree whatever the number of samples or threads. All members may be called from several threads at once.
class ProjectiveTreeSampler {
 public:
  explicit ProjectiveTreeSampler(const ProjectiveTreeDistribution& p);
  explicit ProjectiveTreeSampler(const LabelledProjectiveTreeDistribution& p);
  /// Sample number `index` of the stream that `seed` names.
  Tree sample(std::uint64_t seed, std::uint64_t index) const;
  /// Samples 0 .. count-1 of the stream. Throws InputError when count < 0.
  std::vector<Tree> samples(int count, const SampleOptions& options = {}) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};
std::vector<Tree> sample_trees(const ProjectiveTreeDistribution& p, int count, const SampleOptions& options = {});
std::vector<Tree> sample_trees(const LabelledProjectiveTreeDistribution& p, int count,
                               const SampleOptions& options = {});

/// Trees without replacement, one after the other, as DistinctTrees. Each takes O(n^2 log n).
class DistinctProjectiveTrees {
 public:
  explicit DistinctProjectiveTrees(const ProjectiveTreeDistribution& p, std::uint64_t seed = 0);
  explicit DistinctProjectiveTrees(const LabelledProjectiveTreeDistribution& p, std::uint64_t seed = 0);
  ~DistinctProjectiveTrees();
  DistinctProjectiveTrees(DistinctProjectiveTrees&&) noexcept;
  DistinctProjectiveTrees& operator=(DistinctProjectiveTrees&&) noexcept;
  /// Returns nothing when all trees have been given.
  std::optional<Tree> next();
  /// As DistinctTrees has them.
  double perturbed() const;
  double threshold();
  /// The next k trees, with their perturbed log-probabilities. `stop` is called after each tree.
  PerturbedTrees first(int k, const Stop& stop = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};
/// The k trees of highest perturbed log-probability, which are the first k that DistinctProjectiveTrees gives for the
/// same seed. options.threads is not used.
PerturbedTrees sample_without_replacement(const ProjectiveTreeDistribution& p, int k, const SampleOptions& options = {},
                                          const Stop& stop = {});
PerturbedTrees sample_without_replacement(const LabelledProjectiveTreeDistribution& p, int k,
                                          const SampleOptions& options = {}, const Stop& stop = {});

}  // namespace kirchhoff
