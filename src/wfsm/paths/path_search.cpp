// A best-first search for paths with the exact distance to the sink.
//
// Costs are >= 0, so distances to the sink come from [Dijkstra59]. Going on from i by arc t to j loses
// cost_t + h_j - h_i >= 0 against the best way on, and 0 for one arc of each node. A candidate is a prefix and the rank
// of the arc to take next, with arcs in order of loss; taking it adds two candidates: the next rank, and the best way
// on from there. They come in the order of their loss, so paths come in order, each once.
#include "wfsm/paths/path_search.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace kirchhoff::wfsm {

PathSearch::PathSearch(const TrimGraph& graph, std::vector<double> cost)
    : graph_(graph), cost_(std::move(cost)), ways_(graph.nodes()), distances_(distances()) {
  push(kStart, graph_.source(), 0, 0.0);
}

PathSearch::Distances PathSearch::distances() const {
  std::vector<std::vector<std::size_t>> in(graph_.nodes());
  for (std::size_t a = 0; a < graph_.arcs.size(); ++a) in[graph_.arcs[a].to].push_back(a);
  Distances d{std::vector<double>(graph_.nodes(), HUGE_VAL), std::vector<int>(graph_.nodes(), -1)};
  using Item = std::pair<double, int>;
  std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
  d.to_sink[graph_.sink()] = 0.0;
  queue.push({0.0, graph_.sink()});
  for (int reached = 0; !queue.empty();) {
    const int v = queue.top().second;
    queue.pop();
    if (d.rank[v] >= 0) continue;
    d.rank[v] = reached++;
    for (const std::size_t a : in[v]) {
      const double distance = cost_[a] + d.to_sink[v];
      if (distance >= d.to_sink[graph_.from[a]]) continue;
      d.to_sink[graph_.from[a]] = distance;
      queue.push({distance, graph_.from[a]});
    }
  }
  return d;
}

std::vector<std::size_t> PathSearch::next() {
  while (!queue_.empty()) {
    const Candidate c = queue_.top();
    queue_.pop();
    push(c.prefix, c.node, c.rank + 1, c.before);
    const std::size_t arc = ways_[c.node][c.rank].arc;
    prefixes_.push_back({c.prefix, arc});
    const int prefix = static_cast<int>(prefixes_.size()) - 1;
    if (graph_.arcs[arc].to == graph_.sink()) return arcs_of(prefix);
    push(prefix, graph_.arcs[arc].to, 0, c.loss);
  }
  return {};
}

const std::vector<PathSearch::Way>& PathSearch::ways(int node) {
  std::vector<Way>& ways = ways_[node];
  if (!ways.empty()) return ways;
  for (std::size_t a = graph_.begin[node]; a < graph_.begin[node + 1]; ++a) {
    const double loss = cost_[a] + distances_.to_sink[graph_.arcs[a].to] - distances_.to_sink[node];
    ways.push_back({std::max(loss, 0.0), a});
  }
  std::sort(ways.begin(), ways.end(), [&](const Way& x, const Way& y) {
    if (x.loss != y.loss) return x.loss < y.loss;
    const int rx = distances_.rank[graph_.arcs[x.arc].to], ry = distances_.rank[graph_.arcs[y.arc].to];
    return rx != ry ? rx < ry : x.arc < y.arc;
  });
  return ways;
}

void PathSearch::push(int prefix, int node, std::size_t rank, double before) {
  const std::vector<Way>& w = ways(node);
  if (rank < w.size()) queue_.push({before + w[rank].loss, serial_++, prefix, node, rank, before});
}

std::vector<std::size_t> PathSearch::arcs_of(int prefix) const {
  std::vector<std::size_t> arcs;
  for (; prefix != kStart; prefix = prefixes_[prefix].parent) arcs.push_back(prefixes_[prefix].arc);
  std::reverse(arcs.begin(), arcs.end());
  return arcs;
}

}  // namespace kirchhoff::wfsm
