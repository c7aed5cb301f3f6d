// The k best paths: those of least -log p, which is >= 0. O(arcs log arcs + k length log).
#include "base/check.hpp"
#include "numeric/sum.hpp"
#include "wfsm/paths/make_path.hpp"
#include "wfsm/paths/path_search.hpp"

#include <algorithm>

namespace kirchhoff {
namespace wfsm {

Path follow(const Machine& machine, const TrimGraph& g, const std::vector<std::size_t>& arcs) {
  numeric::Sum weight;
  Path path;
  path.start = g.state[g.arcs[arcs.front()].to];
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    const int place = g.arcs[arcs[i]].place;
    if (i > 0 && i + 1 < arcs.size()) path.transitions.push_back(place);
    weight.add(log_weight_at(machine, place));
  }
  path.log_weight = weight.value();
  return path;
}

Path make_path(const Wfsm& machine, const std::vector<std::size_t>& arcs) {
  Path path = follow(machine_of(machine), chain_of(machine).graph(), arcs);
  numeric::Sum probability;
  for (const std::size_t a : arcs) probability.add(log_p(machine, a));
  path.log_prob = std::min(0.0, probability.value());
  return path;
}

}  // namespace wfsm

std::vector<Path> best_paths(const Wfsm& machine, int k, const Stop& stop) {
  const wfsm::TrimGraph& graph = wfsm::chain_of(machine).graph();
  std::vector<double> cost(graph.arcs.size());
  for (std::size_t a = 0; a < cost.size(); ++a) cost[a] = std::max(0.0, -wfsm::log_p(machine, a));
  return wfsm::list_paths(graph, std::move(cost), k, stop,
                          [&](const std::vector<std::size_t>& arcs) { return wfsm::make_path(machine, arcs); });
}

}  // namespace kirchhoff
