// Paths of machines that are not solved: in the tropical semiring, and in the one that counts.
//
// h_v is the log-weight of the best way from node v to the sink, found component by component from the end, and inside
// them by [Bellman58]. With these potentials an arc t from i to j costs h_i - log w_t - h_j >= 0, and the k best paths
// are those of least cost. A component with a cycle of weight above 1 never comes to rest.
#include "kirchhoff/wfsm_semiring.hpp"

#include "base/stop.hpp"
#include "wfsm/paths/make_path.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kirchhoff {
namespace {

using wfsm::Machine;
using wfsm::TrimGraph;

class BestWays {
 public:
  BestWays(const Machine& machine, const TrimGraph& graph, const Stop& stop)
      : machine_(machine), graph_(graph), to_sink_(graph.nodes(), -HUGE_VAL) {
    to_sink_[graph.sink()] = 0.0;
    for (int c = graph.components(); c-- > 0;) relax(c, stop);
  }
  std::vector<double> costs() const {
    std::vector<double> cost(graph_.arcs.size());
    for (std::size_t a = 0; a < cost.size(); ++a) cost[a] = std::max(0.0, to_sink_[graph_.from[a]] - through(a));
    return cost;
  }

 private:
  double through(std::size_t a) const {
    return wfsm::log_weight_at(machine_, graph_.arcs[a].place) + to_sink_[graph_.arcs[a].to];
  }
  /// After as many passes as there are nodes only cycles can bring more, or what was rounded: the digits of the largest
  /// number times the nodes.
  void relax(int c, const Stop& stop) {
    const int first = graph_.first[c], end = graph_.first[c + 1];
    for (int pass = 0;; ++pass) {
      base::check_stop(stop);
      double gain = 0.0, largest = 0.0;
      for (int v = end; v-- > first;) {
        for (std::size_t a = graph_.begin[v]; a < graph_.begin[v + 1]; ++a) {
          const double weight = through(a);
          if (weight == -HUGE_VAL) continue;
          largest = std::max({largest, std::abs(weight), std::abs(to_sink_[graph_.arcs[a].to])});
          if (weight <= to_sink_[v]) continue;
          gain = std::max(gain, weight - to_sink_[v]);
          to_sink_[v] = weight;
        }
      }
      if (gain == 0.0 || graph_.cyclic[c] == 0) return;
      if (pass <= end - first) continue;
      if (gain <= 4.0 * std::numeric_limits<double>::epsilon() * (end - first) * largest) return;
      wfsm::throw_infinite(machine_, graph_, first, "no trajectory is the best");
    }
  }

  const Machine& machine_;
  const TrimGraph& graph_;
  std::vector<double> to_sink_;
};

double log_count(const TrimGraph& g) {
  if (g.state.empty()) return -HUGE_VAL;
  if (std::find(g.cyclic.begin(), g.cyclic.end(), 1) != g.cyclic.end()) return HUGE_VAL;
  std::vector<numeric::Extended> count(g.nodes());
  count[g.sink()] = numeric::Extended::of(1.0, 0);
  for (int v = g.sink(); v-- > 0;) {
    for (std::size_t a = g.begin[v]; a < g.begin[v + 1]; ++a) count[v] = count[v] + count[g.arcs[a].to];
  }
  return log(count[g.source()]);
}

}  // namespace

std::vector<Path> best_paths(const WfsmBuilder& builder, int k, const Stop& stop) {
  const Machine machine = WfsmAccess::machine(builder);
  const TrimGraph graph = wfsm::trim(machine);
  if (graph.state.empty()) throw Infeasible("[best_paths] no trajectory leads from a start state to a final state");
  const BestWays ways(machine, graph, stop);
  return wfsm::list_paths(graph, ways.costs(), k, stop, [&](const std::vector<std::size_t>& arcs) {
    Path path = wfsm::follow(machine, graph, arcs);
    path.log_prob = std::numeric_limits<double>::quiet_NaN();
    return path;
  });
}

double log_trajectories(const Wfsm& machine) { return log_count(wfsm::chain_of(machine).graph()); }
double log_trajectories(const WfsmBuilder& machine) { return log_count(wfsm::trim(WfsmAccess::machine(machine))); }

}  // namespace kirchhoff
