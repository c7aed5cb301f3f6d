// Maximum spanning arborescence of a dense graph by contracting cycles, and the best tree but one.
#pragma once

#include "decode/kernels/grow.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kirchhoff::decode {

/// What one tree can be turned into: the best tree without `arc`, which is the best of all others.
struct Deviation {
  double loss = HUGE_VAL;  ///< the score of the tree minus that of the other, or +inf when there is no other
  Arc arc;
};

/// The contraction of a graph, with storage that serves for the next graph too. Node 0 is the root, 1..n are the words,
/// and each contracted cycle adds a node. With Root::single, the root is the head of a node only if nothing else can
/// be: root arcs are compared by number first, by score second.
class Contraction {
 public:
  /// Returns the nodes, in which the caller sets weight and head of every word's best arc before run() (head is -1 if
  /// there is none). Any head is allowed until fixed() says otherwise.
  std::vector<ContractionNode>& start(int words);
  /// fixed()[d] restricts word d to one head; -1 allows any.
  std::vector<int>& fixed() { return fixed_; }

  /// Contracts and expands. Returns false when there is no tree.
  bool run(const Columns& columns, Root root) { return run(columns, root, root == Root::single); }
  /// The same, but only heads() can be asked afterwards. For a single root it tries first whether the best tree of all
  /// has one root child, as it mostly does when scores come from a parser; that is found with fewer contractions.
  bool best(const Columns& columns, Root root);
  const Heads& heads() const { return heads_; }

  /// The cheapest deviation, to be asked after run(). `elsewhere(d)` is the best score of an arc into word d from a
  /// node that is neither d's head nor below d (for single-root: nor the root); `parallel(d)` is that of another arc
  /// from the same head. Both are -inf where there is none, and neither is called for words that are fixed.
  template <class Elsewhere, class Parallel>
  Deviation best_deviation(Elsewhere elsewhere, Parallel parallel);

  /// True when node x is d or below it in the tree. It can be asked within best_deviation only.
  bool below(int x, int d) const { return first_[x] >= first_[d] && first_[x] < last_[d]; }

 private:
  bool is_word(int node) const { return node <= columns_.words; }
  bool run(const Columns& columns, Root root, bool one_child);
  void expand();
  int dependent(int node) const;
  void number_subtrees();
  double cycle_elsewhere(int node, int head, int dependent) const;
  double cycle_parallel(int node, int head, int dependent, double same_arc) const;

  Columns columns_;
  Root root_ = Root::multi;
  int nodes_ = 0;
  // What follows is indexed by node.
  std::vector<ContractionNode> node_;
  std::vector<ContractionNode> from_words_;  // best arcs from words, while arcs from the root are tried
  std::vector<int> fixed_;
  std::vector<int> entry_;  // the member of a cycle through which the tree enters it
  std::vector<int> cycle_;  // the cycle whose entry it is, 0 if none: then its best arc is in the tree
  std::vector<int> members_end_;
  std::vector<int> members_;
  std::vector<std::int64_t> position_;
  std::vector<int> path_;
  Heads heads_;
  std::vector<int> first_, last_, child_, sibling_;
};

template <class Elsewhere, class Parallel>
Deviation Contraction::best_deviation(Elsewhere elsewhere, Parallel parallel) {
  number_subtrees();
  std::fill_n(cycle_.begin(), nodes_, 0);
  for (int cycle = columns_.words + 1; cycle < nodes_; ++cycle) cycle_[entry_[cycle]] = cycle;
  Deviation best;
  for (int node = 1; node < nodes_; ++node) {
    if (cycle_[node] != 0 || (is_word(node) && fixed_[node] >= 0)) continue;
    const int head = node_[node].head, dependent = this->dependent(node);
    const double same_arc = fixed_[dependent] >= 0 ? -HUGE_VAL : parallel(dependent);
    const double other = is_word(node) ? std::max(same_arc, elsewhere(dependent))
                                       : std::max(cycle_parallel(node, head, dependent, same_arc),
                                                  cycle_elsewhere(node, head, dependent));
    if (node_[node].weight - other < best.loss) best = {node_[node].weight - other, {head, dependent}};
  }
  return best;
}

}  // namespace kirchhoff::decode
