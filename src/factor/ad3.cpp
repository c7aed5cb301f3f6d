// AD3 [Martins15, algorithm 1]: maximise sum of score_i p_i + sum of s_C(u_C), where u_C is in the hull of factor C and
// equal to p on its inputs, by alternating directions on the augmented Lagrangian with penalty rho:
//   u_C <- argmin |u - t|^2 / 2 - s_C(u) / rho,   t_e = p_i + (score_i / d_i + lambda_e) / rho      (Factor::project)
//   p_i <- mean of u_e over the d_i edges at i
//   lambda_e <- lambda_e - rho (u_e - p_i)
// For any lambda with sum 0 at each variable, sum over C of max over y of (score_i / d_i + lambda_e).y + s_C(y) bounds
// every assignment's score. Fixed variables have p_i given, and lambda is free there: p_i sum lambda_e is taken off.
// An iteration costs one projection for each factor; bound and rounding, every few iterations, one best() for each.
#include "factor/ad3.hpp"

#include "factor/factors/factors.hpp"
#include "factor/factors/pair_point.hpp"

#include <algorithm>

namespace kirchhoff::factor {
namespace {

constexpr int kCheckEvery = 5;
constexpr int kAdaptEvery = 10;
constexpr double kUnbalanced = 5.0;  // ratio of the residuals at which the penalty changes
constexpr double kPenaltyStep = 2.0;
// With the configurations of the last iteration at hand, an inexact projection does as well [Martins15].
constexpr int kInnerSteps = 3;
constexpr double kStartPenalty = 0.2;  // of the mean size of the scores

}  // namespace

Ad3::Ad3(const FactorGraph& graph, const Ad3Options& options)
    : graph_(graph),
      options_(options),
      incidence_(graph),
      propagator_(graph, incidence_),
      rounder_(graph),
      share_(graph.variables(), 0.0),
      p_(graph.variables(), 0.5),
      moved_(graph.variables(), 1),
      before_(graph.variables(), 0.5),
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
  for (int e = 0; e < graph.edges(); ++e) at_.push_back(graph.edge(e).variable);
  for (int f = 0; f < graph.factors(); ++f) {
    const int e = graph.first_edge(f);
    const auto* pair = dynamic_cast<const PairFactor*>(&graph.factor(f));
    if (pair != nullptr && !graph.edge(e).negated && !graph.edge(e + 1).negated) {
      pairs_.push_back({e, pair->pair_score(), 0.0, false});
    } else {
      others_.push_back(f);
    }
    least_value_ += graph.factor(f).least_score();
    widest = std::max<std::size_t>(widest, graph.factor(f).arity());
  }
  give_scores_to_largest();
  target_.resize(widest);
  local_.resize(widest);
  y_.resize(widest);
  penalty_ = size > 0.0 ? kStartPenalty * size / count : 1.0;
}

/// Multipliers to start from: each variable's score counts in the largest factor at it, which can do most with it, and
/// not in equal shares.
void Ad3::give_scores_to_largest() {
  for (int i = 0; i < graph_.variables(); ++i) {
    int largest = -1;
    for (const int e : incidence_.edges_of(i)) {
      const auto arity = [&](int edge) { return graph_.factor(incidence_.factor_of(edge)).arity(); };
      if (largest < 0 || arity(e) > arity(largest)) largest = e;
      lambda_[e] = -share_[i];
    }
    if (largest >= 0) lambda_[largest] += share_[i] * incidence_.degree(i);
  }
}

/// Starts the point at each hard factor's best configuration under the scores it was given. False when one has none.
bool Ad3::start_from_best() {
  for (int i = 0; i < graph_.variables(); ++i) {
    if (graph_.scores()[i] == -HUGE_VAL) fixed_[i] = 0;
    p_[i] = share_[i] > 0.0 ? 1.0 : 0.0;
  }
  for (const int f : others_) {
    const int begin = graph_.first_edge(f);
    const auto n = static_cast<std::size_t>(graph_.factor(f).arity());
    for (std::size_t k = 0; k < n; ++k) {
      const Literal literal = graph_.edge(begin + static_cast<int>(k));
      const double q = share_[literal.variable] + lambda_[begin + static_cast<int>(k)];
      local_[k] = oriented(literal, fixed_[literal.variable] == 0 ? -HUGE_VAL : q);
    }
    if (graph_.factor(f).best({local_.data(), n}, {y_.data(), n}) == -HUGE_VAL) return false;
    for (std::size_t k = 0; k < n; ++k) {
      const Literal literal = graph_.edge(begin + static_cast<int>(k));
      if (fixed_[literal.variable] < 0) p_[literal.variable] = (y_[k] != 0) != literal.negated ? 1.0 : 0.0;
    }
  }
  return true;
}

/// Makes the multipliers at variable i sum to 0: it may have been fixed in the run before.
void Ad3::balance(int i) {
  double sum = 0.0;
  for (const int e : incidence_.edges_of(i)) sum += lambda_[e];
  for (const int e : incidence_.edges_of(i)) lambda_[e] -= sum / incidence_.degree(i);
}

bool Ad3::is_closed(double bound) const { return bound - value_ <= options_.gap * std::max(1.0, std::abs(bound)); }

Status Ad3::run(const Fixed& fixed, int max_iterations, const Clock& clock) {
  fixed_ = fixed;
  bound_ = HUGE_VAL;
  const bool first = iterations_ == 0;
  if (!(first ? start_from_best() : propagator_.all(fixed_))) {
    bound_ = -HUGE_VAL;
    return Status::infeasible;
  }
  for (int i = 0; i < graph_.variables(); ++i) {
    if (fixed_[i] >= 0) {
      p_[i] = fixed_[i];
    } else {
      balance(i);
    }
    if (incidence_.degree(i) == 0 && fixed_[i] < 0) p_[i] = graph_.scores()[i] > 0.0 ? 1.0 : 0.0;
  }
  forget_answers();
  int adapt_at = kAdaptEvery;
  for (int iteration = 1;; ++iteration) {
    ++iterations_;
    mixture_score_ = 0.0;
    project_pairs();
    project_others();
    update_point();
    update_multipliers();
    if (iteration == adapt_at) {
      adapt_penalty();
      adapt_at += std::max(kAdaptEvery, iteration / 5);  // ever more rarely, or it would never settle
    }
    if (iteration % kCheckEvery != 0 && iteration < max_iterations) continue;
    bound_ = std::min(bound_, dual_bound());
    if (bound_ < least_value_ - 1e-9 * std::max(1.0, std::abs(least_value_))) {
      bound_ = -HUGE_VAL;
      return Status::infeasible;
    }
    round();
    if (is_closed(bound_)) return Status::converged;
    const bool agreed = std::max(residual_, dual_residual_) <= options_.tolerance;
    if (agreed && bound_ - relaxed_value() <= options_.gap * std::max(1.0, std::abs(bound_))) return Status::converged;
    if (iteration >= max_iterations) return Status::iteration_limit;
    if (clock.is_over()) return Status::time_limit;
  }
}

// Most pairs settle at 0 or 1 soon; asking them again would give the same answer.
void Ad3::project_pairs() {
  const double weight = 1.0 / penalty_;
  const auto target = [&](int e) { return p_[at_[e]] + (share_[at_[e]] + lambda_[e]) * weight; };
  for (Pair& pair : pairs_) {
    const int e = pair.e;
    pair.quiet = pair.quiet && !moved_[at_[e]] && !moved_[at_[e + 1]];
    if (pair.quiet) continue;
    const PairPoint point = project_pair(target(e), target(e + 1), weight * pair.score);
    u_[e] = point.a;
    u_[e + 1] = point.b;
    pair.both = point.both;
  }
}

void Ad3::project_others() {
  const double weight = 1.0 / penalty_;
  for (const int f : others_) {
    const int first = graph_.first_edge(f);
    const Factor& factor = graph_.factor(f);
    const auto n = static_cast<std::size_t>(factor.arity());
    for (std::size_t k = 0; k < n; ++k) {
      const int e = first + static_cast<int>(k);
      const double t = p_[at_[e]] + (share_[at_[e]] + lambda_[e]) * weight;
      target_[k] = graph_.edge(e).negated ? 1.0 - t : t;
    }
    const std::span<const double> target(target_.data(), n);
    const std::span<double> u(u_.data() + first, n);
    const auto closed = factor.project(target, weight, u);
    mixture_score_ += closed ? *closed : active_[f].project(factor, target, weight, u, kInnerSteps);
    for (std::size_t k = 0; k < n; ++k) {
      if (graph_.edge(first + static_cast<int>(k)).negated) u[k] = 1.0 - u[k];
    }
  }
}

/// Score of the point as the factors see it.
double Ad3::relaxed_value() const {
  double value = mixture_score_;
  for (const Pair& pair : pairs_) value += pair.score * pair.both;
  for (int e = 0; e < graph_.edges(); ++e) value += share_[at_[e]] * u_[e];
  for (int i = 0; i < graph_.variables(); ++i) {
    if (incidence_.degree(i) == 0) value += share_[i] * p_[i];
  }
  return value;
}

void Ad3::update_point() {
  std::swap(p_, before_);
  std::fill(p_.begin(), p_.end(), 0.0);
  for (int e = 0; e < graph_.edges(); ++e) p_[at_[e]] += u_[e];
  double moved = 0.0;
  for (int i = 0; i < graph_.variables(); ++i) {
    const int degree = incidence_.degree(i);
    p_[i] = fixed_[i] >= 0 || degree == 0 ? before_[i] : p_[i] / degree;
    moved_[i] = p_[i] != before_[i];
    moved += degree * (p_[i] - before_[i]) * (p_[i] - before_[i]);
  }
  dual_residual_ = std::sqrt(moved / std::max(1, graph_.edges()));
}

void Ad3::update_multipliers() {
  double apart = 0.0;
  const auto update = [&](int e) {
    const double difference = u_[e] - p_[at_[e]];
    lambda_[e] -= penalty_ * difference;
    apart += difference * difference;
    return difference == 0.0;
  };
  for (Pair& pair : pairs_) {
    if (pair.quiet && !moved_[at_[pair.e]] && !moved_[at_[pair.e + 1]]) continue;
    const bool first = update(pair.e);
    const bool second = update(pair.e + 1);
    pair.quiet = first && second;
  }
  for (const int f : others_) {
    for (int e = graph_.first_edge(f); e < graph_.first_edge(f + 1); ++e) update(e);
  }
  residual_ = std::sqrt(apart / std::max(1, graph_.edges()));
}

void Ad3::adapt_penalty() {
  const double old = penalty_;
  if (residual_ > kUnbalanced * dual_residual_) {
    penalty_ *= kPenaltyStep;
  } else if (dual_residual_ > kUnbalanced * residual_) {
    penalty_ /= kPenaltyStep;
  }
  if (penalty_ != old) forget_answers();
}

void Ad3::forget_answers() {
  for (Pair& pair : pairs_) pair.quiet = false;
}

double Ad3::dual_bound() {
  double bound = 0.0;
  for (const Pair& pair : pairs_) {
    const double a = share_[at_[pair.e]] + lambda_[pair.e];
    const double b = share_[at_[pair.e + 1]] + lambda_[pair.e + 1];
    bound += std::max({0.0, a, b, a + b + pair.score});
  }
  for (const int f : others_) {
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
  const Assignment* rounded = rounder_(p_, fixed_);
  if (rounded == nullptr) return;
  const double value = score(graph_, *rounded);
  if (value <= value_) return;
  value_ = value;
  best_ = *rounded;
}

}  // namespace kirchhoff::factor
