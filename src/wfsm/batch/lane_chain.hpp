// The Markov chains of eight machines that share a skeleton.
#pragma once

#include "wfsm/batch/lane_elimination.hpp"
#include "wfsm/batch/lanes.hpp"
#include "wfsm/machine/trim_graph.hpp"
#include "wfsm/solve/markov_chain.hpp"

#include <optional>
#include <vector>

namespace kirchhoff::wfsm {

/// What the machines of a batch share.
struct LaneSkeleton {
  const TrimGraph* graph = nullptr;
  bool acyclic = true;
  std::vector<EliminationPlan> plans;  ///< by component; those without cycles have size 0

  /// Returns nothing when a component is too large for lanes.
  static std::optional<LaneSkeleton> make(const TrimGraph& graph);
};

/// What MarkovChain is for one machine. The skeleton must outlive the chain. A machine whose arcs are all forbidden has
/// probabilities of 0.
class LaneChain {
 public:
  /// The log-weights of all places.
  LaneChain(const LaneSkeleton& skeleton, const std::vector<Lanes>& log_weights);

  /// The largest relative error of any e_v of a machine, to first order; infinite where it could not be solved so.
  double error(int lane) const { return error_[lane]; }
  /// Takes the solution of one machine from its own chain; without one the machine has no trajectory.
  void replace(int lane, const MarkovChain* chain);

  const TrimGraph& graph() const { return *skeleton_->graph; }
  const std::vector<Lanes>& p() const { return p_; }
  const std::vector<Lanes>& visits() const { return visits_; }
  /// log e_v of each node is level + rest, where the level is a whole number.
  double log_total(int node, int lane) const { return level_[node][lane] + rest_[node][lane]; }
  /// log p of an arc with this log-weight, also where p is below the smallest double.
  double log_p(std::size_t arc, double log_weight, int lane) const;

  void backward(Lanes* x) const;
  void forward(Lanes* x) const;

 private:
  void solve_component(int component, const std::vector<Lanes>& log_weights);
  void find_levels(int component, const std::vector<Lanes>& log_weights);
  void factorize();
  void certify();

  const LaneSkeleton* skeleton_;
  std::vector<Lanes> p_, visits_, m_, level_, rest_;
  std::vector<LaneElimination> eliminations_;  // by component
  Lanes error_;
};

}  // namespace kirchhoff::wfsm
