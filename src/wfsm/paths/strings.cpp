// The total weight of a string.
//
// The machine's paths that read it are the paths of a product with the chain of its
// positions, and that is again a machine. Only states (position, node) that can be reached are made. O(length * arcs).
#include "base/check.hpp"
#include "kirchhoff/wfsm_semiring.hpp"
#include "wfsm/wfsm_state.hpp"

#include <cmath>

namespace kirchhoff {
namespace {

/// Weights are the chain's probabilities, so that the sum is the string's probability.
class StringProduct {
 public:
  StringProduct(const Wfsm& machine, const std::vector<int>& string)
      : machine_(machine), graph_(wfsm::chain_of(machine).graph()), string_(string) {
    here_.number.assign(graph_.nodes(), -1);
    there_.number.assign(graph_.nodes(), -1);
    product_.states = 1;  // where all final weights lead
    product_.start = {-HUGE_VAL};
    product_.final = {0.0};
    for (std::size_t a = graph_.begin[0]; a < graph_.begin[1]; ++a) {
      product_.start[number(here_, graph_.arcs[a].to)] = wfsm::log_p(machine, a);
    }
    for (std::size_t position = 0; position <= string.size(); ++position) {
      for (std::size_t i = 0; i < here_.nodes.size(); ++i) expand(here_.nodes[i], position);
      for (const int v : here_.nodes) here_.number[v] = -1;
      here_.nodes.clear();
      std::swap(here_, there_);
    }
  }
  wfsm::Machine take() { return std::move(product_); }

 private:
  /// The states of one position.
  struct Layer {
    std::vector<int> number;  ///< the number of each node, -1 when it has not been made
    std::vector<int> nodes;
  };

  int number(Layer& layer, int node) {
    if (layer.number[node] < 0) {
      layer.number[node] = product_.states++;
      layer.nodes.push_back(node);
      product_.start.push_back(-HUGE_VAL);
      product_.final.push_back(-HUGE_VAL);
    }
    return layer.number[node];
  }

  void expand(int node, std::size_t position) {
    const int from = here_.number[node];
    for (std::size_t a = graph_.begin[node]; a < graph_.begin[node + 1]; ++a) {
      const wfsm::TrimGraph::Arc arc = graph_.arcs[a];
      if (arc.to == graph_.sink()) {
        if (position == string_.size()) product_.transitions.push_back({from, 0, kEpsilon, wfsm::log_p(machine_, a)});
        continue;
      }
      const int symbol = machine_.transitions()[arc.place].symbol;
      if (symbol == kEpsilon) {
        product_.transitions.push_back({from, number(here_, arc.to), kEpsilon, wfsm::log_p(machine_, a)});
      } else if (position < string_.size() && symbol == string_[position]) {
        product_.transitions.push_back({from, number(there_, arc.to), kEpsilon, wfsm::log_p(machine_, a)});
      }
    }
  }

  const Wfsm& machine_;
  const wfsm::TrimGraph& graph_;
  const std::vector<int>& string_;
  Layer here_, there_;
  wfsm::Machine product_;
};

}  // namespace

double log_prob(const Wfsm& machine, const std::vector<int>& string) {
  for (const int symbol : string) {
    if (symbol <= kEpsilon) {
      base::input_error("log_prob", "symbol " + std::to_string(symbol) + " cannot be in a string (0 is epsilon)");
    }
  }
  const wfsm::Machine product = StringProduct(machine, string).take();
  const wfsm::TrimGraph graph = wfsm::trim(product);
  if (graph.state.empty()) return -HUGE_VAL;
  return std::min(0.0, log(wfsm::solve(product, graph, machine.accuracy()).chain.total()[0]));
}

double log_weight(const Wfsm& machine, const std::vector<int>& string) {
  return log_prob(machine, string) + machine.log_partition();
}

namespace {

std::vector<int> symbols_of(const std::vector<Transition>& transitions, const Path& path) {
  std::vector<int> symbols;
  for (const int t : path.transitions) {
    if (t < 0 || static_cast<std::size_t>(t) >= transitions.size()) {
      base::input_error("yield", "there is no transition " + std::to_string(t));
    }
    if (transitions[t].symbol != kEpsilon) symbols.push_back(transitions[t].symbol);
  }
  return symbols;
}

}  // namespace

std::vector<int> yield(const Wfsm& machine, const Path& path) { return symbols_of(machine.transitions(), path); }
std::vector<int> yield(const WfsmBuilder& machine, const Path& path) { return symbols_of(machine.transitions(), path); }

}  // namespace kirchhoff
