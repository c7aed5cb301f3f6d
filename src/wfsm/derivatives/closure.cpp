// Rows of W*, the total weights of all walks between two states, in the chain's terms W*_jk = P*_jk e_j / e_k.
#include "base/check.hpp"
#include "kirchhoff/wfsm_derivatives.hpp"
#include "wfsm/derivatives/transition_walk.hpp"

#include <cmath>

namespace kirchhoff {

Matrix closure_rows(const Wfsm& machine, const std::vector<int>& states) {
  const wfsm::MarkovChain& chain = wfsm::chain_of(machine);
  const wfsm::TrimGraph& g = chain.graph();
  Matrix rows = Matrix::Zero(static_cast<Eigen::Index>(states.size()), machine.states());
  std::vector<double> visits;
  for (std::size_t r = 0; r < states.size(); ++r) {
    if (states[r] < 0 || states[r] >= machine.states()) {
      base::input_error("closure_rows", "there is no state " + std::to_string(states[r]));
    }
    const int from = g.node[states[r]];
    if (from < 0) continue;
    visits.assign(g.nodes(), 0.0);
    visits[from] = 1.0;
    chain.forward(visits.data());
    for (int v = 0; v < g.nodes(); ++v) {
      if (g.state[v] < 0) continue;
      const numeric::Extended sum = wfsm::scaled(visits[v]) * chain.total()[from] / chain.total()[v];
      rows(r, g.state[v]) = numeric::power(sum.m, sum.e);
      if (!std::isfinite(rows(r, g.state[v]))) {
        base::input_error("closure_rows", "a sum of walks is beyond the range of doubles");
      }
    }
  }
  return rows;
}

}  // namespace kirchhoff
