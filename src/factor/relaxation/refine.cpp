// Iterative refinement of linear programs [Gleixner16]. With x and y at hand, the error z of x is the solution of
//   maximise d.z + y.s, A z = s, row_lower - A x <= s <= row_upper - A x, lower - x <= z <= upper - x, with d = c - A'y
// and its duals are the error of y. d, A x and the bounds are computed in twice the precision of a double and scaled to
// 1 before they are rounded, so that every round adds about as many digits as the simplex method's tolerances have.
#include "factor/relaxation/refine.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kirchhoff::lp {
namespace {

/// A cost that is so many times what is at stake only says "never" or "always". Left as large as it is, it would cost
/// digits of all others.
constexpr double kLargestPenalty = 1e2;
constexpr double kLargestCost = 1e4;
/// An x so near a bound is at it.
constexpr double kAtBound = 1e-9;
constexpr double kLargestPrimalScale = 1e6;

/// The first solution's costs: of penalties no more than what makes them unaffordable.
LinearProgram with_first_costs(LinearProgram problem, double& scale) {
  double gain = 0.0, largest = 0.0;
  for (const double c : problem.cost) gain += std::max(0.0, c);
  for (double& c : problem.cost) {
    if (gain > 0.0) c = std::max(c, -kLargestPenalty * gain);
    largest = std::max(largest, std::abs(c));
  }
  scale = largest > 0.0 ? largest : 1.0;
  for (double& c : problem.cost) c /= scale;
  return problem;
}

bool is_equation(const LinearProgram& problem, int row) { return problem.row_lower[row] == problem.row_upper[row]; }

/// The same rows as equations, with a column s for each that is none.
LinearProgram as_equations(const LinearProgram& problem) {
  LinearProgram result = problem;
  result.first = {0};
  result.column.clear();
  result.value.clear();
  result.row_lower.clear();
  result.row_upper.clear();
  for (int r = 0; r < problem.rows(); ++r) {
    for (int k = problem.first[r]; k < problem.first[r + 1]; ++k) result.add_term(problem.column[k], problem.value[k]);
    if (!is_equation(problem, r)) result.add_term(result.add_column(0.0, 0.0, 0.0), -1.0);
    result.end_row(0.0, 0.0);
  }
  return result;
}

/// The same rows, which may be violated at a price of 1, and nothing else to gain or to lose.
LinearProgram as_elastic(const LinearProgram& problem) {
  LinearProgram result;
  for (int c = 0; c < problem.columns(); ++c) result.add_column(0.0, problem.lower[c], problem.upper[c]);
  for (int r = 0; r < problem.rows(); ++r) {
    for (int k = problem.first[r]; k < problem.first[r + 1]; ++k) result.add_term(problem.column[k], problem.value[k]);
    for (const double sign : {1.0, -1.0}) result.add_term(result.add_column(-1.0, 0.0, kInfinity), sign);
    result.end_row(problem.row_lower[r], problem.row_upper[r]);
  }
  return result;
}

void add_product(numeric::Sum& sum, double a, const numeric::Sum& x) {
  const double main = a * x.high;
  sum.add(main);
  sum.add(std::fma(a, x.high, -main));
  sum.add(a * x.low);
}

double difference(double bound, const numeric::Sum& x) {
  if (std::isinf(bound)) return bound;
  numeric::Sum sum;
  sum.add(bound);
  add_product(sum, -1.0, x);
  return sum.value();
}

}  // namespace

Refined::Refined(LinearProgram problem) : problem_(std::move(problem)), first_(with_first_costs(problem_, scale_)) {}

Outcome Refined::solve(factor::Clock& clock) {
  first_.problem.lower = problem_.lower;
  first_.problem.upper = problem_.upper;
  const Solution solution = first_.solve(clock);
  iterations_ += solution.iterations;
  x_.assign(solution.x.size(), {});
  duals_.assign(solution.duals.size(), {});
  for (std::size_t c = 0; c < x_.size(); ++c) {
    x_[c].add(std::clamp(solution.x[c], problem_.lower[c], problem_.upper[c]));
  }
  for (std::size_t r = 0; r < duals_.size(); ++r) duals_[r].add(solution.duals[r] * scale_);
  return solution.outcome;
}

Outcome Refined::find_ray(factor::Clock& clock) {
  if (!elastic_) elastic_.emplace(as_elastic(problem_));
  std::copy(problem_.lower.begin(), problem_.lower.end(), elastic_->problem.lower.begin());
  std::copy(problem_.upper.begin(), problem_.upper.end(), elastic_->problem.upper.begin());
  const Solution solution = elastic_->solve(clock);
  iterations_ += solution.iterations;
  duals_.assign(solution.duals.size(), {});
  for (std::size_t r = 0; r < duals_.size(); ++r) duals_[r].add(solution.duals[r]);
  return solution.outcome;
}

double Refined::Error::violation() const { return std::max({0.0, lower, -upper}); }

/// What could be gained by moving x away from where it is.
double Refined::Error::gain() const {
  if (cost > 0.0) return upper > kAtBound ? cost : 0.0;
  return lower < -kAtBound ? -cost : 0.0;
}

Refined::Error Refined::column_error(int c, const numeric::Sum& cost) const {
  return {difference(problem_.lower[c], x_[c]), difference(problem_.upper[c], x_[c]), cost.value()};
}

Refined::Error Refined::row_error(int r) const {
  const numeric::Sum a = activity(r);
  const double cost = is_equation(problem_, r) ? 0.0 : duals_[r].value();  // of s, which is fixed in an equation
  return {difference(problem_.row_lower[r], a), difference(problem_.row_upper[r], a), cost};
}

numeric::Sum Refined::activity(int row) const {
  numeric::Sum sum;
  for (int k = problem_.first[row]; k < problem_.first[row + 1]; ++k) {
    add_product(sum, problem_.value[k], x_[problem_.column[k]]);
  }
  return sum;
}

std::vector<numeric::Sum> Refined::reduced_costs() const {
  std::vector<numeric::Sum> sums(x_.size());
  for (std::size_t c = 0; c < sums.size(); ++c) sums[c].add(problem_.cost[c]);
  for (int r = 0; r < problem_.rows(); ++r) {
    for (int k = problem_.first[r]; k < problem_.first[r + 1]; ++k) {
      add_product(sums[problem_.column[k]], -problem_.value[k], duals_[r]);
    }
  }
  return sums;
}

Refined::Value Refined::value() const {
  Value result;
  numeric::Sum sum;
  for (int c = 0; c < problem_.columns(); ++c) {
    add_product(sum, problem_.cost[c], x_[c]);
    result.size += std::abs(problem_.cost[c] * x(c));
    result.violation = std::max(result.violation, column_error(c, {}).violation());
  }
  for (int r = 0; r < problem_.rows(); ++r) result.violation = std::max(result.violation, row_error(r).violation());
  result.value = sum.value();
  return result;
}

Outcome Refined::refine(factor::Clock& clock) {
  std::vector<Error> errors;
  errors.reserve(x_.size() + duals_.size());
  const std::vector<numeric::Sum> costs = reduced_costs();
  for (int c = 0; c < problem_.columns(); ++c) errors.push_back(column_error(c, costs[c]));
  for (int r = 0; r < problem_.rows(); ++r) errors.push_back(row_error(r));
  double violation = 0.0, gain = 0.0;
  for (const Error& error : errors) {
    violation = std::max(violation, error.violation());
    gain = std::max(gain, error.gain());
  }
  if (violation == 0.0 && gain == 0.0) return Outcome::failed;
  const double primal_scale = violation > 0.0 ? std::clamp(1.0 / violation, 1.0, kLargestPrimalScale) : 1.0;
  const double dual_scale = gain > 0.0 ? 1.0 / gain : 1.0;

  if (!correction_) correction_.emplace(as_equations(problem_));
  LinearProgram& correction = correction_->problem;
  const auto set_column = [&](int c, const Error& error) {
    correction.lower[c] = primal_scale * error.lower;
    correction.upper[c] = primal_scale * error.upper;
    correction.cost[c] = std::clamp(dual_scale * error.cost, -kLargestCost, kLargestCost);
  };
  for (int c = 0; c < problem_.columns(); ++c) set_column(c, errors[c]);
  int free = problem_.columns();
  for (int r = 0; r < problem_.rows(); ++r) {
    const Error& error = errors[problem_.columns() + r];
    if (is_equation(problem_, r)) {
      correction.row_lower[r] = correction.row_upper[r] = primal_scale * error.lower;
    } else {
      set_column(free++, error);
    }
  }
  const Solution solution = correction_->solve(clock);
  iterations_ += solution.iterations;
  if (solution.outcome != Outcome::optimal) return solution.outcome;
  for (int c = 0; c < problem_.columns(); ++c) x_[c].add(solution.x[c] / primal_scale);
  for (int r = 0; r < problem_.rows(); ++r) duals_[r].add(solution.duals[r] / dual_scale);
  return Outcome::optimal;
}

}  // namespace kirchhoff::lp
