// Rows of W*, the total weights of all walks between two states, in the chain's terms W*_jk = P*_jk e_j / e_k where
// trajectories visit all states, else from the weights.
#include "base/check.hpp"
#include "kirchhoff/wfsm_derivatives.hpp"
#include "wfsm/derivatives/transition_walk.hpp"

#include <string>

namespace kirchhoff {
namespace {

constexpr const char* kSum = "a sum of walks";

Matrix closure_of_weights(const wfsm::Machine& machine, const std::vector<int>& states) {
  const wfsm::AllStates all(machine);
  Matrix rows(static_cast<Eigen::Index>(states.size()), machine.states);
  for (std::size_t r = 0; r < states.size(); ++r) {
    const std::vector<wfsm::WalkSum> row = all.from(all.graph().node[states[r]]);
    for (int k = 0; k < machine.states; ++k) {
      rows(r, k) = wfsm::as_double("closure_rows", row[all.graph().node[k]], kSum);
    }
  }
  return rows;
}

}  // namespace

Matrix closure_rows(const Wfsm& machine, const std::vector<int>& states) {
  for (const int state : states) {
    if (state < 0 || state >= machine.states()) {
      base::input_error("closure_rows", "there is no state " + std::to_string(state));
    }
  }
  if (machine.useless_states() > 0) return closure_of_weights(wfsm::machine_of(machine), states);
  const wfsm::MarkovChain& chain = wfsm::chain_of(machine);
  const wfsm::TrimGraph& g = chain.graph();
  Matrix rows(static_cast<Eigen::Index>(states.size()), machine.states());
  std::vector<double> visits;
  for (std::size_t r = 0; r < states.size(); ++r) {
    const int from = g.node[states[r]];
    visits.assign(g.nodes(), 0.0);
    visits[from] = 1.0;
    chain.forward(visits.data());
    for (int v = 1; v < g.sink(); ++v) {
      const numeric::Extended sum = wfsm::scaled(visits[v]) * chain.total()[from] / chain.total()[v];
      rows(r, g.state[v]) = wfsm::as_double("closure_rows", {sum}, kSum);
    }
  }
  return rows;
}

}  // namespace kirchhoff
