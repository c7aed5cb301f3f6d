// AD3 as the caller sees it (solve_ad3), with branch and bound on top of it where that is asked for.
#include "factor/graph/branch.hpp"
#include "base/check.hpp"
#include "factor/ad3/ad3.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff {
namespace {

using factor::Ad3;

constexpr double kNearInteger = 1e-4;

void check_options(const FactorGraph& graph, const Ad3Options& options) {
  const auto check = [](bool good, const char* problem) {
    if (!good) base::input_error("solve_ad3", problem);
  };
  check(options.gap >= 0.0, "gap: negative or not a number");
  check(options.tolerance >= 0.0, "tolerance: negative or not a number");
  check(options.max_iterations >= 1, "max_iterations: less than 1");
  const auto fits = [](const std::vector<double>& values, int size) {
    return values.empty() || (static_cast<int>(values.size()) == size &&
                              std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); }));
  };
  check(fits(options.start, graph.edges()), "start: not a finite number for each edge");
  check(fits(options.start_point, graph.variables()), "start_point: not a finite number for each variable");
  check(!options.time_limit || *options.time_limit >= 0.0, "time_limit: negative or not a number");
}

}  // namespace

MapResult solve_ad3(const FactorGraph& graph, const Ad3Options& options) {
  check_options(graph, options);
  factor::Clock clock(options.time_limit, options.stop);
  Ad3 ad3(graph, options);
  const factor::Fixed free(graph.variables(), -1);
  MapResult result;
  result.status = ad3.run(free, clock);
  result.bound = ad3.bound();
  result.residual = ad3.residual();
  if (result.status != Status::infeasible) {
    for (const double p : ad3.point()) result.point.push_back(std::clamp(p, 0.0, 1.0));
    result.duals = ad3.duals();
  }
  const bool goes_on = result.status == Status::converged || result.status == Status::iteration_limit;
  if (options.search == Search::exact && goes_on && !ad3.is_closed(ad3.bound())) {
    result.status = factor::BranchAndBound(ad3, clock).run(result.bound);
  }
  result.iterations = ad3.iterations();
  result.assignment = ad3.best();
  result.value = ad3.value();
  result.bound = std::max(result.bound, result.value);  // which rounding may have put the other way round
  // The point that proves the value: where the gap is closed, that is the assignment.
  if (!result.assignment.empty() && ad3.is_closed(result.bound)) {
    result.point.assign(result.assignment.begin(), result.assignment.end());
  }
  result.integral = std::all_of(result.point.begin(), result.point.end(),
                                [](double p) { return std::min(p, 1.0 - p) <= kNearInteger; });
  return result;
}

}  // namespace kirchhoff
