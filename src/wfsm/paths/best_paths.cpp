// The k best paths, by a best-first search with the exact distance to the sink.
//
// Costs -log p are >= 0, so distances to the sink come from [Dijkstra59]. Going on from i by arc t to j loses
// cost_t + h_j - h_i >= 0 against the best way on, and 0 for one arc of each node. A candidate is a prefix and the rank
// of the arc to take next, with arcs in order of loss; taking it adds two candidates: the next rank, and the best way
// on from there. They come in the order of their loss, so paths come in order, each once. O(arcs log arcs + k length
// log).
#include "base/check.hpp"
#include "numeric/sum.hpp"
#include "wfsm/paths/make_path.hpp"

#include <algorithm>
#include <cmath>
#include <queue>

namespace kirchhoff {
namespace wfsm {

Path make_path(const Wfsm& machine, const std::vector<std::size_t>& arcs) {
  const TrimGraph& g = chain_of(machine).graph();
  numeric::Sum weight, probability;
  Path path;
  path.start = g.state[g.arcs[arcs.front()].to];
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    const int place = g.arcs[arcs[i]].place;
    if (i > 0 && i + 1 < arcs.size()) path.transitions.push_back(place);
    weight.add(log_weight_at(machine_of(machine), place));
    probability.add(log_p(machine, arcs[i]));
  }
  path.log_weight = weight.value();
  path.log_prob = std::min(0.0, probability.value());
  return path;
}

}  // namespace wfsm

namespace {

using wfsm::TrimGraph;

struct Distances {
  std::vector<double> to_sink;
  std::vector<int>
      rank;  ///< the order in which the nodes were reached from the sink: breaks ties, and cycles of cost 0
};

Distances distances(const Wfsm& machine, const std::vector<double>& cost) {
  const TrimGraph& g = wfsm::chain_of(machine).graph();
  std::vector<std::vector<std::size_t>> in(g.nodes());
  for (std::size_t a = 0; a < g.arcs.size(); ++a) in[g.arcs[a].to].push_back(a);
  Distances d{std::vector<double>(g.nodes(), HUGE_VAL), std::vector<int>(g.nodes(), -1)};
  using Item = std::pair<double, int>;
  std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
  d.to_sink[g.sink()] = 0.0;
  queue.push({0.0, g.sink()});
  for (int reached = 0; !queue.empty();) {
    const int v = queue.top().second;
    queue.pop();
    if (d.rank[v] >= 0) continue;
    d.rank[v] = reached++;
    for (const std::size_t a : in[v]) {
      const double distance = cost[a] + d.to_sink[v];
      if (distance >= d.to_sink[g.from[a]]) continue;
      d.to_sink[g.from[a]] = distance;
      queue.push({distance, g.from[a]});
    }
  }
  return d;
}

class BestPathSearch {
 public:
  explicit BestPathSearch(const Wfsm& machine)
      : graph_(wfsm::chain_of(machine).graph()), cost_(graph_.arcs.size()), ways_(graph_.nodes()) {
    for (std::size_t a = 0; a < cost_.size(); ++a) cost_[a] = std::max(0.0, -wfsm::log_p(machine, a));
    distances_ = distances(machine, cost_);
    push(kStart, graph_.source(), 0, 0.0);
  }

  /// Returns an empty list when all paths have been given.
  std::vector<std::size_t> next() {
    while (!queue_.empty()) {
      const PathCandidate c = queue_.top();
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

 private:
  static constexpr int kStart = -1;
  struct Way {
    double loss;
    std::size_t arc;
  };
  struct Prefix {
    int parent;
    std::size_t arc;
  };
  struct PathCandidate {
    double loss;
    std::size_t serial;
    int prefix, node;
    std::size_t rank;
    double before;  ///< the loss of the prefix
  };
  /// Of equal candidates the latest comes first, because it is closest to its end.
  struct Later {
    bool operator()(const PathCandidate& a, const PathCandidate& b) const {
      return a.loss != b.loss ? a.loss > b.loss : a.serial < b.serial;
    }
  };

  const std::vector<Way>& ways(int node) {
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
  void push(int prefix, int node, std::size_t rank, double before) {
    const std::vector<Way>& w = ways(node);
    if (rank < w.size()) queue_.push({before + w[rank].loss, serial_++, prefix, node, rank, before});
  }
  std::vector<std::size_t> arcs_of(int prefix) const {
    std::vector<std::size_t> arcs;
    for (; prefix != kStart; prefix = prefixes_[prefix].parent) arcs.push_back(prefixes_[prefix].arc);
    std::reverse(arcs.begin(), arcs.end());
    return arcs;
  }

  const TrimGraph& graph_;
  std::vector<double> cost_;
  std::vector<std::vector<Way>> ways_;
  Distances distances_;
  std::vector<Prefix> prefixes_;
  std::priority_queue<PathCandidate, std::vector<PathCandidate>, Later> queue_;
  std::size_t serial_ = 0;
};

}  // namespace

std::vector<Path> best_paths(const Wfsm& machine, int k, const Stop& stop) {
  if (k < 0) base::input_error("best_paths", "k is negative");
  std::vector<Path> paths;
  if (k == 0) return paths;
  BestPathSearch search(machine);
  while (static_cast<int>(paths.size()) < k) {
    const std::vector<std::size_t> arcs = search.next();
    if (arcs.empty()) break;
    paths.push_back(wfsm::make_path(machine, arcs));
    if (stop && stop()) break;
  }
  return paths;
}

}  // namespace kirchhoff
