// The relaxation as a linear program: one column in [0, 1] for each variable, and for each factor its own columns and
// rows; a negated input u is 1 - x. A solver's duals tell what part q of a variable's score each factor gets: the sum
// over the factor's rows of dual times coefficient. The bound that these parts prove (certificate.hpp) must meet the
// value of the solver's x, or the linear program is solved to more digits until it does.
#include "factor/relaxation/relaxed_graph.hpp"

#include <algorithm>

namespace kirchhoff::factor {
namespace {

constexpr double kGap = 1e-12;          // between bound and value, relative to the sizes of what is added up, at most
constexpr double kLastDigits = 4e-15;   // the same where the bound's own rounding errors do not ask for more
constexpr double kRoundingGap = 1e-10;  // the same for the relaxation, where it is for rounding errors of the bound
constexpr double kNothing = 1e-9;       // relative to the smallest score
constexpr double kViolation = 1e-9;     // of rows and bounds by x
constexpr int kRounds = 20;             // of refinement; each adds six digits or so

/// Also says which edge each of its terms belongs to.
lp::LinearProgram relaxed_problem(const FactorGraph& graph, std::vector<int>& edge_of_term) {
  lp::LinearProgram problem;
  for (const double s : graph.scores()) {
    const bool never = s == -HUGE_VAL;
    problem.add_column(never ? 0.0 : s, 0.0, never ? 0.0 : 1.0);
  }
  for (int f = 0; f < graph.factors(); ++f) {
    const Relaxation relaxation = graph.factor(f).relaxation();
    const int arity = graph.factor(f).arity();
    const int own = problem.columns() - arity;
    for (const double cost : relaxation.costs) problem.add_column(cost, 0.0, lp::kInfinity);
    for (const Relaxation::Row& row : relaxation.rows) {
      double shift = 0.0;
      for (const auto& [column, coefficient] : row.terms) {
        edge_of_term.push_back(column < arity ? graph.first_edge(f) + column : -1);
        if (column >= arity) {
          problem.add_term(own + column, coefficient);
          continue;
        }
        const Literal literal = graph.edge(edge_of_term.back());
        problem.add_term(literal.variable, literal.negated ? -coefficient : coefficient);
        if (literal.negated) shift += coefficient;
      }
      problem.end_row(row.lower - shift, row.upper - shift);
    }
  }
  return problem;
}

}  // namespace

RelaxedGraph::RelaxedGraph(const FactorGraph& graph)
    : graph_(graph),
      lp_(relaxed_problem(graph, edge_of_term_)),
      certify_(graph),
      rounder_(graph),
      parts_(graph.edges()),
      point_(graph.variables()) {
  for (const double s : graph.scores()) {
    if (s != -HUGE_VAL) least_value_ += std::min(0.0, s);
  }
  for (int f = 0; f < graph.factors(); ++f) least_value_ += graph.factor(f).least_score();
  for (const double c : lp_.problem().cost) {
    gain_ += std::max(0.0, c);
    if (c != 0.0) smallest_ = std::min(smallest_, std::abs(c));
  }
}

/// Where nothing is added up, rounding errors of the bound count as nothing while they are small beside all scores.
double RelaxedGraph::tolerance(double size) const {
  return std::clamp(2.0 * bound_.rounding, kLastDigits * size, kGap * size) +
         std::min(2.0 * bound_.rounding, kNothing * smallest_);
}

Status RelaxedGraph::run(const Fixed& fixed, Clock& clock) {
  std::fill(parts_.begin(), parts_.end(), 0.0);
  std::fill(point_.begin(), point_.end(), 0.5);
  bound_ = fix(fixed) ? certify_(parts_, fixed_) : Bound{-HUGE_VAL, 0.0};
  Status status = bound_.value == -HUGE_VAL ? Status::infeasible : Status::converged;
  if (status == Status::infeasible) return status;
  if (std::any_of(fixed_.begin(), fixed_.end(), [](int value) { return value < 0; })) status = solve(clock);
  if (status == Status::infeasible) {
    bound_ = {-HUGE_VAL, 0.0};
    return status;
  }
  for (int i = 0; i < graph_.variables(); ++i) {
    if (fixed_[i] >= 0) point_[i] = fixed_[i];
  }
  try_rounding();
  return status;
}

/// False when a variable that can only be 0 is fixed to 1.
bool RelaxedGraph::fix(const Fixed& fixed) {
  fixed_ = fixed;
  for (int i = 0; i < graph_.variables(); ++i) {
    if (graph_.scores()[i] == -HUGE_VAL) {
      if (fixed_[i] == 1) return false;
      fixed_[i] = 0;
    }
    lp_.problem().lower[i] = fixed_[i] == 1 ? 1.0 : 0.0;
    lp_.problem().upper[i] = fixed_[i] == 0 ? 0.0 : 1.0;
  }
  return true;
}

Status RelaxedGraph::solve(Clock& clock) {
  switch (lp_.solve(clock)) {
    case lp::Outcome::optimal:
      return verify(clock);
    case lp::Outcome::infeasible:
      return prove_infeasible(clock);
    case lp::Outcome::time_limit:
      return Status::time_limit;
    case lp::Outcome::failed:
      break;
  }
  return Status::iteration_limit;
}

Status RelaxedGraph::verify(Clock& clock) {
  Status status = Status::iteration_limit;
  for (int round = 0;; ++round) {
    set_parts(1.0);
    const Bound bound = certify_(parts_, fixed_);
    if (bound.value < bound_.value) bound_ = bound;
    const lp::Refined::Value x = lp_.value();
    const double allowed = std::max(tolerance(x.size), std::min(2.0 * bound_.rounding, kRoundingGap * x.size));
    if (bound_.value - x.value <= allowed && x.violation <= kViolation) status = Status::converged;
    if (status == Status::converged || bound_.value == -HUGE_VAL || round == kRounds) break;
    const lp::Outcome outcome = lp_.refine(clock);
    if (outcome == lp::Outcome::time_limit) status = Status::time_limit;
    if (outcome != lp::Outcome::optimal) break;
  }
  for (int i = 0; i < graph_.variables(); ++i) point_[i] = std::clamp(lp_.x(i), 0.0, 1.0);
  return bound_.value == -HUGE_VAL ? Status::infeasible : status;
}

/// The parts that the duals give, times `scale`.
void RelaxedGraph::set_parts(double scale) {
  const lp::LinearProgram& problem = lp_.problem();
  std::fill(parts_.begin(), parts_.end(), 0.0);
  for (int r = 0; r < problem.rows(); ++r) {
    const double dual = scale * lp_.duals()[r].value();
    for (int k = problem.first[r]; k < problem.first[r + 1]; ++k) {
      if (edge_of_term_[k] >= 0) parts_[edge_of_term_[k]] += dual * problem.value[k];
    }
  }
}

/// A ray of duals, multiplied by enough, gives a bound below the lowest score that an assignment could have.
Status RelaxedGraph::prove_infeasible(Clock& clock) {
  const lp::Outcome outcome = lp_.find_ray(clock);
  if (outcome == lp::Outcome::time_limit) return Status::time_limit;
  if (outcome != lp::Outcome::optimal) return Status::iteration_limit;
  const double range = std::max(gain_ - least_value_, std::numeric_limits<double>::min());
  for (const double multiple : {1e1, 1e4, 1e8}) {
    set_parts(multiple * range);
    if (certify_(parts_, fixed_).value < least_value_) return Status::infeasible;
  }
  return Status::iteration_limit;
}

void RelaxedGraph::try_rounding() {
  const Assignment* rounded = rounder_(point_, fixed_);
  if (rounded == nullptr) return;
  const double value = score(graph_, *rounded);
  if (value <= value_) return;
  value_ = value;
  best_ = *rounded;
  size_ = size_of_score(graph_, best_);
}

}  // namespace kirchhoff::factor
