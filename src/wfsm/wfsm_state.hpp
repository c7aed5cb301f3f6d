// What a Wfsm shares between its copies, and how the other files get at it.
#pragma once

#include "wfsm/solve/solve.hpp"

namespace kirchhoff {

struct Wfsm::State {
  wfsm::Machine machine;
  wfsm::MarkovChain chain;
  Accuracy accuracy;
  Report report;
  Vector transition_marginals;
  Vector state_visits;
};

/// The library's own modules reach what machines hold through this.
struct WfsmAccess {
  using State = Wfsm::State;
  static const State& state(const Wfsm& machine) { return *machine.state_; }
  static wfsm::Machine machine(const WfsmBuilder& builder) {
    return {static_cast<int>(builder.start_.size()), builder.transitions_, builder.start_, builder.final_,
            builder.symbols_};
  }
  static Wfsm make(wfsm::Machine machine, const wfsm::TrimGraph& graph, const Accuracy& accuracy);
};

namespace wfsm {

inline const Machine& machine_of(const Wfsm& m) { return WfsmAccess::state(m).machine; }
inline const MarkovChain& chain_of(const Wfsm& m) { return WfsmAccess::state(m).chain; }

/// All places of `weights` in one list, and back. Throws InputError when a size is wrong or a number is not finite.
std::vector<double> flatten(const char* function, const Wfsm& machine, const WfsmWeights& weights);
WfsmWeights unflatten(const Machine& machine, const std::vector<double>& places);

/// The log-probability of an arc, which is right also where p is below the smallest double.
double log_p(const Wfsm& machine, std::size_t arc);

/// The gradient of E[f], which is Cov(f, count of a place) for all places, for f given by places. Two solves.
std::vector<double> count_covariance(const MarkovChain& chain, const std::vector<double>& f);

/// A function centred to mean 0 at every node: f_t + b_j - b_i for each arc, where b_v = E[f from v on]. The sum along
/// a trajectory is f - E[f], term by term a martingale.
struct CentredFunction {
  std::vector<double> f;  ///< one number for each arc
  double mean = 0.0;      ///< E[f]
};
CentredFunction centre(const MarkovChain& chain, const std::vector<double>& f);

}  // namespace wfsm
}  // namespace kirchhoff
