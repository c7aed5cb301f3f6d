// AD3 [Martins15, algorithm 1]: maximise sum of score_i p_i + sum of s_C(u_C), where u_C is in the hull of factor C and
// equal to p on its inputs, by alternating directions on the augmented Lagrangian with penalty rho:
//   u_C <- argmin |u - t|^2 / 2 - s_C(u) / rho,   t_e = p_i + (score_i / d_i + lambda_e) / rho      (Factor::project)
//   p_i <- mean of u_e over the d_i edges at i
//   lambda_e <- lambda_e - rho (u_e - p_i)
// For any lambda with sum 0 at each variable, sum over C of max over y of (score_i / d_i + lambda_e).y + s_C(y) bounds
// every assignment's score. Fixed variables have p_i given, and lambda is free there: p_i sum lambda_e is taken off.
// An iteration costs one projection for each factor; bound and rounding, every few iterations, one best() for each.
#include "factor/ad3.hpp"

#include <algorithm>

namespace kirchhoff::factor {
namespace {

constexpr int kCheckEvery = 5;
constexpr int kAdaptEvery = 10;
constexpr double kUnbalanced = 5.0;  // ratio of the residuals at which the penalty changes
constexpr double kPenaltyStep = 2.0;
constexpr double kStartPenalty = 0.5;  // of the mean size of the scores

}  // namespace

Ad3::Ad3(const FactorGraph& graph, const Ad3Options& options)
    : graph_(graph),
      options_(options),
      incidence_(graph),
      rounder_(graph),
      share_(graph.variables(), 0.0),
      p_(graph.variables(), 0.5),
      u_(graph.edges(), 0.5),
      lambda_(graph.edges(), 0.0),
      active_(graph.factors()) {
  double size = 0.0;
  int count = 0;
  for (int i = 0; i < graph.variables(); ++i) {
    const double s = graph.scores()[i];
    if (s == -HUGE_VAL) continue;
    least_value_ += std::min(0.0, s);
    share_[i] = s / std::max(1, incidence_.degree(i));
    size += std::abs(s);
    ++count;
  }
  std::size_t widest = 0;
  for (int f = 0; f < graph.factors(); ++f) {
    least_value_ += graph.factor(f).least_score();
    widest = std::max<std::size_t>(widest, graph.factor(f).arity());
  }
  target_.resize(widest);
  local_.resize(widest);
  y_.resize(widest);
  penalty_ = size > 0.0 ? kStartPenalty * size / count : 1.0;
}

bool Ad3::is_closed(double bound) const { return bound - value_ <= options_.gap * std::max(1.0, std::abs(bound)); }

Status Ad3::run(const std::vector<signed char>& fixed, int max_iterations, const Clock& clock) {
  fixed_ = fixed;
  for (int i = 0; i < graph_.variables(); ++i) {
    if (graph_.scores()[i] == -HUGE_VAL) fixed_[i] = 0;
    if (fixed_[i] >= 0) p_[i] = fixed_[i];
    if (incidence_.degree(i) == 0 && fixed_[i] < 0) p_[i] = graph_.scores()[i] > 0.0 ? 1.0 : 0.0;
  }
  bound_ = HUGE_VAL;
  if (!possible()) {
    bound_ = -HUGE_VAL;
    return Status::infeasible;
  }
  for (int iteration = 1;; ++iteration) {
    ++iterations_;
    relaxed_ = update_factors();
    update_point();
    update_multipliers();
    if (iteration % kAdaptEvery == 0) adapt_penalty();
    if (iteration % kCheckEvery != 0 && iteration < max_iterations) continue;
    bound_ = std::min(bound_, dual_bound());
    if (bound_ < least_value_ - 1e-9 * std::max(1.0, std::abs(least_value_))) {
      bound_ = -HUGE_VAL;
      return Status::infeasible;
    }
    round();
    if (is_closed(bound_)) return Status::converged;
    const bool agreed = std::max(residual_, dual_residual_) <= options_.tolerance;
    if (agreed && bound_ - relaxed_ <= options_.gap * std::max(1.0, std::abs(bound_))) return Status::converged;
    if (iteration >= max_iterations) return Status::iteration_limit;
    if (clock.is_over()) return Status::time_limit;
  }
}

/// Every factor has a configuration with the fixed values.
bool Ad3::possible() {
  for (int f = 0; f < graph_.factors(); ++f) {
    const int first = graph_.first_edge(f);
    const auto n = static_cast<std::size_t>(graph_.factor(f).arity());
    for (std::size_t k = 0; k < n; ++k) {
      const Literal literal = graph_.edge(first + static_cast<int>(k));
      const int value = fixed_[literal.variable];
      local_[k] = oriented(literal, value < 0 ? 0.0 : value == 1 ? HUGE_VAL : -HUGE_VAL);
    }
    if (graph_.factor(f).best({local_.data(), n}, {y_.data(), n}) == -HUGE_VAL) return false;
  }
  return true;
}

/// u for all factors; returns the score of the point.
double Ad3::update_factors() {
  double value = 0.0;
  const double weight = 1.0 / penalty_;
  for (int f = 0; f < graph_.factors(); ++f) {
    const int first = graph_.first_edge(f);
    const Factor& factor = graph_.factor(f);
    const auto n = static_cast<std::size_t>(factor.arity());
    for (std::size_t k = 0; k < n; ++k) {
      const int e = first + static_cast<int>(k);
      const Literal literal = graph_.edge(e);
      const double t = p_[literal.variable] + (share_[literal.variable] + lambda_[e]) * weight;
      target_[k] = literal.negated ? 1.0 - t : t;
    }
    const std::span<const double> target(target_.data(), n);
    const std::span<double> u(u_.data() + first, n);
    const auto closed = factor.project(target, weight, u);
    value += closed ? *closed : active_[f].project(factor, target, weight, u);
    for (std::size_t k = 0; k < n; ++k) {
      if (graph_.edge(first + static_cast<int>(k)).negated) u[k] = 1.0 - u[k];
    }
  }
  for (int i = 0; i < graph_.variables(); ++i) {
    for (const int e : incidence_.edges_of(i)) value += share_[i] * u_[e];
    if (incidence_.degree(i) == 0) value += share_[i] * p_[i];
  }
  return value;
}

void Ad3::update_point() {
  double moved = 0.0;
  for (int i = 0; i < graph_.variables(); ++i) {
    const auto edges = incidence_.edges_of(i);
    if (fixed_[i] >= 0 || edges.empty()) continue;
    double sum = 0.0;
    for (const int e : edges) sum += u_[e];
    const double degree = static_cast<double>(edges.size());
    const double p = sum / degree;
    moved += degree * (p - p_[i]) * (p - p_[i]);
    p_[i] = p;
  }
  dual_residual_ = std::sqrt(moved / std::max(1, graph_.edges()));
}

void Ad3::update_multipliers() {
  double apart = 0.0;
  for (int e = 0; e < graph_.edges(); ++e) {
    const double difference = u_[e] - p_[graph_.edge(e).variable];
    lambda_[e] -= penalty_ * difference;
    apart += difference * difference;
  }
  residual_ = std::sqrt(apart / std::max(1, graph_.edges()));
}

void Ad3::adapt_penalty() {
  if (residual_ > kUnbalanced * dual_residual_) {
    penalty_ *= kPenaltyStep;
  } else if (dual_residual_ > kUnbalanced * residual_) {
    penalty_ /= kPenaltyStep;
  }
}

double Ad3::dual_bound() {
  double bound = 0.0;
  for (int f = 0; f < graph_.factors(); ++f) {
    const int first = graph_.first_edge(f);
    const auto n = static_cast<std::size_t>(graph_.factor(f).arity());
    for (std::size_t k = 0; k < n; ++k) {
      const int e = first + static_cast<int>(k);
      const Literal literal = graph_.edge(e);
      const double q = share_[literal.variable] + lambda_[e];
      local_[k] = oriented(literal, q);
      if (literal.negated) bound += q;  // q y = q - q (1 - y)
    }
    bound += graph_.factor(f).best({local_.data(), n}, {y_.data(), n});
  }
  for (int i = 0; i < graph_.variables(); ++i) {
    if (incidence_.degree(i) == 0) bound += share_[i] * p_[i];
    if (fixed_[i] != 1) continue;
    for (const int e : incidence_.edges_of(i)) bound -= lambda_[e];
  }
  return bound;
}

void Ad3::round() {
  const auto rounded = rounder_(p_, fixed_);
  if (!rounded) return;
  const double value = score(graph_, *rounded);
  if (value <= value_) return;
  value_ = value;
  best_ = *rounded;
}

}  // namespace kirchhoff::factor
