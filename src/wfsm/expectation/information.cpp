// Entropy, KL and Renyi entropy of trajectories, and their gradients, from the chain's probabilities.
//
// Each is a sum over visits to nodes of a local quantity >= 0: H = sum_v visits_v H(p_v), KL = sum_v visits_v KL(p_v ||
// q_v). So nothing cancels. A gradient is a covariance with the counts: dH/dtheta_t = Cov(-log p, count_t).
#include "base/check.hpp"
#include "kirchhoff/wfsm_expectation.hpp"
#include "wfsm/expectation/excess.hpp"
#include "wfsm/wfsm_state.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff {
namespace {

using wfsm::chain_of;
using wfsm::machine_of;
using wfsm::TrimGraph;

/// The surprisal -log p of each arc; where p is near 1, it comes from the sum of the others.
std::vector<double> surprisals(const Wfsm& machine) {
  const TrimGraph& g = chain_of(machine).graph();
  const std::vector<double>& p = chain_of(machine).p();
  std::vector<double> result(g.arcs.size());
  for (std::size_t a = 0; a < result.size(); ++a) {
    if (p[a] < 0.5) {
      result[a] = -wfsm::log_p(machine, a);
      continue;
    }
    double others = 0.0;
    for (std::size_t b = g.begin[g.from[a]]; b < g.begin[g.from[a] + 1]; ++b) others += b == a ? 0.0 : p[b];
    result[a] = -std::log1p(-std::min(others, 0.5));
  }
  return result;
}

std::vector<double> at_places(const Wfsm& machine, const std::vector<double>& arcs) {
  std::vector<double> places(machine_of(machine).places(), 0.0);
  const TrimGraph& g = chain_of(machine).graph();
  for (std::size_t a = 0; a < arcs.size(); ++a) places[g.arcs[a].place] = arcs[a];
  return places;
}

WfsmWeights slope_of(const Wfsm& machine, const std::vector<double>& places) {
  return wfsm::unflatten(machine_of(machine), wfsm::count_covariance(chain_of(machine), places));
}

void check_skeletons(const char* function, const Wfsm& p, const Wfsm& q) {
  const auto same = [](const Transition& a, const Transition& b) {
    return a.from == b.from && a.to == b.to && a.symbol == b.symbol;
  };
  const auto &a = p.transitions(), &b = q.transitions();
  if (p.states() != q.states() || !std::equal(a.begin(), a.end(), b.begin(), b.end(), same)) {
    base::input_error(function, "the machines differ in more than weights");
  }
}

constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

/// The arc of each place.
std::vector<std::size_t> arcs_by_place(const Wfsm& machine) {
  std::vector<std::size_t> arcs(machine_of(machine).places(), kNowhere);
  const TrimGraph& g = chain_of(machine).graph();
  for (std::size_t a = 0; a < g.arcs.size(); ++a) arcs[g.arcs[a].place] = a;
  return arcs;
}

/// The machine with weights p^alpha.
Wfsm powered(const Wfsm& machine, double alpha) {
  std::vector<double> log_weights(machine_of(machine).places(), -HUGE_VAL);
  const TrimGraph& g = chain_of(machine).graph();
  const std::vector<double> surprisal = surprisals(machine);
  for (std::size_t a = 0; a < g.arcs.size(); ++a) log_weights[g.arcs[a].place] = -alpha * surprisal[a];
  return machine.with_log_weights(wfsm::unflatten(machine_of(machine), log_weights));
}

/// The arc of q for each arc of p. Throws InputError when q lacks one.
std::vector<std::size_t> shared_arcs(const char* function, const Wfsm& p, const Wfsm& q) {
  check_skeletons(function, p, q);
  const std::vector<std::size_t> q_arcs = arcs_by_place(q);
  std::vector<std::size_t> shared;
  for (const TrimGraph::Arc& arc : chain_of(p).graph().arcs) {
    shared.push_back(q_arcs[arc.place]);
    if (shared.back() == kNowhere) base::input_error(function, "it is infinite: q forbids a trajectory that p allows");
  }
  return shared;
}

WfsmWeights count_differences(const Wfsm& a, const Wfsm& b) {
  const WfsmWeights x = a.counts(), y = b.counts();
  return {x.transitions - y.transitions, x.start - y.start, x.final - y.final};
}

void check_alpha(const char* function, double alpha) {
  if (!(alpha >= 0.0 && alpha <= 1e6)) base::input_error(function, "alpha is not a number from 0 to 1e6");
}

}  // namespace

double entropy(const Wfsm& machine) {
  const wfsm::MarkovChain& chain = chain_of(machine);
  const std::vector<double> surprisal = surprisals(machine);
  double sum = 0.0;
  for (std::size_t a = 0; a < surprisal.size(); ++a) {
    sum += chain.visits()[chain.graph().from[a]] * chain.p()[a] * surprisal[a];
  }
  return sum;
}

WfsmWeights entropy_gradient(const Wfsm& machine) { return slope_of(machine, at_places(machine, surprisals(machine))); }

double kl(const Wfsm& p, const Wfsm& q) {
  check_skeletons("kl", p, q);
  const wfsm::MarkovChain &cp = chain_of(p), &cq = chain_of(q);
  const std::vector<std::size_t> q_arcs = arcs_by_place(q), p_arcs = arcs_by_place(p);
  const TrimGraph &g = cp.graph(), &gq = cq.graph();
  double sum = 0.0;
  for (std::size_t a = 0; a < g.arcs.size(); ++a) {
    const std::size_t b = q_arcs[g.arcs[a].place];
    if (b == kNowhere) return HUGE_VAL;
    const double x = wfsm::log_p(q, b) - wfsm::log_p(p, a);  // p log(p/q) - p + q = p (e^x - 1 - x)
    sum += cp.visits()[g.from[a]] * (x > 600 ? cq.p()[b] : cp.p()[a] * wfsm::excess(x));
  }
  for (std::size_t b = 0; b < gq.arcs.size(); ++b) {  // what q gives to arcs that p does not have
    const int state = gq.state[gq.from[b]];
    const int v = state < 0 ? gq.from[b] : g.node[state];
    if (p_arcs[gq.arcs[b].place] == kNowhere && v >= 0) sum += cp.visits()[v] * cq.p()[b];
  }
  return sum;
}

WfsmPairGradient kl_gradient(const Wfsm& p, const Wfsm& q) {
  const std::vector<std::size_t> q_arcs = shared_arcs("kl_gradient", p, q);
  std::vector<double> log_ratio(q_arcs.size());
  for (std::size_t a = 0; a < log_ratio.size(); ++a) log_ratio[a] = wfsm::log_p(p, a) - wfsm::log_p(q, q_arcs[a]);
  return {slope_of(p, at_places(p, log_ratio)), count_differences(q, p)};
}

double cross_entropy(const Wfsm& p, const Wfsm& q) {
  const double divergence = kl(p, q);
  return std::isinf(divergence) ? divergence : entropy(p) + divergence;
}

WfsmPairGradient cross_entropy_gradient(const Wfsm& p, const Wfsm& q) {
  const std::vector<std::size_t> q_arcs = shared_arcs("cross_entropy_gradient", p, q);
  const std::vector<double> surprisal = surprisals(q);
  std::vector<double> of_q(q_arcs.size());
  for (std::size_t a = 0; a < of_q.size(); ++a) of_q[a] = surprisal[q_arcs[a]];
  return {slope_of(p, at_places(p, of_q)), count_differences(q, p)};
}

double renyi(const Wfsm& machine, double alpha) {
  check_alpha("renyi", alpha);
  const double u = alpha - 1.0;
  if (u == 0.0) return entropy(machine);
  if (std::abs(u) < 1e-4) {  // log E[p^u] / u by cumulants of log p, unless they grow too fast
    const WfsmWeights f = wfsm::unflatten(machine_of(machine), at_places(machine, surprisals(machine)));
    const Vector k = moments(machine, f, 4).cumulants;
    if (std::abs(k(4) * u * u * u) <= 1e-12 * k(1)) return k(1) - u * (k(2) / 2 - u * (k(3) / 6 - u * k(4) / 24));
  }
  try {
    return powered(machine, alpha).log_partition() / -u;
  } catch (const InputError&) {
    if (alpha < 1.0) return HUGE_VAL;
    throw;
  }
}

WfsmWeights renyi_gradient(const Wfsm& machine, double alpha) {
  check_alpha("renyi_gradient", alpha);
  if (std::abs(alpha - 1.0) < 1e-8) return entropy_gradient(machine);
  const WfsmWeights change = count_differences(powered(machine, alpha), machine);
  const double c = alpha / (1.0 - alpha);
  return {c * change.transitions, c * change.start, c * change.final};
}

double expected_length(const Wfsm& machine) { return machine.transition_marginals().sum(); }

WfsmWeights expected_length_gradient(const Wfsm& machine) {
  std::vector<double> f(machine_of(machine).places(), 0.0);
  std::fill_n(f.begin(), machine.transitions().size(), 1.0);
  return slope_of(machine, f);
}

}  // namespace kirchhoff
