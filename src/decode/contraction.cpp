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
#include <numeric>

namespace kirchhoff::decode {
namespace {

constexpr char kUnseen = 0, kOnPath = 1, kDone = 2;

}  // namespace

std::vector<int>& Contraction::start(int words) {
  const std::size_t nodes = static_cast<std::size_t>(words) + 1;
  best_head_.assign(nodes, -1);
  fixed_.assign(nodes, -1);
  return best_head_;
}

bool Contraction::run(const core::Columns& scores, Root root, bool keep_columns) {
  scores_ = scores;
  root_ = root;
  keep_columns_ = keep_columns;
  const int n = scores.words;
  in_.resize(n + 1);
  group_.resize(n + 1);
  std::iota(group_.begin(), group_.end(), 0);
  group_of_ = node_of_ = last_word_ = group_;
  size_of_.assign(n + 1, 1);
  next_word_.assign(n + 1, 0);
  parent_.assign(n + 1, 0);
  state_.assign(n + 1, kUnseen);
  state_[0] = kDone;
  members_.clear();
  members_begin_.assign(1, 0);
  slot_.clear();
  free_slots_.clear();
  path_.clear();
  slots_used_ = 0;
  nothing_.resize(static_cast<std::size_t>(scores.stride), -HUGE_VAL);
  for (int word = 1; word <= n; ++word) {
    const int head = best_head_[word];
    if (head < 0) return false;
    in_[word] = {scores(head, word), head, word};
  }
  for (int word = 1; word <= n; ++word) {
    if (!grow_from(word)) return false;
  }
  expand();
  return root == Root::multi || std::count(heads_.begin() + 1, heads_.end(), 0) == 1;
}

/// Follows best heads from a word until the root or a finished node is met.
bool Contraction::grow_from(int word) {
  int node = node_of_[group_[word]];
  while (state_[node] == kUnseen) {
    state_[node] = kOnPath;
    path_.push_back(node);
    node = node_of_[group_[in_[node].head]];
    if (state_[node] != kOnPath) continue;
    std::size_t first = path_.size() - 1;
    while (path_[first] != node) --first;
    if (!contract(first)) return false;
    node = static_cast<int>(in_.size()) - 1;
  }
  for (const int v : path_) state_[v] = kDone;
  path_.clear();
  return true;
}

int Contraction::take_slot() {
  if (!free_slots_.empty()) {
    const int slot = free_slots_.back();
    free_slots_.pop_back();
    return slot;
  }
  if (storage_.size() == slots_used_) storage_.emplace_back();
  storage_[slots_used_].take(3 * static_cast<std::size_t>(scores_.stride));
  return static_cast<int>(slots_used_++);
}

/// Makes one node of the path from position `first` on. The largest member lends its group, and its column if that is
/// not needed any more, so that each word changes its group at most log2 n times.
bool Contraction::contract(std::size_t first) {
  const int cycle = static_cast<int>(in_.size());
  int largest = path_[first];
  for (std::size_t m = first + 1; m < path_.size(); ++m) {
    if (size_of_[group_of_[path_[m]]] > size_of_[group_of_[largest]]) largest = path_[m];
  }
  const int group = group_of_[largest];
  double* values_of = values(slot_.emplace_back(start_slot(largest)));
  for (std::size_t m = first; m < path_.size(); ++m) {
    parent_[path_[m]] = cycle;
    if (path_[m] != largest) swallow(path_[m], group, values_of + 2 * scores_.stride);
  }
  const int head = merge(first, largest, values_of);
  node_of_[group] = cycle;
  group_of_.push_back(group);
  parent_.push_back(0);
  state_.push_back(kUnseen);
  if (keep_columns_) members_.insert(members_.end(), path_.begin() + static_cast<std::ptrdiff_t>(first), path_.end());
  members_begin_.push_back(static_cast<int>(members_.size()));
  path_.resize(first);
  if (head < 0) return false;
  in_.push_back({values_of[head], head, static_cast<int>(values_of[scores_.stride + head])});
  return true;
}

/// Slot for the column of a cycle with this largest member, its heads marked as inside or outside as the member's are.
int Contraction::start_slot(int member) {
  const std::ptrdiff_t size = scores_.stride;
  if (!is_word(member) && !keep_columns_) return slot(member);
  const int taken = take_slot();
  double* inside = values(taken) + 2 * size;
  if (is_word(member)) {
    std::fill_n(inside, size, 0.0);
    inside[member] = -HUGE_VAL;
  } else {
    std::copy_n(values(slot(member)) + 2 * size, size, inside);
  }
  return taken;
}

core::Column Contraction::column(int member) const {
  const double own = in_[member].weight;
  if (!is_word(member)) return {values(slot(member)), values(slot(member)) + scores_.stride, 0, own};
  return {fixed_[member] < 0 ? scores_.of(member) : nothing_.data(), nullptr, static_cast<double>(member), own};
}

/// Fills the new column; returns the head of its best arc, the root only if it must, or -1.
int Contraction::merge(std::size_t first, int largest, double* values_of) {
  const std::ptrdiff_t size = scores_.stride;
  core::Column sum = column(largest);
  const int lowest = root_ == Root::single ? 1 : 0;
  int head = -1;
  for (std::size_t m = first; m < path_.size(); ++m) {
    if (path_[m] == largest) continue;
    head = core::merge_columns(size, sum, column(path_[m]), values_of + 2 * size, values_of, values_of + size, lowest);
    sum = {values_of, values_of + size, 0, 0};
    if (!is_word(path_[m]) && !keep_columns_) free_slots_.push_back(slot(path_[m]));
  }
  return head < 0 && values_of[0] != -HUGE_VAL ? 0 : head;
}

/// The member's words join the group; arcs from them are inside it from now on.
void Contraction::swallow(int member, int group, double* inside) {
  const int old = group_of_[member];
  for (int word = old; word != 0; word = next_word_[word]) {
    group_[word] = group;
    inside[word] = -HUGE_VAL;
  }
  next_word_[last_word_[group]] = old;
  last_word_[group] = last_word_[old];
  size_of_[group] += size_of_[old];
}

/// From the last node to the first: a node's arc enters it at a word and displaces the best arcs of all nodes between.
void Contraction::expand() {
  heads_.assign(static_cast<std::size_t>(scores_.words) + 1, -1);
  dissolved_.assign(in_.size(), 0);
  for (int node = static_cast<int>(in_.size()) - 1; node >= 1; --node) {
    if (dissolved_[node]) continue;
    heads_[in_[node].dependent] = in_[node].head;
    for (int v = in_[node].dependent; v != node; v = parent_[v]) dissolved_[v] = 1;
  }
}

/// Preorder numbers: x is below d when first_[d] <= first_[x] < last_[d].
void Contraction::number_subtrees() {
  const int n = scores_.words;
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
  if (!is_word(node)) return values(slot(node))[head];
  return fixed_[node] < 0 || fixed_[node] == head ? scores_(head, node) : -HUGE_VAL;
}

/// Best arc into a cycle from another head than `head` and from outside the subtree of `dependent`.
double Contraction::cycle_elsewhere(int node, int head, int dependent) const {
  const double* column = values(slot(node));
  double best = -HUGE_VAL;
  for (int u = root_ == Root::single ? 1 : 0; u <= scores_.words; ++u) {
    if (column[u] > best && u != head && !below(u, dependent)) best = column[u];
  }
  return best;
}

/// Best arc into a cycle from `head`, other than head -> dependent; `same_arc` is that arc with its next label.
double Contraction::cycle_parallel(int node, int head, int dependent, double same_arc) const {
  double best = same_arc;
  for (int v = dependent; v != node; v = parent_[v]) {
    best -= in_[v].weight;
    const int cycle = parent_[v] - scores_.words - 1;
    for (int m = members_begin_[cycle]; m < members_begin_[cycle + 1]; ++m) {
      const int member = members_[m];
      if (member != v) best = std::max(best, entry(member, head) - in_[member].weight);
    }
  }
  return best;
}

}  // namespace kirchhoff::decode
