// The messages of belief propagation and the beliefs that they add up to.
#pragma once

#include "factor/graph/incidence.hpp"

#include <vector>

namespace kirchhoff::factor {

/// Sum of log-ratios, infinite ones counted apart so that they can be taken out again.
struct Total {
  double finite = 0.0;
  int plus = 0;
  int minus = 0;

  void add(double x) {
    if (numeric::is_infinite(x)) {
      ++(x > 0.0 ? plus : minus);
    } else {
      finite += x;
    }
  }
  void remove(double x) {
    if (numeric::is_infinite(x)) {
      --(x > 0.0 ? plus : minus);
    } else {
      finite -= x;
    }
  }
  bool contradicts() const { return plus > 0 && minus > 0; }
  double value() const { return plus > 0 ? HUGE_VAL : minus > 0 ? -HUGE_VAL : finite; }
};

class Beliefs {
 public:
  Beliefs(const FactorGraph& graph, const BpOptions& options);

  const Messages& messages() const { return messages_; }
  const Incidence& incidence() const { return incidence_; }
  /// No factor was left without a configuration so far.
  bool feasible() const { return feasible_; }
  /// All but the XOR factors of multi-valued variables.
  bool sends(int f) const { return graph_.values_of(graph_.edge(graph_.first_edge(f)).variable) != f; }
  double log_odds(int i) const { return against_other_values(i, totals_[i].value()); }

  /// Sums of messages from scratch: once in an iteration, so that rounding errors of the updates do not pile up.
  void sum_up();
  /// What factor f is told: log-ratios of its inputs.
  std::span<const double> gather(int f);
  /// Storage for what it answers.
  std::span<double> outgoing(int f) {
    return {fresh_.data() + graph_.first_edge(f), static_cast<std::size_t>(graph_.factor(f).arity())};
  }
  /// Its new messages, in the variables' orientation; send() sends them.
  void compute(int f);
  /// Returns how much the message differs from the one before, as a probability.
  double send(int e);

 private:
  int required_values(int f) const;
  double log_sum(int f, int without, Product product) const;
  double against_other_values(int i, double own) const;
  int make_value_messages(int e);

  const FactorGraph& graph_;
  Product product_;
  double damping_;
  Incidence incidence_;
  Messages messages_;
  std::vector<double> fresh_, q_;
  std::vector<Total> totals_;
  bool feasible_ = true;
};

}  // namespace kirchhoff::factor
