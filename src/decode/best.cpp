// The best tree: every word's best head in one pass, then contraction of the cycles among them [Tarjan77]. O(n^2).
#include "base/check.hpp"
#include "decode/constraints.hpp"
#include "decode/contraction.hpp"
#include "decode/labels.hpp"
#include "kirchhoff/decode.hpp"
#include "numeric/sum.hpp"
#include "tree/feasible.hpp"

#include <cmath>
#include <string>

namespace kirchhoff {
namespace {

constexpr int kLargestKept = 500;  // words; the storage of larger graphs is given back

double score_of(const Heads& heads, const MatrixRef& scores) {
  const int nodes = static_cast<int>(heads.size());
  numeric::Sum even, odd;  // two sums, so that neither addition waits for the other
  for (int d = 2; d < nodes; d += 2) {
    odd.add(scores(heads[d - 1], d - 1));
    even.add(scores(heads[d], d));
  }
  if (nodes % 2 == 0) odd.add(scores(heads[nodes - 1], nodes - 1));
  even.add(odd.high);
  even.low += odd.low;
  return even.value();
}

Heads decode_with(decode::Contraction& contraction, base::Buffer& storage, const char* function,
                  const MatrixRef& scores, Root root) {
  const int n = base::check_square(function, "scores", scores);
  const decode::ScoresRead read = decode::read_scores(scores, root, storage, contraction.start(n));
  if (!read.valid) base::check_scores(function, scores);
  if (!contraction.best(read.columns, root))
    tree::require_feasible(scores, root);  // throws, and says why there is no tree
  return contraction.heads();
}

Heads decode_heads(const char* function, const MatrixRef& scores, Root root) {
  if (scores.rows() > kLargestKept + 1) {
    decode::Contraction contraction;
    base::Buffer columns;
    return decode_with(contraction, columns, function, scores, root);
  }
  thread_local decode::Contraction contraction;
  thread_local base::Buffer columns;
  return decode_with(contraction, columns, function, scores, root);
}

std::vector<int> labels_of(const Heads& heads, const std::vector<int>& labels) {
  const int nodes = static_cast<int>(heads.size());
  std::vector<int> result(heads.size(), 0);
  for (int d = 1; d < nodes; ++d) result[d] = labels[heads[d] * nodes + d];
  return result;
}

double score_of(const Heads& heads, const std::vector<int>& labels, const LabelledMatrix& scores) {
  numeric::Sum sum;
  for (int d = 1; d < static_cast<int>(heads.size()); ++d) sum.add(scores(heads[d], d, labels[d]));
  return sum.value();
}

Tree best_labelled(const char* function, const LabelledMatrix& scores, Root root) {
  const decode::BestLabels best = decode::best_labels(function, scores);
  Tree tree;
  tree.heads = decode_heads(function, best.scores, root);
  tree.labels = labels_of(tree.heads, best.labels);
  tree.score = score_of(tree.heads, best.scores);
  return tree;
}

}  // namespace

Tree best_tree(const MatrixRef& scores, Root root, const Constraints& constraints) {
  if (!constraints.empty()) return best_tree(decode::constrain("best_tree", scores, root, constraints), root);
  Tree tree;
  tree.heads = decode_heads("best_tree", scores, root);
  tree.score = score_of(tree.heads, scores);
  return tree;
}

Tree best_tree(const LabelledMatrix& scores, Root root, const Constraints& constraints) {
  if (constraints.empty()) return best_labelled("best_tree", scores, root);
  return best_labelled("best_tree", decode::constrain("best_tree", scores, root, constraints), root);
}

Tree best_tree(const TreeDistribution& p) {
  Tree tree = best_tree(p.scores(), p.root());
  tree.log_prob = p.log_prob(tree.heads);
  return tree;
}

Tree best_tree(const LabelledTreeDistribution& p) {
  Tree tree = best_tree(p.scores(), p.root());
  tree.log_prob = p.log_prob(tree.heads, tree.labels);
  return tree;
}

// Impossible arcs have marginal 0, as have some possible ones: only the scores tell them apart.
Tree mbr_tree(const TreeDistribution& p) {
  const Matrix gains = (p.scores().array() == -HUGE_VAL).select(-HUGE_VAL, p.marginals());
  Tree tree;
  tree.heads = decode_heads("mbr_tree", gains, p.root());
  tree.score = score_of(tree.heads, p.scores());
  tree.log_prob = p.log_prob(tree.heads);
  return tree;
}

Tree mbr_tree(const LabelledTreeDistribution& p) {
  LabelledMatrix gains = p.marginals();
  for (std::size_t i = 0; i < gains.size(); ++i) {
    if (p.scores().data()[i] == -HUGE_VAL) gains.data()[i] = -HUGE_VAL;
  }
  Tree tree = best_labelled("mbr_tree", gains, p.root());
  tree.score = score_of(tree.heads, tree.labels, p.scores());
  tree.log_prob = p.log_prob(tree.heads, tree.labels);
  return tree;
}

double probability_mass(const std::vector<Tree>& trees) {
  numeric::Sum sum;
  for (const Tree& tree : trees) {
    if (!tree.log_prob) base::input_error("probability_mass", "a tree has no log_prob; decode from a distribution");
    sum.add(std::exp(*tree.log_prob));
  }
  return std::min(sum.value(), 1.0);
}

}  // namespace kirchhoff
