// Maximum spanning arborescence: follow best heads, contract each cycle met, expand at the end [Tarjan77, Camerini79].
//
// A contracted cycle C has one column: for each head u outside, the best arc u -> d with d in C, weighing
// w(u -> d) - w(best arc of d's member of C), so that all arcs of C but one come for free. Heads are looked up by the
// node that has swallowed them, so rows need no merging. Reading the columns of all members of all cycles costs
// O(n (members)) = O(n^2), usually far less: only words on cycles are ever looked at again.
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
namespace {

constexpr char kUnseen = 0, kOnPath = 1, kDone = 2;

}  // namespace

std::vector<int>& Contraction::start(int words) {
  const std::size_t nodes = static_cast<std::size_t>(words) + 1;
  best_head_.assign(nodes, -1);
  fixed_.assign(nodes, -1);
  preferred_ = nullptr;
  return best_head_;
}

bool Contraction::run(const ArcScores& scores, bool keep_columns) {
  scores_ = scores;
  keep_columns_ = keep_columns;
  const int n = scores.words;
  in_.resize(n + 1);
  parent_.assign(n + 1, 0);
  top_.resize(n + 1);
  state_.assign(n + 1, kUnseen);
  state_[0] = kDone;
  members_.clear();
  members_begin_.assign(1, 0);
  column_of_.clear();
  free_columns_.clear();
  columns_used_ = 0;
  path_.clear();
  top_[0] = 0;
  for (int word = 1; word <= n; ++word) {
    const int head = best_head_[word];
    const double score = head < 0 ? -HUGE_VAL : scores(head, word);
    if (score == -HUGE_VAL) return false;
    in_[word] = {weight(head, word, score), head, word};
    top_[word] = word;
  }
  for (int word = 1; word <= n; ++word) {
    if (!grow_from(word)) return false;
  }
  expand();
  return true;
}

/// Follows best heads from a word until the root or a finished node is met.
bool Contraction::grow_from(int word) {
  int node = top_[word];
  while (state_[node] == kUnseen) {
    state_[node] = kOnPath;
    path_.push_back(node);
    node = top_[in_[node].head];
    if (state_[node] != kOnPath) continue;
    const auto cycle = std::find(path_.rbegin(), path_.rend(), node);
    if (!contract(path_.size() - 1 - static_cast<std::size_t>(cycle - path_.rbegin()))) return false;
    node = static_cast<int>(in_.size()) - 1;
  }
  for (const int v : path_) state_[v] = kDone;
  path_.clear();
  return true;
}

/// Makes one node of the path from position `first` on.
bool Contraction::contract(std::size_t first) {
  const int cycle = static_cast<int>(in_.size());
  const auto members_from = members_.size();
  members_.insert(members_.end(), path_.begin() + static_cast<std::ptrdiff_t>(first), path_.end());
  members_begin_.push_back(members_.size());
  path_.resize(first);
  for (std::size_t m = members_from; m < members_.size(); ++m) parent_[members_[m]] = cycle;
  for (int word = 1; word <= scores_.words; ++word) {
    if (parent_[top_[word]] == cycle) top_[word] = cycle;
  }
  parent_.push_back(0);
  state_.push_back(kUnseen);

  int slot = static_cast<int>(columns_used_);
  if (free_columns_.empty()) {
    ++columns_used_;
    if (columns_.size() < columns_used_) columns_.emplace_back();
  } else {
    slot = free_columns_.back();
    free_columns_.pop_back();
  }
  std::vector<Entry>& column = columns_[slot];
  column.assign(static_cast<std::size_t>(scores_.words) + 1, {});
  column_of_.push_back(slot);
  for (std::size_t m = members_from; m < members_.size(); ++m) {
    const int member = members_[m];
    is_word(member) ? merge_word(member, column) : merge_cycle(member, column);
    if (!is_word(member) && !keep_columns_) free_columns_.push_back(column_of_[member - scores_.words - 1]);
  }
  InArc best;
  for (int head = 0; head <= scores_.words; ++head) {
    const Entry& e = column[head];
    if (e.weight.possible() && better(e.weight, best.weight)) best = {e.weight, head, e.dependent};
  }
  in_.push_back(best);
  return best.weight.possible();
}

void Contraction::merge_word(int word, std::vector<Entry>& column) {
  const int cycle = parent_[word];
  const Weight own = in_[word].weight;
  const int from = fixed_[word] < 0 ? 0 : fixed_[word];
  const int to = fixed_[word] < 0 ? scores_.words : fixed_[word];
  for (int head = from; head <= to; ++head) {
    const double score = scores_(head, word);
    if (score == -HUGE_VAL || top_[head] == cycle) continue;
    const Weight adjusted = weight(head, word, score) - own;
    if (better(adjusted, column[head].weight)) column[head] = {adjusted, word};
  }
}

void Contraction::merge_cycle(int member, std::vector<Entry>& column) {
  const int cycle = parent_[member];
  const Weight own = in_[member].weight;
  const std::vector<Entry>& source = columns_[column_of_[member - scores_.words - 1]];
  for (int head = 0; head <= scores_.words; ++head) {
    const Entry& e = source[head];
    if (!e.weight.possible() || top_[head] == cycle) continue;
    const Weight adjusted = e.weight - own;
    if (better(adjusted, column[head].weight)) column[head] = {adjusted, e.dependent};
  }
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

int Contraction::root_arcs() const { return static_cast<int>(std::count(heads_.begin() + 1, heads_.end(), 0)); }

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

Weight Contraction::entry(int node, int head) const {
  if (!is_word(node)) return columns_[column_of_[node - scores_.words - 1]][head].weight;
  const double score = fixed_[node] < 0 || fixed_[node] == head ? scores_(head, node) : -HUGE_VAL;
  return score == -HUGE_VAL ? Weight{} : weight(head, node, score);
}

/// Best arc into a cycle from another head than `head` and from outside the subtree of `dependent`.
Weight Contraction::cycle_alternative(int node, int head, int dependent) const {
  const std::vector<Entry>& column = columns_[column_of_[node - scores_.words - 1]];
  Weight best;
  for (int u = 0; u <= scores_.words; ++u) {
    const Weight& w = column[u].weight;
    if (w.possible() && u != head && better(w, best) && !below(u, dependent)) best = w;
  }
  return best;
}

/// Best arc into a cycle from `head`, other than head -> dependent; `same_arc` is that arc with its next label.
Weight Contraction::parallel_alternative(int node, int head, int dependent, Weight same_arc) const {
  Weight best = same_arc;
  for (int v = dependent; v != node; v = parent_[v]) {
    if (best.possible()) best = best - in_[v].weight;
    const int cycle = parent_[v];
    const std::size_t index = static_cast<std::size_t>(cycle - scores_.words - 1);
    for (std::size_t m = members_begin_[index]; m < members_begin_[index + 1]; ++m) {
      const int member = members_[m];
      if (member == v) continue;
      const Weight w = entry(member, head);
      if (!w.possible()) continue;
      const Weight adjusted = w - in_[member].weight;
      if (better(adjusted, best)) best = adjusted;
    }
  }
  return best;
}

}  // namespace kirchhoff::decode
