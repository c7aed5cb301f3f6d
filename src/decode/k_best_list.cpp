// The k best trees as a list, with log-probabilities when they come from a distribution. O(k n^2).
#include "base/check.hpp"
#include "kirchhoff/decode.hpp"

#include <string>

namespace kirchhoff {
namespace {

template <class Scores>
std::vector<Tree> list(const Scores& scores, Root root, int k, const Constraints& constraints, const Stop& stop) {
  if (k < 0) base::input_error("k_best_trees", "k is " + std::to_string(k) + ", must not be negative");
  KBestTrees trees(scores, root, constraints);
  std::vector<Tree> result;
  while (static_cast<int>(result.size()) < k) {
    std::optional<Tree> tree = trees.next();
    if (!tree) break;
    result.push_back(std::move(*tree));
    if (stop && stop()) break;
  }
  return result;
}

}  // namespace

std::vector<Tree> k_best_trees(const MatrixRef& scores, Root root, int k, const Constraints& constraints,
                               const Stop& stop) {
  return list(scores, root, k, constraints, stop);
}

std::vector<Tree> k_best_trees(const LabelledMatrix& scores, Root root, int k, const Constraints& constraints,
                               const Stop& stop) {
  return list(scores, root, k, constraints, stop);
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
