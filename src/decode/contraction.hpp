// Maximum spanning arborescence of a dense graph by contracting cycles, and the best tree but one.
#pragma once

#include "core/columns.hpp"

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
  /// Before run(): fill in every word's best head (-1: none); any head is allowed until fixed() says otherwise.
  std::vector<int>& start(int words);
  /// Restricts word d to one head (-1: any).
  std::vector<int>& fixed() { return fixed_; }

  /// Contracts and expands; false when there is no tree.
  bool run(const core::Columns& scores, Root root, bool keep_columns);
  const Heads& heads() const { return heads_; }

  /// After run(keep_columns): the cheapest deviation. `elsewhere(d)` is the best score of an arc into word d from a
  /// node that is neither d's head nor below d (for single-root: nor the root); `parallel(d)` that of another arc from
  /// the same head. -inf for none; neither is asked for words that are fixed.
  template <class Elsewhere, class Parallel>
  Deviation best_deviation(Elsewhere elsewhere, Parallel parallel);

  /// True when node x is d or below it in the tree; valid within best_deviation.
  bool below(int x, int d) const { return first_[x] >= first_[d] && first_[x] < last_[d]; }

 private:
  struct InArc {
    double weight = 0.0;  ///< score, less what entering here saves inside
    int head = 0;
    int dependent = 0;
  };

  bool is_word(int node) const { return node <= scores_.words; }
  int slot(int cycle) const { return slot_[cycle - scores_.words - 1]; }
  double* values(int at) { return storage_[at].data(); }
  const double* values(int at) const { return storage_[at].data(); }
  double entry(int node, int head) const;
  bool grow_from(int word);
  bool contract(std::size_t first);
  int take_slot();
  int start_slot(int member);
  core::Column column(int member) const;
  void swallow(int member, int group, double* inside);
  int merge(std::size_t first, int largest, double* values);
  void expand();
  void number_subtrees();
  double cycle_elsewhere(int node, int head, int dependent) const;
  double cycle_parallel(int node, int head, int dependent, double same_arc) const;

  core::Columns scores_;
  Root root_ = Root::multi;
  bool keep_columns_ = false;
  std::vector<int> best_head_, fixed_;
  // By node: best arc into it, the cycle it is part of, its group.
  std::vector<InArc> in_;
  std::vector<int> parent_, group_of_;
  std::vector<char> state_, dissolved_;
  // Words in one node are a group, named after one of them: a list, from that word on.
  std::vector<int> group_, next_word_;              // by word
  std::vector<int> node_of_, last_word_, size_of_;  // by group
  // By cycle, index node - n - 1. A slot holds values, dependents, and 0 or -inf for heads outside and inside.
  std::vector<int> members_begin_, slot_;
  std::vector<int> members_, path_, free_slots_;
  std::vector<core::Buffer> storage_;
  std::vector<double> nothing_;  // the column of a word whose only arc is in the cycle
  std::size_t slots_used_ = 0;
  Heads heads_;
  std::vector<int> first_, last_, child_, sibling_;
};

template <class Elsewhere, class Parallel>
Deviation Contraction::best_deviation(Elsewhere elsewhere, Parallel parallel) {
  number_subtrees();
  Deviation best;
  for (int node = 1; node < static_cast<int>(in_.size()); ++node) {
    const auto& [weight, head, dependent] = in_[node];
    if (dissolved_[node] || (is_word(node) && fixed_[node] >= 0)) continue;
    const double same_arc = fixed_[dependent] >= 0 ? -HUGE_VAL : parallel(dependent);
    const double other = is_word(node) ? std::max(same_arc, elsewhere(dependent))
                                       : std::max(cycle_parallel(node, head, dependent, same_arc),
                                                  cycle_elsewhere(node, head, dependent));
    if (weight - other < best.loss) best = {weight - other, {head, dependent}};
  }
  return best;
}

}  // namespace kirchhoff::decode
