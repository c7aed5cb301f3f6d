// Trimming by two searches, then strongly connected components [Tarjan72], numbered along the arcs. O(arcs).
#include "wfsm/machine/trim_graph.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::wfsm {
namespace {

/// A list for each state, one after the other.
struct TransitionLists {
  std::vector<std::size_t> begin;
  std::vector<int> items;
};

/// The numbers of the possible transitions, sorted by their source or by their target.
TransitionLists sorted_transitions(const Machine& m, int Transition::*key) {
  TransitionLists lists;
  lists.begin.assign(m.states + 2, 0);
  for (const Transition& t : m.transitions) lists.begin[t.*key + 2] += t.log_weight != -HUGE_VAL;
  for (int s = 0; s < m.states; ++s) lists.begin[s + 2] += lists.begin[s + 1];
  lists.items.resize(lists.begin.back());
  for (std::size_t i = 0; i < m.transitions.size(); ++i) {
    const Transition& t = m.transitions[i];
    if (t.log_weight != -HUGE_VAL) lists.items[lists.begin[t.*key + 1]++] = static_cast<int>(i);
  }
  lists.begin.pop_back();
  return lists;
}

std::vector<char> reachable(const Machine& m, const TransitionLists& lists, int Transition::*next,
                            const std::vector<double>& seeds) {
  std::vector<char> seen(m.states, 0);
  std::vector<int> stack;
  const auto visit = [&](int s) {
    if (!seen[s]) stack.push_back(s);
    seen[s] = 1;
  };
  for (int s = 0; s < m.states; ++s) {
    if (seeds[s] != -HUGE_VAL) visit(s);
  }
  while (!stack.empty()) {
    const int s = stack.back();
    stack.pop_back();
    for (std::size_t i = lists.begin[s]; i < lists.begin[s + 1]; ++i) visit(m.transitions[lists.items[i]].*next);
  }
  return seen;
}

/// Tarjan's algorithm without recursion: the last components come out first.
class StrongComponents {
 public:
  StrongComponents(const Machine& m, const TransitionLists& out, const std::vector<char>& useful)
      : m_(m), out_(out), useful_(useful), index_(m.states, 0), low_(m.states, 0), next_(out.begin), done_(m.states) {
    for (int s = 0; s < m.states; ++s) {
      if (useful[s] && index_[s] == 0) search(s);
    }
  }
  std::vector<int> order;  ///< the states, component by component
  std::vector<int> sizes;

 private:
  void enter(int s) {
    index_[s] = low_[s] = ++count_;
    path_.push_back(s);
    open_.push_back(s);
  }
  void search(int root) {
    enter(root);
    while (!path_.empty()) {
      const int s = path_.back();
      if (next_[s] < out_.begin[s + 1]) {
        const int t = m_.transitions[out_.items[next_[s]++]].to;
        if (!useful_[t] || done_[t]) continue;
        index_[t] == 0 ? enter(t) : void(low_[s] = std::min(low_[s], index_[t]));
      } else {
        path_.pop_back();
        if (!path_.empty()) low_[path_.back()] = std::min(low_[path_.back()], low_[s]);
        if (low_[s] == index_[s]) close(s);
      }
    }
  }
  void close(int s) {
    int size = 0;
    for (int t = -1; t != s; ++size) {
      t = open_.back();
      open_.pop_back();
      done_[t] = 1;
      order.push_back(t);
    }
    sizes.push_back(size);
  }

  const Machine& m_;
  const TransitionLists& out_;
  const std::vector<char>& useful_;
  std::vector<int> index_, low_;
  std::vector<std::size_t> next_;
  std::vector<char> done_;
  std::vector<int> path_, open_;
  int count_ = 0;
};

/// The source comes first, then the states along the arcs, then the sink.
void number_nodes(const StrongComponents& components, TrimGraph& graph) {
  const int useful = static_cast<int>(components.order.size());
  graph.state.assign(1, -1);
  graph.state.insert(graph.state.end(), components.order.rbegin(), components.order.rend());
  graph.state.push_back(-1);
  graph.first = {0, 1};
  for (auto size = components.sizes.rbegin(); size != components.sizes.rend(); ++size) {
    graph.first.push_back(graph.first.back() + *size);
  }
  graph.first.push_back(useful + 2);
  graph.component.resize(useful + 2);
  for (int c = 0; c < graph.components(); ++c) {
    for (int v = graph.first[c]; v < graph.first[c + 1]; ++v) graph.component[v] = c;
  }
  for (int v = 1; v <= useful; ++v) graph.node[graph.state[v]] = v;
}

void add_arcs(const Machine& m, const TransitionLists& out, TrimGraph& graph) {
  graph.arcs.reserve(out.items.size() + 2 * static_cast<std::size_t>(m.states));
  for (int v = 0; v < graph.nodes(); ++v) {
    graph.begin.push_back(graph.arcs.size());
    const int s = graph.state[v];
    for (int start = 0; v == graph.source() && start < m.states; ++start) {
      if (graph.node[start] >= 0 && m.start[start] != -HUGE_VAL) {
        graph.arcs.push_back({graph.node[start], m.start_place(start)});
      }
    }
    if (s < 0) continue;
    for (std::size_t i = out.begin[s]; i < out.begin[s + 1]; ++i) {
      const int to = graph.node[m.transitions[out.items[i]].to];
      if (to >= 0) graph.arcs.push_back({to, out.items[i]});
    }
    if (m.final[s] != -HUGE_VAL) graph.arcs.push_back({graph.sink(), m.final_place(s)});
  }
  graph.begin.push_back(graph.arcs.size());
}

}  // namespace

TrimGraph trim(const Machine& m) {
  const TransitionLists out = sorted_transitions(m, &Transition::from), in = sorted_transitions(m, &Transition::to);
  std::vector<char> useful = reachable(m, out, &Transition::to, m.start);
  const std::vector<char> ends = reachable(m, in, &Transition::from, m.final);
  for (int s = 0; s < m.states; ++s) useful[s] = useful[s] && ends[s];
  TrimGraph graph;
  graph.node.assign(m.states, -1);
  if (std::find(useful.begin(), useful.end(), 1) == useful.end()) return graph;
  number_nodes(StrongComponents(m, out, useful), graph);
  add_arcs(m, out, graph);
  graph.cyclic.assign(graph.components(), 0);
  graph.from.resize(graph.arcs.size());
  for (int v = 0; v < graph.nodes(); ++v) {
    for (std::size_t a = graph.begin[v]; a < graph.begin[v + 1]; ++a) {
      graph.from[a] = v;
      if (graph.inside(a)) graph.cyclic[graph.component[v]] = 1;
    }
  }
  return graph;
}

}  // namespace kirchhoff::wfsm
