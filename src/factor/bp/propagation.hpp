// Belief propagation as an iteration: which factor is updated when, and when it is enough.
#pragma once

#include "factor/bp/beliefs.hpp"
#include "factor/bp/heap.hpp"

#include <optional>
#include <vector>

namespace kirchhoff::factor {

class Propagation {
 public:
  /// Both must outlive the propagation.
  Propagation(const FactorGraph& graph, const BpOptions& options, const std::vector<double>& counting = {});

  /// Iterates until the tolerance is met or a limit is reached, which it is too when messages grow beyond all measure.
  Status run();

  Beliefs& beliefs() { return beliefs_; }
  bool is_acyclic();
  int iterations() const { return iterations_; }
  double residual() const { return residual_; }
  /// The probability of each variable being 1, after run().
  const std::vector<double>& marginals() const { return marginals_; }

 private:
  double iterate();
  double flood();
  double sweep();
  double sweep_variables();
  double update_by_residual();
  double send_all(int f);
  double send(int e);
  void wake(int i, int f, double change);
  double update_marginals();

  const FactorGraph& graph_;
  const BpOptions& options_;
  Beliefs beliefs_;
  std::optional<Heap> heap_;  ///< only the residual schedule has one
  std::vector<double> marginals_, before_;
  std::vector<int> computed_for_;  ///< by factor, the variable it was computed for last; empty unless it is convex
  std::optional<bool> acyclic_;
  double highest_message_ = HUGE_VAL;
  int iterations_ = 0;
  double residual_ = 0.0;
  double difference_ = 0.0;   ///< the largest of messages in this iteration, rounding errors included
  double change_ = HUGE_VAL;  ///< what that comes to, of the last iteration
};

}  // namespace kirchhoff::factor
