// Linear and integer programming as the caller sees them: the relaxation, and branch and bound on top of it.
#include "base/check.hpp"
#include "factor/graph/branch.hpp"
#include "factor/relaxation/relaxed_graph.hpp"
#include "kirchhoff/solve.hpp"

#include <algorithm>

namespace kirchhoff {
namespace {

constexpr double kIntegral = 1e-6;
constexpr double kIntegralGap = 1e-11;
constexpr double kRounding = 4e-15;

/// A bound that is above the value by no more than the rounding of a score is the value.
void set_answer(const factor::RelaxedGraph& relaxed, MapResult& result) {
  result.assignment = relaxed.best();
  result.value = relaxed.value();
  if (result.bound - result.value <= kRounding * relaxed.size()) result.bound = result.value;
}

}  // namespace

MapResult solve_lp(const FactorGraph& graph, const Stop& stop) {
  factor::Clock clock({}, stop);
  factor::RelaxedGraph relaxed(graph);
  MapResult result;
  result.status = relaxed.run(factor::Fixed(graph.variables(), -1), clock);
  result.iterations = relaxed.iterations();
  result.bound = relaxed.bound();
  result.value = -HUGE_VAL;
  if (result.status == Status::infeasible) return result;
  if (result.status != Status::time_limit) result.point.assign(relaxed.point().begin(), relaxed.point().end());
  // Of a large score even a small fraction counts: an integral point has the value of an assignment.
  const double apart = result.bound - relaxed.value();
  result.integral =
      (relaxed.is_closed(result.bound) || apart <= kIntegralGap * relaxed.size()) &&
      std::all_of(result.point.begin(), result.point.end(), [](double x) { return std::min(x, 1.0 - x) <= kIntegral; });
  set_answer(relaxed, result);
  return result;
}

MapResult solve_ilp(const FactorGraph& graph, std::optional<double> time_limit, const Stop& stop) {
  if (time_limit && !(*time_limit >= 0.0)) base::input_error("solve_ilp", "time_limit: negative or not a number");
  factor::Clock clock(time_limit, stop);
  factor::RelaxedGraph relaxed(graph);
  MapResult result;
  result.status = relaxed.run(factor::Fixed(graph.variables(), -1), clock);
  result.bound = relaxed.bound();
  result.value = -HUGE_VAL;
  if (result.status == Status::infeasible) return result;
  if (result.status != Status::time_limit) {
    result.status = Status::converged;
    if (!relaxed.is_closed(result.bound)) {
      factor::BranchAndBound search(relaxed, clock);
      result.status = search.run(result.bound);
      result.iterations = search.branches();
    }
  }
  set_answer(relaxed, result);
  result.integral = result.value != -HUGE_VAL;
  result.point.assign(result.assignment.begin(), result.assignment.end());
  return result;
}

}  // namespace kirchhoff
