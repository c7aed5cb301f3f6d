// Expected products of counts, and the probability that a trajectory uses one of some transitions.
//
// In the chain's terms the orders of m uses have the weight visits_i1 p_1 P*_j1i2 p_2 ... p_m. Their sum over all
// orders of a content is the expected product of binomials C(count, uses), so that falling factorials of counts are a
// factorial away, and powers of counts are sums of falling factorials (Stirling numbers of the second kind). All terms
// are positive.
#include "base/check.hpp"
#include "kirchhoff/wfsm_expectation.hpp"
#include "wfsm/derivatives/transition_walk.hpp"

#include <cmath>

namespace kirchhoff {
namespace {

using numeric::Extended;

/// Stirling numbers S(n, 0) .. S(n, n), times k!: how many ways there are to map n things onto k.
std::vector<Extended> surjections(std::size_t n) {
  std::vector<Extended> row = {Extended::of(1.0, 0)};
  for (std::size_t i = 1; i <= n; ++i) {
    std::vector<Extended> next(i + 1);
    for (std::size_t k = 1; k <= i; ++k) {
      next[k] = Extended::of(static_cast<double>(k), 0) * (row[k - 1] + (k < i ? row[k] : Extended{}));
    }
    row = std::move(next);
  }
  return row;
}

/// The number of a state's node from which the chain goes on, for the total weight of its paths to the end.
double log_total(const Wfsm& machine, int state) {
  const wfsm::MarkovChain& chain = wfsm::chain_of(machine);
  return log(chain.total()[chain.graph().node[state]]);
}

}  // namespace

double joint_count(const Wfsm& machine, const std::vector<int>& transitions) {
  const wfsm::MarkovChain& chain = wfsm::chain_of(machine);
  const wfsm::TrimGraph& g = chain.graph();
  std::vector<double> p(machine.transitions().size(), 0.0);
  for (std::size_t a = 0; a < g.arcs.size(); ++a) {
    if (static_cast<std::size_t>(g.arcs[a].place) < p.size()) p[g.arcs[a].place] = chain.p()[a];
  }
  wfsm::TransitionWalk walk("joint_count", machine, transitions);
  walk.follow_chain(machine, [&](int t) { return wfsm::scaled(p[t]); });
  const wfsm::OrderSums sums = walk.sums();
  std::vector<std::vector<Extended>> ways;
  for (const auto& used : sums.used()) ways.push_back(surjections(used.count));
  Extended total;
  for (std::size_t content = 1; content < sums.contents(); ++content) {
    Extended product = sums.sum(content).value;
    for (std::size_t i = 0; i < ways.size() && !product.is_zero(); ++i) {
      product = product * ways[i][sums.uses(content, i)];
    }
    total = total + product;
  }
  const double result = numeric::power(total.m, total.e);
  if (!std::isfinite(result)) base::input_error("joint_count", "the expectation is beyond the range of doubles");
  return result;
}

double contains_probability(const Wfsm& machine, const std::vector<int>& transitions) {
  const std::vector<int>& node = wfsm::chain_of(machine).graph().node;
  const int size = static_cast<int>(machine.transitions().size());
  std::vector<char> wanted(machine.transitions().size(), 0);
  for (const int t : transitions) {
    if (t < 0 || t >= size) base::input_error("contains_probability", "there is no transition " + std::to_string(t));
    wanted[t] = 1;
  }
  // The first use ends the trajectory in a state of its own, with the weight of all that may follow: Z stays as it is.
  WfsmBuilder builder;
  builder.add_states(machine.states());
  const int found = builder.add_state();
  builder.set_final(found);
  const WfsmWeights weights = machine.log_weights();
  for (int i = 0; i < machine.states(); ++i) {
    if (node[i] >= 0) builder.set_start(i, weights.start(i)).set_final(i, weights.final(i));
  }
  for (int t = 0; t < size; ++t) {
    Transition transition = machine.transitions()[t];
    if (node[transition.from] < 0 || node[transition.to] < 0) continue;
    if (wanted[t]) {
      transition.log_weight += log_total(machine, transition.to);
      transition.to = found;
    }
    builder.add_transition(transition);
  }
  return std::min(builder.build(machine.accuracy()).state_visits()(found), 1.0);
}

}  // namespace kirchhoff
