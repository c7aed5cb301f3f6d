// AD3 as the caller sees it (solve_ad3), and branch and bound on top of it: fractional variables are fixed to 0 and to
// 1, depth first, and a branch ends when its bound is not above the best assignment found [Das12].
#include "base/check.hpp"
#include "factor/ad3/ad3.hpp"

#include <algorithm>

namespace kirchhoff {
namespace {

using factor::Ad3;

constexpr double kIntegral = 1e-4;
constexpr int kBranchIterations = 500;
constexpr int kMaxBranches = 1'000'000;

struct Branch {
  factor::Fixed fixed;
  double bound = HUGE_VAL;  ///< the bound of its parent
};

/// The variable to fix next: the most fractional, and if there is none, any that is free; -1: all are fixed.
int branching_variable(std::span<const double> point, const factor::Fixed& fixed) {
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

class BranchAndBound {
 public:
  BranchAndBound(Ad3& ad3, const Ad3Options& options, factor::Clock& clock)
      : ad3_(ad3), options_(options), clock_(clock) {}

  /// Continues from a root that has been solved.
  Status run(double& bound) {
    branch(ad3_.fixed(), ad3_.bound());
    int branches = 0;
    while (!open_.empty()) {
      bound = open_bound();
      if (ad3_.is_closed(bound)) break;
      if (clock_.is_over()) return Status::time_limit;
      if (++branches > kMaxBranches) return Status::iteration_limit;
      const Branch next = std::move(open_.back());
      open_.pop_back();
      if (ad3_.is_closed(next.bound)) continue;
      const Status status = ad3_.run(next.fixed, std::min(options_.max_iterations, kBranchIterations), clock_);
      const double own = std::min(next.bound, ad3_.bound());
      if (status == Status::infeasible || ad3_.is_closed(own)) continue;
      branch(ad3_.fixed(), own);
    }
    bound = std::max(open_.empty() ? -HUGE_VAL : open_bound(), ad3_.value());
    return ad3_.value() == -HUGE_VAL ? Status::infeasible : Status::converged;
  }

 private:
  void branch(const factor::Fixed& fixed, double bound) {
    const int variable = branching_variable(ad3_.point(), fixed);
    if (variable < 0) return;  // one assignment, which rounding has tried
    const signed char likely = ad3_.point()[variable] > 0.5 ? 1 : 0;
    for (const signed char value : {static_cast<signed char>(1 - likely), likely}) {
      open_.push_back({fixed, bound});
      open_.back().fixed[variable] = value;
    }
  }

  double open_bound() const {
    double bound = ad3_.value();
    for (const Branch& open : open_) bound = std::max(bound, open.bound);
    return bound;
  }

  Ad3& ad3_;
  const Ad3Options& options_;
  factor::Clock& clock_;
  std::vector<Branch> open_;
};

void check_options(const Ad3Options& options) {
  const auto check = [](bool good, const char* problem) {
    if (!good) base::input_error("solve_ad3", problem);
  };
  check(options.gap >= 0.0, "gap: negative or not a number");
  check(options.tolerance >= 0.0, "tolerance: negative or not a number");
  check(options.max_iterations >= 1, "max_iterations: less than 1");
  check(!options.time_limit || *options.time_limit >= 0.0, "time_limit: negative or not a number");
}

}  // namespace

MapResult solve_ad3(const FactorGraph& graph, const Ad3Options& options) {
  check_options(options);
  factor::Clock clock(options.time_limit, options.stop);
  Ad3 ad3(graph, options);
  const factor::Fixed free(graph.variables(), -1);
  MapResult result;
  result.status = ad3.run(free, options.max_iterations, clock);
  result.bound = ad3.bound();
  result.residual = ad3.residual();
  if (result.status != Status::infeasible) {
    for (const double p : ad3.point()) result.point.push_back(std::clamp(p, 0.0, 1.0));
  }
  const bool goes_on = result.status == Status::converged || result.status == Status::iteration_limit;
  if (options.search == Search::exact && goes_on && !ad3.is_closed(ad3.bound())) {
    result.status = BranchAndBound(ad3, options, clock).run(result.bound);
  }
  result.integral =
      std::all_of(result.point.begin(), result.point.end(), [](double p) { return std::min(p, 1.0 - p) <= kIntegral; });
  result.iterations = ad3.iterations();
  result.assignment = ad3.best();
  result.value = ad3.value();
  return result;
}

}  // namespace kirchhoff
