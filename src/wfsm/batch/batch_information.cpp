// Entropies and divergences of batches of machines: sums over visits of local quantities, as for one machine.
#include "base/check.hpp"
#include "kirchhoff/wfsm_expectation.hpp"
#include "wfsm/batch/batch_state.hpp"
#include "wfsm/expectation/excess.hpp"

#include <cmath>
#include <type_traits>

namespace kirchhoff {

using wfsm::Block;
using wfsm::LaneChain;
using wfsm::Lanes;
using wfsm::TrimGraph;

namespace {

using State = WfsmBatch::State;

/// The entropy of one machine of a chain in lanes: sum of visits p (-log p), where p near 1 comes from the others.
double lane_entropy(const LaneChain& chain, const std::vector<Lanes>& weights, int lane) {
  const TrimGraph& g = chain.graph();
  double sum = 0.0;
  for (int v = 0; v < g.sink(); ++v) {
    for (std::size_t a = g.begin[v]; a < g.begin[v + 1]; ++a) {
      const double p = chain.p()[a][lane];
      if (p == 0.0) continue;
      double others = 0.0;
      for (std::size_t b = g.begin[v]; b < g.begin[v + 1] && p >= 0.5; ++b) others += b == a ? 0.0 : chain.p()[b][lane];
      const double surprisal =
          p < 0.5 ? -chain.log_p(a, weights[g.arcs[a].place][lane], lane) : -std::log1p(-std::min(others, 0.5));
      sum += chain.visits()[v][lane] * p * surprisal;
    }
  }
  return sum;
}

/// The sum over visits of p of the local divergences, as in kl().
double lane_divergence(const LaneChain& p, const std::vector<Lanes>& p_weights, const LaneChain& q,
                       const std::vector<Lanes>& q_weights, int lane) {
  const TrimGraph& g = p.graph();
  double sum = 0.0;
  for (std::size_t a = 0; a < g.arcs.size(); ++a) {
    const double visits = p.visits()[g.from[a]][lane];
    if (visits == 0.0) continue;
    const double log_p = p.log_p(a, p_weights[g.arcs[a].place][lane], lane);
    const double log_q = q.log_p(a, q_weights[g.arcs[a].place][lane], lane);
    const bool p_has = p_weights[g.arcs[a].place][lane] != -HUGE_VAL && log_p > -HUGE_VAL;
    if (!p_has) {
      sum += visits * q.p()[a][lane];
      continue;
    }
    if (!(log_q > -HUGE_VAL)) return HUGE_VAL;  // also where q has no way on, and log q is not a number
    const double x = log_q - log_p;
    sum += visits * (x > 600 ? q.p()[a][lane] : p.p()[a][lane] * wfsm::excess(x));
  }
  return sum;
}

/// Calls visit(row, its machine) for every row with a trajectory, in parallel.
template <class Visit>
void for_each_machine(const State& s, Visit visit) {
  parallel_for(s.size(), s.threads, [&](std::size_t i) {
    const std::optional<Wfsm> machine = s.in_lanes ? wfsm::machine_of_row(s, i) : s.machines[i];
    if (machine) visit(static_cast<Eigen::Index>(i), *machine);
  });
}

}  // namespace

Vector entropies(const WfsmBatch& batch) {
  const State& s = *batch.state_;
  Vector result = Vector::Zero(s.log_weights.rows());
  if (!s.in_lanes) {
    parallel_for(s.size(), s.threads, [&](std::size_t i) {
      if (s.machines[i]) result(static_cast<Eigen::Index>(i)) = entropy(*s.machines[i]);
    });
    return result;
  }
  wfsm::for_each_chain(s, [&](const Block& block, const auto& chain) {
    if constexpr (std::is_same_v<std::decay_t<decltype(chain)>, LaneChain>) {
      const std::vector<Lanes> weights = wfsm::weights_in(block, s);
      for (int i = 0; i < block.count; ++i) result(block.first + i) = lane_entropy(chain, weights, i);
    }
  });
  return result;
}

Vector divergences(const WfsmBatch& p, const WfsmBatch& q) {
  const State &s = *p.state_, &t = *q.state_;
  const auto same = [](const Transition& a, const Transition& b) {
    return a.from == b.from && a.to == b.to && a.symbol == b.symbol &&
           (a.log_weight == -HUGE_VAL) == (b.log_weight == -HUGE_VAL);
  };
  const auto &a = s.skeleton.transitions(), &b = t.skeleton.transitions();
  if (s.size() != t.size() || s.graph().node != t.graph().node || s.graph().arcs.size() != t.graph().arcs.size() ||
      !std::equal(a.begin(), a.end(), b.begin(), b.end(), same)) {
    base::input_error("divergences", "the batches differ in size, or their skeletons in more than weights");
  }
  Vector result = Vector::Zero(s.log_weights.rows());
  if (!s.in_lanes) {
    parallel_for(s.size(), s.threads, [&](std::size_t i) {
      if (!s.machines[i]) return;
      result(static_cast<Eigen::Index>(i)) = t.machines[i] ? kl(*s.machines[i], *t.machines[i]) : HUGE_VAL;
    });
    return result;
  }
  parallel_for(s.lanes.size(), s.threads, [&](std::size_t g) {
    const Block block = wfsm::block_of(s, g);
    const Eigen::Index first = block.first;
    const std::vector<Lanes> x = wfsm::weights_in(block, s), y = wfsm::weights_in(block, t);
    for (int i = 0; i < block.count; ++i) {
      if (s.log_z(first + i) == -HUGE_VAL) continue;
      result(first + i) = lane_divergence(*s.lanes[g], x, *t.lanes[g], y, i);
    }
  });
  return result;
}

Vector renyi_entropies(const WfsmBatch& batch, double alpha) {
  Vector result = Vector::Zero(batch.state_->log_weights.rows());
  for_each_machine(*batch.state_, [&](Eigen::Index i, const Wfsm& machine) { result(i) = renyi(machine, alpha); });
  return result;
}

Matrix renyi_gradients(const WfsmBatch& batch, double alpha) {
  const State& s = *batch.state_;
  Matrix result = Matrix::Zero(s.log_weights.rows(), s.log_weights.cols());
  for_each_machine(s, [&](Eigen::Index i, const Wfsm& machine) {
    const WfsmWeights gradient = renyi_gradient(machine, alpha);
    Vector places(static_cast<Eigen::Index>(s.own.size()));
    places << gradient.transitions, gradient.start, gradient.final;
    result.row(i) = places.head(result.cols());
  });
  return result;
}

}  // namespace kirchhoff
