// Constraint propagation with a queue of the factors that a change touches.
#include "factor/graph/propagate.hpp"

namespace kirchhoff::factor {

Propagator::Propagator(const FactorGraph& graph, const Incidence& incidence)
    : graph_(graph), incidence_(incidence), queued_(graph.factors(), 0) {}

void Propagator::wake(int variable) {
  for (const int e : incidence_.edges_of(variable)) {
    const int f = incidence_.factor_of(e);
    if (queued_[f] || graph_.factor(f).soft()) continue;
    queued_[f] = 1;
    queue_.push_back(f);
  }
}

bool Propagator::all(Fixed& fixed) {
  for (int i = 0; i < graph_.variables(); ++i) {
    if (graph_.scores()[i] == -HUGE_VAL && fixed[i] == 1) return false;
    if (graph_.scores()[i] == -HUGE_VAL) fixed[i] = 0;
    wake(i);
  }
  return run(fixed);
}

bool Propagator::after(int variable, Fixed& fixed) {
  wake(variable);
  return run(fixed);
}

bool Propagator::run(Fixed& fixed) {
  bool possible = true;
  while (!queue_.empty()) {
    const int f = queue_.back();
    queue_.pop_back();
    queued_[f] = 0;
    if (!possible) continue;  // only empties the queue
    const int first = graph_.first_edge(f);
    const int arity = graph_.factor(f).arity();
    messages_.resize(arity);
    gather_fixed(
        graph_, f, fixed, [](int) { return 0.0; }, q_);
    possible = graph_.factor(f).max_product(q_, messages_) != -HUGE_VAL;
    for (int k = 0; possible && k < arity; ++k) {
      const Literal literal = graph_.edge(first + k);
      if (fixed[literal.variable] >= 0 || !numeric::is_infinite(messages_[k])) continue;
      fixed[literal.variable] = static_cast<signed char>((messages_[k] > 0.0) != literal.negated);
      wake(literal.variable);
    }
  }
  return possible;
}

}  // namespace kirchhoff::factor
