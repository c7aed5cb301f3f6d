// The heaviest cycle through a node of a component, for the message when Z is infinite.
//
// It comes from the longest walks from the node [Bellman58]; when they do not come to an end, the predecessors hold a
// cycle of weight above 1. O(states * arcs).
#include "wfsm/solve/solve.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace kirchhoff::wfsm {
namespace {

constexpr int kNone = -1;
constexpr int kMostPasses = 2000;  // an error message need not be perfect on huge machines
constexpr std::size_t kMostShown = 12;

class LongestWalks {
 public:
  LongestWalks(const Machine& machine, const TrimGraph& graph, int node)
      : machine_(machine), graph_(graph), best_(graph.nodes(), -HUGE_VAL), last_arc_(graph.nodes(), kNone) {
    best_[node] = 0.0;
    const int c = graph.component[node], first = graph.first[c], end = graph.first[c + 1];
    int changed = node;
    for (int pass = 0; changed != kNone && pass < std::min(end - first + 1, kMostPasses); ++pass) {
      changed = kNone;
      for (std::size_t a = graph.begin[first]; a < graph.begin[end]; ++a) {
        if (!graph.inside(a)) continue;
        const double weight = best_[graph.from[a]] + log_weight(a);
        if (graph.arcs[a].to == node) {
          if (weight > best_return_) best_return_ = weight, last_return_ = static_cast<int>(a);
        } else if (weight > best_[graph.arcs[a].to]) {
          best_[graph.arcs[a].to] = weight;
          last_arc_[graph.arcs[a].to] = static_cast<int>(a);
          changed = graph.arcs[a].to;
        }
      }
    }
    changed == kNone ? trace(last_return_, node) : trace_loop(changed);
  }
  std::vector<int> arcs;  ///< the arcs of the cycle, in order

  double log_weight(std::size_t a) const { return log_weight_at(machine_, graph_.arcs[a].place); }

 private:
  void trace(int last, int node) {
    for (int a = last; a != kNone && arcs.size() <= best_.size(); a = last_arc_[graph_.from[a]]) {
      arcs.push_back(a);
      if (graph_.from[a] == node) break;
    }
    std::reverse(arcs.begin(), arcs.end());
  }
  void trace_loop(int node) {
    for (std::size_t i = 0; i < best_.size() && last_arc_[node] != kNone; ++i) node = graph_.from[last_arc_[node]];
    trace(last_arc_[node], node);
  }

  const Machine& machine_;
  const TrimGraph& graph_;
  std::vector<double> best_;
  std::vector<int> last_arc_;
  double best_return_ = -HUGE_VAL;
  int last_return_ = kNone;
};

std::string figure(double log_weight) {
  char text[64];
  if (log_weight > 700) {
    std::snprintf(text, sizeof text, "exp(%.6g)", log_weight);
  } else {
    std::snprintf(text, sizeof text, "%.15g", std::exp(log_weight));
  }
  return text;
}

}  // namespace

void throw_infinite(const Machine& machine, const TrimGraph& graph, int node, const std::string& problem) {
  // Where the length is largest there may be no cycle, but one comes later.
  while (!graph.cyclic[graph.component[node]]) node = graph.first[graph.component[node] + 1];
  LongestWalks walks(machine, graph, node);
  const std::string state = std::to_string(graph.state[node]);
  if (walks.arcs.empty()) throw InfiniteSum("[Wfsm] " + problem + ": cycles through state " + state, 0);
  const auto lowest = std::min_element(walks.arcs.begin(), walks.arcs.end(), [&](int a, int b) {
    return graph.state[graph.from[a]] < graph.state[graph.from[b]];
  });
  std::rotate(walks.arcs.begin(), lowest, walks.arcs.end());
  const int transition = graph.arcs[walks.arcs.front()].place;
  double weight = 0.0;
  std::string cycle = std::to_string(graph.state[graph.from[walks.arcs.front()]]);
  for (std::size_t i = 0; i < walks.arcs.size(); ++i) {
    weight += walks.log_weight(walks.arcs[i]);
    const bool shown = i + 1 < kMostShown || i + 1 == walks.arcs.size();
    if (shown) cycle += " -> " + std::to_string(graph.state[graph.arcs[walks.arcs[i]].to]);
    if (i + 1 == kMostShown && !shown) cycle += " -> ...";
  }
  if (weight >= 0.0) {
    throw InfiniteSum("[Wfsm] " + problem + ": the cycle " + cycle + " has weight " + figure(weight), transition);
  }
  throw InfiniteSum("[Wfsm] " + problem + ": the cycles through state " + state +
                        " sum to 1 or more, the heaviest being " + cycle + " with weight " + figure(weight),
                    transition);
}

}  // namespace kirchhoff::wfsm
