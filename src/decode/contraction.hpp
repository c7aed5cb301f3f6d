// Maximum spanning arborescence of a dense graph by contracting cycles, and the best tree but one.
#pragma once

#include "decode/weight.hpp"
#include "kirchhoff/types.hpp"

#include <cstddef>
#include <vector>

namespace kirchhoff::decode {

/// The graph to decode: score of head -> dependent at data[head * head_stride + dependent * dependent_stride].
struct ArcScores {
  const double* data = nullptr;
  std::ptrdiff_t head_stride = 0;
  std::ptrdiff_t dependent_stride = 0;
  int words = 0;
  Root root = Root::multi;

  double operator()(int head, int dependent) const { return data[head * head_stride + dependent * dependent_stride]; }
};

/// What one tree can be turned into: the best tree without `arc`, which is the best of all others.
struct Deviation {
  Weight loss;  ///< weight of the tree minus that of the other; impossible when there is no other
  Arc arc;
};

/// Storage that is used again for the next graph. Nodes: 0 the root, 1..n the words, then one for each contracted
/// cycle.
class Contraction {
 public:
  /// Before run(): every word's best head; reset to "any head allowed, no preference".
  std::vector<int>& start(int words);
  /// Restricts word d to one head (-1: any).
  std::vector<int>& fixed() { return fixed_; }
  /// Among trees of equal score, prefer the arcs of this one (nullptr: none). Best heads must respect it.
  void prefer(const Heads* tree) { preferred_ = tree; }

  /// Contracts and expands; false when there is no tree (for single-root: none even with several root arcs).
  bool run(const ArcScores& scores, bool keep_columns);
  const Heads& heads() const { return heads_; }
  int root_arcs() const;

  /// After run(keep_columns): the cheapest deviation. `word_alternative(d)` is the best weight of an arc into word d
  /// from a node outside d's subtree other than its head; `parallel(d)` that of another arc from the same head.
  template <class WordAlternative, class Parallel>
  Deviation best_deviation(WordAlternative word_alternative, Parallel parallel);

  /// True when node x is d or below it in the tree; valid within best_deviation.
  bool below(int x, int d) const { return first_[x] >= first_[d] && first_[x] < last_[d]; }
  Weight weight(int head, int dependent, double score) const {
    return {score, 0.0, head == 0 && scores_.root == Root::single ? 1 : 0,
            preferred_ != nullptr && (*preferred_)[dependent] == head ? 1 : 0};
  }

 private:
  struct Entry {
    Weight weight;
    int dependent = 0;
  };
  struct InArc {
    Weight weight;
    int head = 0;
    int dependent = 0;
  };

  Weight entry(int node, int head) const;
  bool grow_from(int word);
  bool contract(std::size_t first);
  void merge_word(int word, std::vector<Entry>& column);
  void merge_cycle(int cycle, std::vector<Entry>& column);
  void expand();
  void number_subtrees();
  Weight cycle_alternative(int node, int head, int dependent) const;
  Weight parallel_alternative(int node, int head, int dependent, Weight same_arc) const;
  bool is_word(int node) const { return node <= scores_.words; }

  ArcScores scores_;
  bool keep_columns_ = false;
  std::vector<int> best_head_, fixed_;
  const Heads* preferred_ = nullptr;
  // By node.
  std::vector<InArc> in_;
  std::vector<int> parent_, top_;  // top_: of words only, the node that has swallowed it
  std::vector<char> state_, dissolved_;
  // By cycle, index node - n - 1.
  std::vector<std::size_t> members_begin_;
  std::vector<int> column_of_;
  std::vector<int> members_, path_, free_columns_;
  std::vector<std::vector<Entry>> columns_;
  std::size_t columns_used_ = 0;
  Heads heads_;
  std::vector<int> first_, last_, child_, sibling_;
};

template <class WordAlternative, class Parallel>
Deviation Contraction::best_deviation(WordAlternative word_alternative, Parallel parallel) {
  number_subtrees();
  Deviation best;
  for (int node = 1; node < static_cast<int>(in_.size()); ++node) {
    if (dissolved_[node]) continue;
    const auto& [weight, head, dependent] = in_[node];
    if (fixed_[dependent] >= 0 && is_word(node)) continue;
    const Weight same_arc = fixed_[dependent] >= 0 ? Weight{} : parallel(dependent);
    Weight other = is_word(node) ? same_arc : parallel_alternative(node, head, dependent, same_arc);
    const Weight elsewhere = is_word(node) ? word_alternative(dependent) : cycle_alternative(node, head, dependent);
    if (elsewhere.possible() && better(elsewhere, other)) other = elsewhere;
    if (!other.possible()) continue;
    const Weight loss = weight - other;
    // `loss` is smaller when the other weight is better.
    if (!best.loss.possible() || better(best.loss, loss)) best = {loss, {head, dependent}};
  }
  return best;
}

}  // namespace kirchhoff::decode
