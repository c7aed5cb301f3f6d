// The linear programming relaxation [Martins10, eq. 20]: one column in [0, 1] for each variable, and for each factor
// its own columns and rows. A negated input u is 1 - x.
#include "factor/graph/incidence.hpp"
#include "factor/graph/round.hpp"
#include "factor/relaxation/linear_program.hpp"
#include "kirchhoff/solve.hpp"

#include <algorithm>
#include <stdexcept>

namespace kirchhoff {
namespace {

constexpr double kIntegral = 1e-6;

lp::LinearProgram relaxed_problem(const FactorGraph& graph, bool integer) {
  lp::LinearProgram problem;
  for (const double s : graph.scores()) {
    const bool never = s == -HUGE_VAL;
    problem.columns.push_back({never ? 0.0 : s, 0.0, never ? 0.0 : 1.0, integer});
  }
  for (int f = 0; f < graph.factors(); ++f) {
    const Relaxation relaxation = graph.factor(f).relaxation();
    const int arity = graph.factor(f).arity();
    const int own = static_cast<int>(problem.columns.size()) - arity;
    for (const double cost : relaxation.costs) problem.columns.push_back({cost, 0.0, lp::kInfinity, false});
    for (const Relaxation::Row& row : relaxation.rows) {
      double shift = 0.0;
      for (const auto& [column, coefficient] : row.terms) {
        if (column >= arity) {
          problem.add_term(own + column, coefficient);
          continue;
        }
        const Literal literal = graph.edge(graph.first_edge(f) + column);
        problem.add_term(literal.variable, literal.negated ? -coefficient : coefficient);
        if (literal.negated) shift += coefficient;
      }
      problem.end_row(row.lower - shift, row.upper - shift);
    }
  }
  return problem;
}

/// Divides all costs by the largest, which is returned: the solver's tolerances are absolute.
double normalise(lp::LinearProgram& problem) {
  double largest = 0.0;
  for (const lp::LinearProgram::Column& column : problem.columns) largest = std::max(largest, std::abs(column.cost));
  if (largest == 0.0) return 1.0;
  for (lp::LinearProgram::Column& column : problem.columns) column.cost /= largest;
  return largest;
}

Status status_of(lp::Outcome outcome, const char* function) {
  switch (outcome) {
    case lp::Outcome::optimal:
      return Status::converged;
    case lp::Outcome::infeasible:
      return Status::infeasible;
    case lp::Outcome::time_limit:
      return Status::time_limit;
    case lp::Outcome::failed:
      break;
  }
  throw std::runtime_error(std::string("[") + function + "] the linear programming solver failed");
}

bool is_integral(const std::vector<double>& point) {
  return std::all_of(point.begin(), point.end(), [](double x) { return std::min(x, 1.0 - x) <= kIntegral; });
}

MapResult result_of(const FactorGraph& graph, const lp::Solution& solution, double scale, const char* function) {
  MapResult result;
  result.status = status_of(solution.outcome, function);
  result.iterations = solution.iterations;
  result.bound = result.status == Status::infeasible ? -HUGE_VAL : solution.bound * scale;
  result.value = -HUGE_VAL;
  if (solution.x.empty()) return result;
  result.point.assign(solution.x.begin(), solution.x.begin() + graph.variables());
  for (double& x : result.point) x = std::clamp(x, 0.0, 1.0);
  result.integral = is_integral(result.point);
  factor::Rounder rounder(graph);
  if (const Assignment* rounded = rounder(result.point, {})) {
    result.assignment = *rounded;
    result.value = score(graph, result.assignment);
  }
  return result;
}

}  // namespace

MapResult solve_lp(const FactorGraph& graph, const Stop& stop) {
  lp::LinearProgram problem = relaxed_problem(graph, /*integer=*/false);
  const double scale = normalise(problem);
  return result_of(graph, lp::solve_relaxed(problem, stop), scale, "solve_lp");
}

MapResult solve_ilp(const FactorGraph& graph, std::optional<double> time_limit, const Stop& stop) {
  lp::LinearProgram problem = relaxed_problem(graph, /*integer=*/true);
  const double scale = normalise(problem);
  return result_of(graph, lp::solve_integer(problem, time_limit, stop), scale, "solve_ilp");
}

}  // namespace kirchhoff
