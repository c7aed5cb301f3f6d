// From arcs of the graph to the Path of the public header.
#pragma once

#include "base/check.hpp"
#include "base/stop.hpp"
#include "wfsm/paths/path_search.hpp"
#include "wfsm/wfsm_state.hpp"

#include <utility>

namespace kirchhoff::wfsm {

/// The path that follows `arcs` from the source to the sink, with its weight and without its probability.
Path follow(const Machine& machine, const TrimGraph& graph, const std::vector<std::size_t>& arcs);
/// The same with its probability.
Path make_path(const Wfsm& machine, const std::vector<std::size_t>& arcs);

/// The k paths of least cost, each of them made by make(arcs).
template <class Make>
std::vector<Path> list_paths(const TrimGraph& graph, std::vector<double> cost, int k, const Stop& stop, Make make) {
  if (k < 0) base::input_error("best_paths", "k is negative");
  std::vector<Path> paths;
  if (k == 0) return paths;
  PathSearch search(graph, std::move(cost));
  while (static_cast<int>(paths.size()) < k) {
    const std::vector<std::size_t> arcs = search.next();
    if (arcs.empty()) break;
    paths.push_back(make(arcs));
    if (base::stops(stop)) break;
  }
  return paths;
}

}  // namespace kirchhoff::wfsm
