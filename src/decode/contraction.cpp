// Maximum spanning arborescence: follow best heads, contract each cycle met, expand at the end [Tarjan77].
//
// A contracted cycle C has one column: for each head u outside, the best arc u -> d with d in C, weighing
// w(u -> d) - w(best arc of d's member of C), so that all arcs of C but one come for free (grow.cpp). Through which
// member an arc enters is not kept: when C is expanded, the members are asked again, for one head. There are at most
// 2n - 1 members of cycles in all: O(n^2).
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

std::vector<ContractionNode>& Contraction::start(int words) {
  const std::size_t room = 2 * static_cast<std::size_t>(decode::padded_size(words));
  if (fixed_.size() < room) {
    node_.resize(room);
    entry_.resize(room);
    cycle_.resize(room);
    members_end_.resize(room);
    members_.resize(room);
    position_.resize(room);
    path_.resize(room);
    fixed_.resize(room);  // The last one tells that all have room, also after one of them got no memory.
  }
  std::fill_n(fixed_.begin(), words + 1, -1);
  return node_;
}

bool Contraction::best(const Columns& columns, Root root) {
  if (root == Root::multi) return run(columns, root);
  from_words_.assign(node_.begin(), node_.begin() + columns.words + 1);
  int below_root = 0;
  for (int word = 1; word <= columns.words; ++word) {
    const double from_root = columns(0, word);
    if (from_root > node_[word].weight) {
      node_[word].weight = from_root;
      node_[word].head = 0;
      ++below_root;
    }
  }
  // A word that prefers the root hangs from it in the best tree of all: an arc from the root closes no cycle.
  if (below_root <= 1 && run(columns, Root::multi, true)) return true;
  std::copy(from_words_.begin(), from_words_.end(), node_.begin());
  return run(columns, root);
}

bool Contraction::run(const Columns& columns, Root root, bool one_child) {
  columns_ = columns;
  root_ = root;
  heads_.resize(static_cast<std::size_t>(columns.words) + 1);
  for (int word = 1; word <= columns.words; ++word) {
    if (node_[word].head < 0) return false;
    heads_[word] = node_[word].head;
    node_[word].values = columns.of(fixed_[word] < 0 ? word : 0);  // in a cycle, the only arc of a fixed word is inside
  }
  std::fill_n(position_.begin(), columns.stride, 0);
  position_[0] = 1;
  nodes_ = grow(
      {columns, root, one_child, node_.data(), members_.data(), members_end_.data(), position_.data(), path_.data()});
  if (nodes_ == 0) return false;
  expand();
  return true;
}

/// Goes from the last cycle to the first: the arc into a cycle displaces that of the member it enters.
void Contraction::expand() {
  const int n = columns_.words;
  for (int cycle = nodes_ - 1; cycle > n; --cycle) {
    const int head = node_[cycle].head;
    const auto value = [&](int member) { return node_[member].values[head] - node_[member].weight; };
    int m = members_end_[cycle - 1], entry = members_[m];
    double top = value(entry);
    while (++m < members_end_[cycle]) {
      const double other = value(members_[m]);
      entry = other >= top ? members_[m] : entry;  // of equal members the lowest on the path
      top = std::max(top, other);
    }
    entry_[cycle] = entry;
    node_[entry].head = head;
    heads_[is_word(entry) ? entry : 0] = head;
  }
  heads_[0] = -1;
}

/// The word at which the tree enters a node.
int Contraction::dependent(int node) const {
  while (!is_word(node)) node = entry_[node];
  return node;
}

/// Numbers the tree in preorder, so that x is below d when first_[d] <= first_[x] < last_[d].
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

/// The best arc into a cycle from another head than `head` and from outside the subtree of `dependent`.
double Contraction::cycle_elsewhere(int node, int head, int dependent) const {
  const double* values = columns_.of(node);
  double best = -HUGE_VAL;
  for (int u = root_ == Root::single ? 1 : 0; u <= columns_.words; ++u) {
    if (values[u] > best && u != head && !below(u, dependent)) best = values[u];
  }
  return best;
}

/// The best arc into a cycle from `head`, other than head -> dependent; `same_arc` is that arc with its next label.
double Contraction::cycle_parallel(int node, int head, int dependent, double same_arc) const {
  double best = same_arc;
  for (int v = dependent; v != node; v = cycle_[v]) {
    best -= node_[v].weight;
    for (int m = members_end_[cycle_[v] - 1]; m < members_end_[cycle_[v]]; ++m) {
      const int member = members_[m];
      if (member != v) best = std::max(best, node_[member].values[head] - node_[member].weight);
    }
  }
  return best;
}

}  // namespace kirchhoff::decode
