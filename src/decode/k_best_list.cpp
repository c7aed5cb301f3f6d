// The k best trees as a list, with log-probabilities when they come from a distribution. O(k n^2).
#include "decode/first_trees.hpp"

namespace kirchhoff {

std::vector<Tree> k_best_trees(const MatrixRef& scores, Root root, int k, const Constraints& constraints,
                               const Stop& stop) {
  return decode::first_trees<KBestTrees>("k_best_trees", scores, root, k, constraints, stop);
}

std::vector<Tree> k_best_trees(const LabelledMatrix& scores, Root root, int k, const Constraints& constraints,
                               const Stop& stop) {
  return decode::first_trees<KBestTrees>("k_best_trees", scores, root, k, constraints, stop);
}

std::vector<Tree> k_best_trees(const TreeDistribution& p, int k, const Stop& stop) {
  std::vector<Tree> trees = k_best_trees(p.scores(), p.root(), k, {}, stop);
  for (Tree& tree : trees) tree.log_prob = p.log_prob(tree.heads);
  return trees;
}

std::vector<Tree> k_best_trees(const LabelledTreeDistribution& p, int k, const Stop& stop) {
  std::vector<Tree> trees = k_best_trees(p.scores(), p.root(), k, {}, stop);
  for (Tree& tree : trees) tree.log_prob = p.log_prob(tree.heads, tree.labels);
  return trees;
}

}  // namespace kirchhoff
