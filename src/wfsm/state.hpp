// What a Wfsm shares between its copies, and how the other files get at it.
#pragma once

#include "wfsm/solve.hpp"

namespace kirchhoff {
namespace detail {

struct WfsmState {
  wfsm::Machine machine;
  wfsm::Chain chain;
  Accuracy accuracy;
  Report report;
  Vector transition_marginals;
  Vector state_visits;
};

struct WfsmAccess {
  static const WfsmState& state(const Wfsm& machine) { return *machine.state_; }
  static Wfsm make(wfsm::Machine machine, const wfsm::Graph& graph, const Accuracy& accuracy);
};

}  // namespace detail

namespace wfsm {

inline const Machine& machine_of(const Wfsm& m) { return detail::WfsmAccess::state(m).machine; }
inline const Chain& chain_of(const Wfsm& m) { return detail::WfsmAccess::state(m).chain; }

/// All places of `weights` in one list, and back. InputError when the sizes are wrong or, unless they may be -inf, when
/// some number is not finite.
std::vector<double> flatten(const char* function, const Wfsm& machine, const WfsmWeights& weights);
WfsmWeights unflatten(const Machine& machine, const std::vector<double>& places);

/// log p of an arc, right also where p is below the smallest double.
double log_p(const Wfsm& machine, std::size_t arc);

/// Cov(f, count of a place) for all places, f given for places: the gradient of E[f]. Two solves.
std::vector<double> count_covariance(const Chain& chain, const std::vector<double>& f);

/// f centred to mean 0 at every node: f_t + b_j - b_i for each arc, b_v = E[f from v on]. The sum along a trajectory is
/// f - E[f], term by term a martingale. E[f] itself comes with it.
struct Centred {
  std::vector<double> f;  ///< of each arc
  double mean = 0.0;
};
Centred centre(const Chain& chain, const std::vector<double>& f);

}  // namespace wfsm
}  // namespace kirchhoff
