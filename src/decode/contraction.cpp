// Maximum spanning arborescence: follow best heads, contract each cycle met, expand at the end [Tarjan77].
//
// A contracted cycle C has one column: for each head u outside, the best arc u -> d with d in C, weighing
// w(u -> d) - w(best arc of d's member of C), so that all arcs of C but one come for free. Heads are looked up by the
// node that has swallowed them, so rows need no merging. There are at most 2n - 1 members of cycles in all, each
// read once: O(n^2).
//
// The best tree A but one [Camerini80, Zmigrod21k]: let node v be a word or cycle whose best arc y -> z is in A. Then
// A without y -> z costs the difference to the best other arc into v that does not come from below z in A; the
// smallest such difference over all v is that to the second best tree. (Let B be a best tree other than A. If B uses
// all but one arc of cycle C it is also a tree of the contracted graph. Else enter C only where B enters it first: if
// that is not A, it is at least as good as B; if it is, B differs from A inside C only, and taking over just that
// differing arc of B which is nearest the root gives a tree at least as good as B.)
#include "decode/contraction.hpp"

#include <algorithm>

namespace kirchhoff::decode {

core::BestArcs& Contraction::start(int words) {
  const std::size_t room = 2 * static_cast<std::size_t>(core::padded_size(words));
  if (fixed_.size() < room) {
    arc_.score.resize(room);
    arc_.head.resize(room);
    fixed_.resize(room);
    dependent_.resize(room);
    cycle_.resize(room);
    members_end_.resize(room);
    members_.resize(room);
    position_.resize(room);
    path_.resize(room);
  }
  std::fill_n(fixed_.begin(), 2 * words + 1, -1);
  return arc_;
}

bool Contraction::run(const core::Columns& columns, Root root) {
  columns_ = columns;
  root_ = root;
  for (int word = 1; word <= columns.words; ++word) {
    if (arc_.head[word] < 0) return false;
  }
  std::fill_n(position_.begin(), columns.stride, 0);
  position_[0] = 1;
  nodes_ = grow({columns, root, fixed_.data(), arc_.score.data(), arc_.head.data(), members_.data(),
                 members_end_.data(), position_.data(), path_.data()});
  if (nodes_ == 0) return false;
  expand();
  return root == Root::multi || std::count(heads_.begin() + 1, heads_.end(), 0) == 1;
}

/// The member through which the best arc from `head` enters a cycle.
int Contraction::entered(int cycle, int head) const {
  int best = 0;
  double top = -HUGE_VAL;
  for (int m = members_end_[cycle - 1]; m < members_end_[cycle]; ++m) {
    const int member = members_[m];
    const double value = entry(member, head) - arc_.score[member];
    best = value > top ? member : best;
    top = std::max(top, value);
  }
  return best;
}

/// From the last node to the first: a node's arc enters it at a word and displaces the best arcs of all nodes between.
void Contraction::expand() {
  heads_.assign(static_cast<std::size_t>(columns_.words) + 1, -1);
  std::fill_n(cycle_.begin(), nodes_, 0);
  for (int node = nodes_ - 1; node >= 1; --node) {
    if (cycle_[node] != 0) continue;
    int v = node;
    while (!is_word(v)) {
      const int member = entered(v, arc_.head[node]);
      cycle_[member] = v;
      v = member;
    }
    dependent_[node] = v;
    heads_[v] = arc_.head[node];
  }
}

/// Preorder numbers: x is below d when first_[d] <= first_[x] < last_[d].
void Contraction::number_subtrees() {
  const int n = columns_.words;
  child_.assign(n + 1, 0);
  sibling_.assign(n + 1, 0);
  first_.resize(n + 1);
  last_.resize(n + 1);
  for (int word = n; word >= 1; --word) {
    sibling_[word] = child_[heads_[word]];
    child_[heads_[word]] = word;
  }
  int next = 0;
  for (int node = 0;;) {
    first_[node] = next++;
    if (child_[node] != 0) {
      node = child_[node];
      continue;
    }
    last_[node] = next;
    while (node != 0 && sibling_[node] == 0) {
      node = heads_[node];
      last_[node] = next;
    }
    if (node == 0) return;
    node = sibling_[node];
  }
}

double Contraction::entry(int node, int head) const {
  return fixed_[node] < 0 || fixed_[node] == head ? columns_(head, node) : -HUGE_VAL;
}

/// Best arc into a cycle from another head than `head` and from outside the subtree of `dependent`.
double Contraction::cycle_elsewhere(int node, int head, int dependent) const {
  const double* values = columns_.of(node);
  double best = -HUGE_VAL;
  for (int u = root_ == Root::single ? 1 : 0; u <= columns_.words; ++u) {
    if (values[u] > best && u != head && !below(u, dependent)) best = values[u];
  }
  return best;
}

/// Best arc into a cycle from `head`, other than head -> dependent; `same_arc` is that arc with its next label.
double Contraction::cycle_parallel(int node, int head, int dependent, double same_arc) const {
  double best = same_arc;
  for (int v = dependent; v != node; v = cycle_[v]) {
    best -= arc_.score[v];
    for (int m = members_end_[cycle_[v] - 1]; m < members_end_[cycle_[v]]; ++m) {
      const int member = members_[m];
      if (member != v) best = std::max(best, entry(member, head) - arc_.score[member]);
    }
  }
  return best;
}

}  // namespace kirchhoff::decode
