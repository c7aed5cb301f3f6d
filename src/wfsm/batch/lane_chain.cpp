// Solving eight machines, from the sink back.
//
// e_v = exp(level) m with a whole number as level, so that levels of any size are subtracted exactly and an exponential
// has the rounding error of its log-weight alone. Without cycles one kernel does it all, m is near 1 and nothing can go
// wrong. Inside a component levels are those of the heaviest ways out, and m comes from an elimination, in which 1 -
// w_kk may lose digits: the certificate of solve.cpp says whose are gone.
#include "wfsm/batch/lane_chain.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::wfsm {
namespace {

const double* numbers(const std::vector<Lanes>& x) { return x.front().lane.data(); }
double* numbers(std::vector<Lanes>& x) { return x.front().lane.data(); }

}  // namespace

std::optional<LaneSkeleton> LaneSkeleton::make(const TrimGraph& graph) {
  LaneSkeleton skeleton{&graph, true, {}};
  skeleton.plans.resize(graph.components());
  for (int c = 0; c < graph.components(); ++c) {
    if (!graph.cyclic[c]) continue;
    std::optional<EliminationPlan> plan = EliminationPlan::make(graph, c);
    if (!plan) return std::nullopt;
    skeleton.plans[c] = std::move(*plan);
    skeleton.acyclic = false;
  }
  return skeleton;
}

LaneChain::LaneChain(const LaneSkeleton& skeleton, const std::vector<Lanes>& log_weights)
    : skeleton_(&skeleton),
      p_(graph().arcs.size()),
      visits_(graph().nodes()),
      m_(graph().nodes()),
      level_(graph().nodes()),
      rest_(graph().nodes()) {
  const TrimGraph& g = graph();
  m_[g.sink()].lane.fill(1.0);
  if (skeleton.acyclic) {
    std::vector<LaneArc> arcs;
    arcs.reserve(g.arcs.size());
    for (const TrimGraph::Arc& arc : g.arcs) arcs.push_back({arc.to, arc.place});
    solve_lanes(g.sink(), g.begin.data(), arcs.data(),
                {numbers(log_weights), numbers(p_), numbers(m_), numbers(level_), numbers(rest_)});
  } else {
    for (int c = g.components() - 1; c-- > 0;) solve_component(c, log_weights);
    factorize();
    certify();
  }
  visits_[g.source()].lane.fill(1.0);
  forward(visits_.data());
}

/// The levels of a component's nodes: the heaviest way to the sink, rounded. After as many passes as there are nodes
/// they change no more, unless there is a cycle whose weight is above 1.
void LaneChain::find_levels(int component, const std::vector<Lanes>& log_weights) {
  const TrimGraph& g = graph();
  const int first = g.first[component], last = g.first[component + 1];
  std::vector<Lanes> best(last - first);
  for (Lanes& x : best) x.lane.fill(-HUGE_VAL);
  bool changed = true;
  for (int pass = 0; changed && pass <= last - first; ++pass) {
    changed = false;
    for (int v = last; v-- > first;) {
      Lanes& mine = best[v - first];
      for (std::size_t a = g.begin[v]; a < g.begin[v + 1]; ++a) {
        const int to = g.arcs[a].to;
        const bool inside = to < last;
        if (!inside && pass > 0) continue;
        const Lanes total = inside ? best[to - first] : level_[to] + rest_[to];
        const Lanes& theta = log_weights[g.arcs[a].place];
        for (int i = 0; i < kLanes; ++i) {
          const double x = theta[i] + total[i];
          changed = changed || x > mine[i];
          mine[i] = std::max(mine[i], x);
        }
      }
    }
  }
  for (int v = first; v < last; ++v) {
    for (int i = 0; i < kLanes; ++i) {
      const double x = best[v - first][i];
      level_[v][i] = x == -HUGE_VAL ? 0.0 : std::nearbyint(x);
      m_[v][i] = x == -HUGE_VAL ? 0.0 : 1.0;  // for now: whether the sink can be reached
    }
  }
}

void LaneChain::solve_component(int component, const std::vector<Lanes>& log_weights) {
  const TrimGraph& g = graph();
  const EliminationPlan& plan = skeleton_->plans[component];
  const int first = g.first[component], last = g.first[component + 1];
  find_levels(component, log_weights);
  std::vector<Lanes> x(last - first), values(plan.slots), diagonal(last - first);
  auto slot = plan.arcs.begin();
  for (int v = first; v < last; ++v) {
    for (std::size_t a = g.begin[v]; a < g.begin[v + 1]; ++a) {
      const int to = g.arcs[a].to;
      const Lanes& theta = log_weights[g.arcs[a].place];
      for (int i = 0; i < kLanes; ++i) {
        const bool possible = m_[v][i] > 0.0 && m_[to][i] > 0.0;
        p_[a][i] = possible ? std::exp(theta[i] + (level_[to][i] - level_[v][i])) : 0.0;
      }
      if (to >= last) {
        x[v - first] += p_[a] * m_[to];
      } else {
        const EliminationPlan::Slot at = *slot++;
        (at >= 0 ? values[at] : diagonal[-1 - at]) += p_[a];
      }
    }
  }
  if (plan.size > 0) {
    const LaneElimination elimination(plan, std::move(values), std::move(diagonal), Pivot::closure);
    elimination.solve_column(x.data());
    for (int i = 0; i < kLanes; ++i) {
      if (elimination.failed(i)) error_[i] = HUGE_VAL;
    }
  }
  for (int v = first; v < last; ++v) {
    m_[v] = x[v - first];
    for (int i = 0; i < kLanes; ++i) rest_[v][i] = std::log(m_[v][i]);
    for (std::size_t a = g.begin[v]; a < g.begin[v + 1]; ++a) {
      for (int i = 0; i < kLanes && g.arcs[a].to >= last; ++i) {
        p_[a][i] = m_[v][i] > 0.0 ? p_[a][i] * m_[g.arcs[a].to][i] / m_[v][i] : 0.0;
      }
    }
  }
  for (int v = first; v < last; ++v) {
    for (std::size_t a = g.begin[v]; a < g.begin[v + 1]; ++a) {
      for (int i = 0; i < kLanes && g.arcs[a].to < last; ++i) {
        p_[a][i] = m_[v][i] > 0.0 ? p_[a][i] * m_[g.arcs[a].to][i] / m_[v][i] : 0.0;
      }
    }
  }
}

/// The factors of I - P, in which nothing is subtracted.
void LaneChain::factorize() {
  const TrimGraph& g = graph();
  eliminations_.resize(g.components());
  for (int c = 0; c < g.components(); ++c) {
    const EliminationPlan& plan = skeleton_->plans[c];
    if (plan.size == 0) continue;
    const int first = g.first[c];
    std::vector<Lanes> values(plan.slots), exits(plan.size);
    auto slot = plan.arcs.begin();
    for (std::size_t a = g.begin[first]; a < g.begin[first + plan.size]; ++a) {
      if (!g.inside(a)) {
        exits[g.from[a] - first] += p_[a];
      } else if (const EliminationPlan::Slot at = *slot++; at >= 0) {
        values[at] += p_[a];
      }
    }
    eliminations_[c] = LaneElimination(plan, std::move(values), std::move(exits), Pivot::exits);
  }
}

/// If the p_t of node v sum to 1 + r_v, then e_v is off by 1 + (P* r)_v to first order.
void LaneChain::certify() {
  const TrimGraph& g = graph();
  std::vector<Lanes> error(g.nodes());
  for (int v = 0; v < g.sink(); ++v) {
    Lanes sum;
    for (std::size_t a = g.begin[v]; a < g.begin[v + 1]; ++a) sum += p_[a];
    for (int i = 0; i < kLanes; ++i) {
      if (m_[v][i] != 0.0) error[v][i] = std::abs(sum[i] - 1.0) + kEpsilonOfSum;
    }
  }
  backward(error.data());
  for (const Lanes& e : error) {
    for (int i = 0; i < kLanes; ++i) error_[i] = e[i] <= error_[i] ? error_[i] : e[i] >= 0.0 ? e[i] : HUGE_VAL;
  }
}

void LaneChain::replace(int lane, const MarkovChain* chain) {
  const TrimGraph& g = graph();
  for (Lanes& p : p_) p[lane] = 0.0;
  for (int v = 0; v < g.sink(); ++v) {
    level_[v][lane] = 0.0;
    rest_[v][lane] = -HUGE_VAL;
  }
  for (int v = 0; v < g.sink() && chain != nullptr; ++v) {
    const TrimGraph& other = chain->graph();
    const int w = v == g.source() ? other.source() : other.node[g.state[v]];
    if (w < 0) continue;
    const double total = log(chain->total()[w]);
    level_[v][lane] = std::nearbyint(total);
    rest_[v][lane] = total - level_[v][lane];
    std::size_t a = g.begin[v];
    for (std::size_t b = other.begin[w]; b < other.begin[w + 1]; ++b) {  // in the same order
      while (g.arcs[a].place != other.arcs[b].place) ++a;
      p_[a][lane] = chain->p()[b];
    }
  }
  error_[lane] = 0.0;
  factorize();
  for (Lanes& x : visits_) x = {};
  visits_[g.source()].lane.fill(1.0);
  forward(visits_.data());
}

double LaneChain::log_p(std::size_t arc, double log_weight, int lane) const {
  if (p_[arc][lane] > 1e-290) return std::log(p_[arc][lane]);
  const int from = graph().from[arc], to = graph().arcs[arc].to;
  return log_weight + ((level_[to][lane] - level_[from][lane]) + (rest_[to][lane] - rest_[from][lane]));
}

void LaneChain::backward(Lanes* x) const {
  const TrimGraph& g = graph();
  for (int c = g.components() - 1; c-- > 0;) {
    const int first = g.first[c], last = g.first[c + 1];
    for (int v = first; v < last; ++v) {
      Lanes sum = x[v];
      for (std::size_t a = g.begin[v]; a < g.begin[v + 1]; ++a) {
        if (g.arcs[a].to >= last) sum += p_[a] * x[g.arcs[a].to];
      }
      x[v] = sum;
    }
    if (skeleton_->plans[c].size > 0) eliminations_[c].solve_column(x + first);
  }
}

void LaneChain::forward(Lanes* x) const {
  const TrimGraph& g = graph();
  for (int c = 0; c + 1 < g.components(); ++c) {
    const int first = g.first[c], last = g.first[c + 1];
    if (skeleton_->plans[c].size > 0) eliminations_[c].solve_row(x + first);
    for (int v = first; v < last; ++v) {
      const Lanes from = x[v];
      for (std::size_t a = g.begin[v]; a < g.begin[v + 1]; ++a) {
        if (g.arcs[a].to >= last) x[g.arcs[a].to] += from * p_[a];
      }
    }
  }
}

}  // namespace kirchhoff::wfsm
