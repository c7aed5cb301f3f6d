// The best projective tree and the k best ones [Eisner96]: charts of maxima, O(n^3), and a search in the trie of
// choices below them.
#include "base/check.hpp"
#include "decode/constraints.hpp"
#include "decode/first_trees.hpp"
#include "decode/labels.hpp"
#include "numeric/sum.hpp"
#include "projective/state.hpp"
#include "projective/trie.hpp"

#include <cmath>
#include <string>

namespace kirchhoff {
namespace projective {
namespace {

// A number whose sum is the maximum and whose product is the sum.
struct Best {
  double x = -HUGE_VAL;
  Best& operator+=(const Best& other) {
    x = other.x > x ? other.x : x;
    return *this;
  }
  friend Best operator*(const Best& a, const Best& b) { return {a.x + b.x}; }
};

// Scores count from the best arc into each word, so that no digits are lost to what all trees have in common.
Charts<Best> best_charts(const char* function, const MatrixRef& scores, Root root) {
  const int n = base::check_square(function, "scores", scores);
  base::check_scores(function, scores);
  std::vector<double> top(n + 1, -HUGE_VAL);
  for_each_place(n, [&](int h, int d) { top[d] = std::max(top[d], scores(h, d)); });
  for (int d = 1; d <= n; ++d) {
    if (top[d] == -HUGE_VAL) throw Infeasible("no projective tree: word " + std::to_string(d) + " has no possible arc");
  }
  Charts<Best> charts(n, root, Best{0.0}, [&](int h, int d) { return Best{scores(h, d) - top[d]}; });
  if (charts.total().x == -HUGE_VAL) throw_infeasible(scores, root);
  return charts;
}

Heads best_heads(const char* function, const MatrixRef& scores, Root root) {
  const Charts<Best> charts = best_charts(function, scores, root);
  Derivation<Best> walk(charts);
  while (!walk.done()) {
    int best = walk.first_option();
    double weight = -HUGE_VAL;
    for (int k = walk.first_option(); k <= walk.last_option(); ++k) {
      const double x = walk.weight(k).x;
      if (x > weight) weight = x, best = k;
    }
    walk.choose(best);
  }
  return walk.heads();
}

double tree_score(const MatrixRef& scores, const Heads& heads) {
  numeric::Sum sum;
  for (std::size_t d = 1; d < heads.size(); ++d) sum.add(scores(heads[d], static_cast<int>(d)));
  return sum.value();
}
double tree_score(const LabelledMatrix& scores, const Heads& heads, const std::vector<int>& labels) {
  numeric::Sum sum;
  for (std::size_t d = 1; d < heads.size(); ++d) sum.add(scores(heads[d], static_cast<int>(d), labels[d]));
  return sum.value();
}

Tree best_with_labels(const char* function, const LabelledMatrix& scores, Root root) {
  const decode::BestLabels best = decode::best_labels(function, scores);
  Tree tree;
  tree.heads = best_heads(function, best.scores, root);
  tree.labels.assign(tree.heads.size(), 0);
  for (std::size_t d = 1; d < tree.heads.size(); ++d) {
    tree.labels[d] = best.labels[tree.heads[d] * tree.heads.size() + d];
  }
  tree.score = tree_score(best.scores, tree.heads);
  return tree;
}

}  // namespace
}  // namespace projective

using projective::best_heads;
using projective::tree_score;

struct KBestProjectiveTrees::State {
  Matrix scores;
  LabelledMatrix labelled;
  projective::Trie<projective::Best> trie;

  State(const char* function, Matrix own, LabelledMatrix with_labels, Root root)
      : scores(std::move(own)),
        labelled(std::move(with_labels)),
        trie(
            projective::best_charts(function, scores, root), [](const projective::Best& x) { return x.x; },
            labelled.labels() == 0 ? projective::Trie<projective::Best>::Labels() : [this](Arc arc) {
              std::vector<double> logs(labelled.labels());
              for (int y = 0; y < labelled.labels(); ++y) logs[y] = labelled(arc.head, arc.dependent, y);
              return logs;
            },
            {}) {}
};

KBestProjectiveTrees::KBestProjectiveTrees(const MatrixRef& scores, Root root, const Constraints& constraints)
    : state_(std::make_unique<State>("KBestProjectiveTrees",
                                     decode::constrain("KBestProjectiveTrees", scores, root, constraints),
                                     LabelledMatrix(), root)) {}
KBestProjectiveTrees::KBestProjectiveTrees(const LabelledMatrix& scores, Root root, const Constraints& constraints) {
  LabelledMatrix left = decode::constrain("KBestProjectiveTrees", scores, root, constraints);
  Matrix best = decode::best_labels("KBestProjectiveTrees", left).scores;
  state_ = std::make_unique<State>("KBestProjectiveTrees", std::move(best), std::move(left), root);
}
KBestProjectiveTrees::~KBestProjectiveTrees() = default;
KBestProjectiveTrees::KBestProjectiveTrees(KBestProjectiveTrees&&) noexcept = default;
KBestProjectiveTrees& KBestProjectiveTrees::operator=(KBestProjectiveTrees&&) noexcept = default;

std::optional<Tree> KBestProjectiveTrees::next() {
  std::optional<Tree> tree = state_->trie.next();
  if (!tree) return tree;
  tree->score = tree->labels.empty() ? tree_score(state_->scores, tree->heads)
                                     : tree_score(state_->labelled, tree->heads, tree->labels);
  return tree;
}

Tree best_projective_tree(const MatrixRef& scores, Root root, const Constraints& constraints) {
  constexpr const char* kName = "best_projective_tree";
  if (!constraints.empty()) return best_projective_tree(decode::constrain(kName, scores, root, constraints), root);
  Tree tree;
  tree.heads = best_heads(kName, scores, root);
  tree.score = tree_score(scores, tree.heads);
  return tree;
}
Tree best_projective_tree(const LabelledMatrix& scores, Root root, const Constraints& constraints) {
  constexpr const char* kName = "best_projective_tree";
  if (constraints.empty()) return projective::best_with_labels(kName, scores, root);
  return projective::best_with_labels(kName, decode::constrain(kName, scores, root, constraints), root);
}

std::vector<Tree> k_best_projective_trees(const MatrixRef& scores, Root root, int k, const Constraints& constraints,
                                          const Stop& stop) {
  return decode::first_trees<KBestProjectiveTrees>("k_best_projective_trees", scores, root, k, constraints, stop);
}
std::vector<Tree> k_best_projective_trees(const LabelledMatrix& scores, Root root, int k,
                                          const Constraints& constraints, const Stop& stop) {
  return decode::first_trees<KBestProjectiveTrees>("k_best_projective_trees", scores, root, k, constraints, stop);
}

Tree best_tree(const ProjectiveTreeDistribution& p) {
  Tree tree = best_projective_tree(p.scores(), p.root());
  tree.log_prob = p.log_prob(tree.heads);
  return tree;
}
Tree best_tree(const LabelledProjectiveTreeDistribution& p) {
  Tree tree = best_projective_tree(p.scores(), p.root());
  tree.log_prob = p.log_prob(tree.heads, tree.labels);
  return tree;
}
std::vector<Tree> k_best_trees(const ProjectiveTreeDistribution& p, int k, const Stop& stop) {
  std::vector<Tree> trees = k_best_projective_trees(p.scores(), p.root(), k, {}, stop);
  for (Tree& tree : trees) tree.log_prob = p.log_prob(tree.heads);
  return trees;
}
std::vector<Tree> k_best_trees(const LabelledProjectiveTreeDistribution& p, int k, const Stop& stop) {
  std::vector<Tree> trees = k_best_projective_trees(p.scores(), p.root(), k, {}, stop);
  for (Tree& tree : trees) tree.log_prob = p.log_prob(tree.heads, tree.labels);
  return trees;
}

// Impossible arcs have marginal 0, as have some possible ones: only the scores tell them apart.
Tree mbr_tree(const ProjectiveTreeDistribution& p) {
  const Matrix gains = (p.scores().array() == -HUGE_VAL).select(-HUGE_VAL, p.marginals());
  Tree tree;
  tree.heads = best_heads("mbr_tree", gains, p.root());
  tree.score = tree_score(p.scores(), tree.heads);
  tree.log_prob = p.log_prob(tree.heads);
  return tree;
}
Tree mbr_tree(const LabelledProjectiveTreeDistribution& p) {
  LabelledMatrix gains = p.marginals();
  for (std::size_t i = 0; i < gains.size(); ++i) {
    if (p.scores().data()[i] == -HUGE_VAL) gains.data()[i] = -HUGE_VAL;
  }
  Tree tree = projective::best_with_labels("mbr_tree", gains, p.root());
  tree.score = tree_score(p.scores(), tree.heads, tree.labels);
  tree.log_prob = p.log_prob(tree.heads, tree.labels);
  return tree;
}

}  // namespace kirchhoff
