// Maximum spanning arborescence of a dense graph by contracting cycles, and the best tree but one.
#pragma once

#include "decode/grow.hpp"

#include <cmath>
#include <vector>

namespace kirchhoff::decode {

/// What one tree can be turned into: the best tree without `arc`, which is the best of all others.
struct Deviation {
  double loss = HUGE_VAL;  ///< score of the tree minus that of the other; +inf when there is no other
  Arc arc;
};

/// Storage that is used again for the next graph. Nodes: 0 the root, 1..n the words, then one for each contracted
/// cycle. With Root::single, the root is the head of a node only if nothing else can be: root arcs are compared by
/// number first, by score second.
class Contraction {
 public:
  /// Before run(): set every word's best arc; any head is allowed until fixed() says otherwise.
  core::BestArcs& start(int words);
  /// Restricts word d to one head (-1: any).
  std::vector<int>& fixed() { return fixed_; }

  /// Contracts and expands; false when there is no tree.
  bool run(const core::Columns& columns, Root root);
  const Heads& heads() const { return heads_; }

  /// After run(): the cheapest deviation. `elsewhere(d)` is the best score of an arc into word d from a node that is
  /// neither d's head nor below d (for single-root: nor the root); `parallel(d)` that of another arc from the same
  /// head. -inf for none; neither is asked for words that are fixed.
  template <class Elsewhere, class Parallel>
  Deviation best_deviation(Elsewhere elsewhere, Parallel parallel);

  /// True when node x is d or below it in the tree; valid within best_deviation.
  bool below(int x, int d) const { return first_[x] >= first_[d] && first_[x] < last_[d]; }

 private:
  bool is_word(int node) const { return node <= columns_.words; }
  double entry(int node, int head) const;
  int entered(int cycle, int head) const;
  void expand();
  void number_subtrees();
  double cycle_elsewhere(int node, int head, int dependent) const;
  double cycle_parallel(int node, int head, int dependent, double same_arc) const;

  core::Columns columns_;
  Root root_ = Root::multi;
  int nodes_ = 0;
  // By node.
  core::BestArcs arc_;
  std::vector<int> fixed_;
  std::vector<int> dependent_;  // of the arc, if it is in the tree
  std::vector<int> cycle_;      // if it is not: the cycle that is entered through this node; else 0
  std::vector<int> members_end_;
  std::vector<int> members_;
  std::vector<std::int64_t> position_;
  std::vector<PathNode> path_;
  Heads heads_;
  std::vector<int> first_, last_, child_, sibling_;
};

template <class Elsewhere, class Parallel>
Deviation Contraction::best_deviation(Elsewhere elsewhere, Parallel parallel) {
  number_subtrees();
  Deviation best;
  for (int node = 1; node < nodes_; ++node) {
    if (cycle_[node] != 0 || (is_word(node) && fixed_[node] >= 0)) continue;
    const int head = arc_.head[node], dependent = dependent_[node];
    const double same_arc = fixed_[dependent] >= 0 ? -HUGE_VAL : parallel(dependent);
    const double other = is_word(node) ? std::max(same_arc, elsewhere(dependent))
                                       : std::max(cycle_parallel(node, head, dependent, same_arc),
                                                  cycle_elsewhere(node, head, dependent));
    if (arc_.score[node] - other < best.loss) best = {arc_.score[node] - other, {head, dependent}};
  }
  return best;
}

}  // namespace kirchhoff::decode
