// Decoding: the best tree, the k best trees one after the other, and the tree with the most arcs expected to be right.
//
// Scores are log-weights as in tree.hpp; -inf forbids an arc, and a tree's score is the sum of the scores of its arcs.
// Single-root decoding is exact: arcs from the root are counted, not penalised. Where heads tie, a word takes the
// lowest head and then the lowest label, so that the answer is the same on every machine. Scores are compared after
// subtractions in double precision, so trees whose scores differ by rounding errors only may change places. Method:
// docs/methods/decode.md.
#pragma once

#include "kirchhoff/tree.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace kirchhoff {

struct Tree {
  Heads heads;
  std::vector<int> labels;         ///< labels[d] of the arc into word d, labels[0] == 0; empty for unlabelled graphs
  double score = 0.0;              ///< the sum of the scores of its arcs
  std::optional<double> log_prob;  ///< set when the tree comes from a distribution
};

/// Partial annotation: arcs that must, and arcs that must not be in the tree, whatever their label.
struct Constraints {
  std::vector<Arc> require;
  std::vector<Arc> forbid;

  bool empty() const { return require.empty() && forbid.empty(); }
};

/// The scores with -inf where the constraints leave no arc: a TreeDistribution of them is conditioned on the
/// constraints. Throws InputError when there is no such arc, or Infeasible, which names the arcs in conflict. O(n^2).
Matrix constrained(const MatrixRef& scores, Root root, const Constraints& constraints);
LabelledMatrix constrained(const LabelledMatrix& scores, Root root, const Constraints& constraints);

/// A tree with the highest score. Throws InputError (shape, NaN, +inf, size) or Infeasible. O(n^2), and O(n^2 L) with
/// L labels.
Tree best_tree(const MatrixRef& scores, Root root, const Constraints& constraints = {});
Tree best_tree(const LabelledMatrix& scores, Root root, const Constraints& constraints = {});
/// The most probable tree, with its log-probability.
Tree best_tree(const TreeDistribution& p);
Tree best_tree(const LabelledTreeDistribution& p);

/// The trees of a graph by decreasing score, each exactly once, as many as are asked for. Trees that differ only in
/// labels are different trees.
///
///     KBestTrees trees(scores, Root::single);
///     while (const std::optional<Tree> tree = trees.next()) print(*tree);
///
/// The set-up takes O(n^2 L), each tree O(n^2) and far less unless its graph has large cycles. The list can be moved
/// but not copied.
class KBestTrees {
 public:
  /// Throws as best_tree does.
  KBestTrees(const MatrixRef& scores, Root root, const Constraints& constraints = {});
  KBestTrees(const LabelledMatrix& scores, Root root, const Constraints& constraints = {});
  ~KBestTrees();
  KBestTrees(KBestTrees&&) noexcept;
  KBestTrees& operator=(KBestTrees&&) noexcept;

  /// Returns nothing when all trees have been given.
  std::optional<Tree> next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The k best trees, or all if there are fewer. Throws InputError when k < 0. `stop` is called after each tree and may
/// end the list.
std::vector<Tree> k_best_trees(const MatrixRef& scores, Root root, int k, const Constraints& constraints = {},
                               const Stop& stop = {});
std::vector<Tree> k_best_trees(const LabelledMatrix& scores, Root root, int k, const Constraints& constraints = {},
                               const Stop& stop = {});
/// The k most probable trees, with their log-probabilities.
std::vector<Tree> k_best_trees(const TreeDistribution& p, int k, const Stop& stop = {});
std::vector<Tree> k_best_trees(const LabelledTreeDistribution& p, int k, const Stop& stop = {});

/// Minimum Bayes risk: the tree with the highest expected number of right heads (and labels) under p, that is the best
/// tree over the marginals. Its score and log-probability are those under p.
Tree mbr_tree(const TreeDistribution& p);
Tree mbr_tree(const LabelledTreeDistribution& p);

/// The probability of the trees together, the sum of exp(log_prob), at most 1. Throws InputError when a tree has no
/// log_prob.
double probability_mass(const std::vector<Tree>& trees);

}  // namespace kirchhoff
