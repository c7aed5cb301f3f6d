// Branch and bound on top of a relaxation: fractional variables are fixed to 0 and to 1, depth first, and a branch ends
// when its bound is not above the best assignment found [Das12].
#pragma once

#include "factor/graph/clock.hpp"
#include "factor/graph/propagate.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace kirchhoff::factor {

/// The relaxation answers, like Ad3: run(fixed, clock), which solves it with variables fixed; then bound(), point() and
/// fixed(), with what follows from what was fixed; and of all runs together value(), that of the best assignment found,
/// and is_closed(bound), which says that nothing below the bound is worth looking for.
template <class Relaxed>
class BranchAndBound {
 public:
  BranchAndBound(Relaxed& relaxed, Clock& clock) : relaxed_(relaxed), clock_(clock) {}

  /// Continues from a root that has been solved, and writes a bound that holds.
  Status run(double& bound) {
    branch(relaxed_.fixed(), relaxed_.bound());
    while (!open_.empty()) {
      bound = open_bound();
      if (relaxed_.is_closed(bound)) return Status::converged;
      if (clock_.is_over()) return Status::time_limit;
      if (++branches_ > kMaxBranches) return Status::iteration_limit;
      const Branch next = std::move(open_.back());
      open_.pop_back();
      double own = next.bound;
      if (!relaxed_.is_closed(own)) {
        if (relaxed_.run(next.fixed, clock_) == Status::infeasible) continue;
        own = std::min(own, relaxed_.bound());
      }
      if (relaxed_.is_closed(own)) {
        closed_ = std::max(closed_, own);
      } else {
        branch(relaxed_.fixed(), own);
      }
    }
    bound = open_bound();
    return relaxed_.value() == -HUGE_VAL ? Status::infeasible : Status::converged;
  }
  int branches() const { return branches_; }

 private:
  static constexpr int kMaxBranches = 1'000'000;

  struct Branch {
    Fixed fixed;
    double bound = HUGE_VAL;  ///< the bound of its parent
  };

  /// The variable to fix next: the most fractional, and if there is none, any that is free; -1: all are fixed.
  static int branching_variable(std::span<const double> point, const Fixed& fixed) {
    int variable = -1;
    double highest = -1.0;
    for (std::size_t i = 0; i < point.size(); ++i) {
      const double fraction = std::min(point[i], 1.0 - point[i]);
      if (fixed[i] >= 0 || fraction <= highest) continue;
      highest = fraction;
      variable = static_cast<int>(i);
    }
    return variable;
  }

  void branch(const Fixed& fixed, double bound) {
    const int variable = branching_variable(relaxed_.point(), fixed);
    if (variable < 0) return;  // one assignment, which has been tried
    const signed char likely = relaxed_.point()[variable] > 0.5 ? 1 : 0;
    for (const signed char value : {static_cast<signed char>(1 - likely), likely}) {
      open_.push_back({fixed, bound});
      open_.back().fixed[variable] = value;
    }
  }

  /// Of all assignments: those of branches that are open, or were closed.
  double open_bound() const {
    double bound = std::max(relaxed_.value(), closed_);
    for (const Branch& open : open_) bound = std::max(bound, open.bound);
    return bound;
  }

  Relaxed& relaxed_;
  Clock& clock_;
  std::vector<Branch> open_;
  double closed_ = -HUGE_VAL;  ///< the highest bound of a branch that was not worth going on with
  int branches_ = 0;
};

}  // namespace kirchhoff::factor
