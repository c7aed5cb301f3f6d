// Decoding: the best tree, the k best trees one after the other, and the tree with the most arcs expected to be right.
//
// Scores are log-weights as in tree.hpp; -inf forbids an arc, and a tree's score is the sum of its arcs'. Single-root
// is exact: arcs from the root are counted, not penalised. Ties: a word that may choose takes the lowest head, then the
// lowest label; the same answer on every machine. Scores are compared after subtractions in double precision, so trees
// whose scores differ by rounding errors only may change places. Method: docs/methods/decode.md.
#pragma once

#include "kirchhoff/tree.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace kirchhoff {

struct Tree {
  Heads heads;
  std::vector<int> labels;         ///< labels[d] of the arc into word d, labels[0] == 0; empty for unlabelled graphs
  double score = 0.0;              ///< sum of the scores of its arcs
  std::optional<double> log_prob;  ///< when it was decoded from a distribution
};

/// Partial annotation: arcs that must, and arcs that must not be in the tree, whatever their label.
struct Constraints {
  std::vector<Arc> require;
  std::vector<Arc> forbid;

  bool empty() const { return require.empty() && forbid.empty(); }
};

/// The scores with -inf where the constraints leave no arc: a TreeDistribution of them is conditioned on the
/// constraints. Throws InputError (no such arc) or Infeasible, which names the arcs in conflict. O(n^2).
Matrix constrained(const MatrixRef& scores, Root root, const Constraints& constraints);
LabelledMatrix constrained(const LabelledMatrix& scores, Root root, const Constraints& constraints);

/// A tree with the highest score. Throws InputError (shape, NaN, +inf, size) or Infeasible. O(n^2), with L labels
/// O(n^2 L).
Tree best_tree(const MatrixRef& scores, Root root, const Constraints& constraints = {});
Tree best_tree(const LabelledMatrix& scores, Root root, const Constraints& constraints = {});
/// The most probable tree, with its log-probability.
Tree best_tree(const TreeDistribution& p);
Tree best_tree(const LabelledTreeDistribution& p);

/// The trees of a graph by decreasing score, each exactly once, as many as are asked for. Trees that differ only in
/// labels are different trees.
///
///   KBestTrees trees(scores, Root::single);
///   while (auto tree = trees.next()) ...
///
/// Set-up O(n^2 L), then O(n^2) for each tree, and far less unless its graph has large cycles. Copying is not needed
/// for anything and not possible; moving is.
class KBestTrees {
 public:
  /// Throws as best_tree does.
  KBestTrees(const MatrixRef& scores, Root root, const Constraints& constraints = {});
  KBestTrees(const LabelledMatrix& scores, Root root, const Constraints& constraints = {});
  ~KBestTrees();
  KBestTrees(KBestTrees&&) noexcept;
  KBestTrees& operator=(KBestTrees&&) noexcept;

  /// Nothing when all trees have been given.
  std::optional<Tree> next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The k best, or all if there are fewer. InputError when k < 0. `stop` is asked after each tree: true ends the list.
std::vector<Tree> k_best_trees(const MatrixRef& scores, Root root, int k, const Constraints& constraints = {},
                               const Stop& stop = {});
std::vector<Tree> k_best_trees(const LabelledMatrix& scores, Root root, int k, const Constraints& constraints = {},
                               const Stop& stop = {});
/// The k most probable, with their log-probabilities.
std::vector<Tree> k_best_trees(const TreeDistribution& p, int k, const Stop& stop = {});
std::vector<Tree> k_best_trees(const LabelledTreeDistribution& p, int k, const Stop& stop = {});

/// Minimum Bayes risk: the tree with the highest expected number of right heads (and labels) under p, that is the best
/// tree over the marginals. Score and log-probability are those of p.
Tree mbr_tree(const TreeDistribution& p);
Tree mbr_tree(const LabelledTreeDistribution& p);

/// Probability of the trees together: the sum of exp(log_prob), at most 1. InputError when a tree has no log_prob.
double probability_mass(const std::vector<Tree>& trees);

}  // namespace kirchhoff
