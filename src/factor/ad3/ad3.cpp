// AD3 [Martins15, algorithm 1]: maximise sum of theta_i p_i + sum of s_C(u_C), where u_C is in the hull of factor C and
// equal to p on its inputs, by alternating directions on the augmented Lagrangian with penalty rho_C = rho w_C:
//   u_C <- argmin |u - t|^2 / 2 - s_C(u) / rho_C,   t_e = p_i + q_e / rho_C      (PairFactors::project,
//   Factor::project) p_i <- mean of u_e over the edges at i, weighted by w q_e <- q_e - rho_C (u_e - p_i)
// q is the factor's part of the scores: theta_i / degree plus the multiplier of u_e = p_i in the paper. Its sum at a
// variable stays theta_i, and then the sum over C of max over y of q.y + s_C(y) bounds every assignment's score. Fixed
// variables have p_i given, and q is free there: p_i (sum of q - theta_i) is taken off.
// Pairs that would only slow p down sleep (sleeping_pairs.cpp). (p, q) circles around its limit: its mean is nearer,
// and gives a bound and a point of its own. An iteration costs one projection for each factor; bound and rounding,
// every few iterations, one best() for each.
#include "factor/ad3/ad3.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace kirchhoff::factor {
namespace {

constexpr int kCheckEvery = 5;
constexpr int kAdaptEvery = 10;
constexpr int kSleepAfter = 20;
constexpr double kMeanOver = 0.4;    // means are over this part of the iterations, the last ones
constexpr double kUnbalanced = 5.0;  // ratio of the residuals at which the penalty changes
constexpr double kPenaltyStep = 2.0;
constexpr double kPenaltyRange = 1e9;  // on both sides of where it starts
// With the configurations of the last iteration at hand, an inexact projection does as well [Martins15].
constexpr int kInnerSteps = 1;
constexpr double kRounding = 64.0 * std::numeric_limits<double>::epsilon();
constexpr double kLargestRounding = 1e-9;  // the largest gap that may be put down to rounding
constexpr int kBranchIterations = 500;     // in every run but the first

}  // namespace

bool Ad3::is_closed(double bound) const { return bound - value_ <= allowed_gap(bound); }

/// A bound that is above a value by no more than rounding alone may put it there is that value: it has been raised by
/// what rounding may have taken, and may have been rounded up by as much. Beside huge penalties that is too much to go
/// unmentioned.
double Ad3::allowed_gap(double bound) const {
  const double size = std::max(1.0, std::abs(bound));
  return std::max(options_.gap * size, std::min(2.0 * bound_rounding_, kLargestRounding * size));
}

void Ad3::lower_bound(const Bound& bound) {
  if (bound.value >= bound_) return;
  bound_ = bound.value;
  bound_rounding_ = bound.rounding;
}

Status Ad3::run(const Fixed& fixed, Clock& clock) {
  fixed_ = fixed;
  bound_ = HUGE_VAL;
  bound_rounding_ = 0.0;
  const bool first = iterations_ == 0;
  const int max_iterations = first ? options_.max_iterations : std::min(options_.max_iterations, kBranchIterations);
  if (!(first ? start_from_best() : propagator_.all(fixed_))) {
    bound_ = -HUGE_VAL;
    return Status::infeasible;
  }
  for (int i = 0; i < graph_.variables(); ++i) {
    if (fixed_[i] >= 0) {
      p_[i] = fixed_[i];
    } else if (incidence_.degree(i) == 0) {
      p_[i] = theta_[i] > 0.0 ? 1.0 : 0.0;
    }
  }
  point_value_ = -HUGE_VAL;
  pairs_.wake_all();
  weigh();
  balance();
  start_mean();
  // Both happen ever more rarely, or the penalty and who sleeps would never come to rest.
  int check_at = kCheckEvery;
  int adapt_at = kAdaptEvery;
  for (int iteration = 1;; ++iteration) {
    iterate();
    if (iteration < check_at && iteration < max_iterations) continue;
    check_at += std::max(kCheckEvery, iteration / 20);
    lower_bound(dual_bound());
    if (iteration > kSleepAfter) lower_bound(mean_bound());
    if (bound_ < least_value_ - 1e-9 * std::max(1.0, std::abs(least_value_))) {
      bound_ = -HUGE_VAL;
      return Status::infeasible;
    }
    round();
    if (is_closed(bound_) || has_converged()) return Status::converged;
    if (iteration >= max_iterations) return Status::iteration_limit;
    if (clock.is_over()) return Status::time_limit;
    if (iteration >= adapt_at) {
      adapt_penalty();
      adapt_at += std::max(kAdaptEvery, iteration / 5);
    }
    if (pairs_.updates() > kMeanOver * iteration) start_mean();
    update_sleeping_pairs(iteration >= kSleepAfter);
  }
}

void Ad3::iterate() {
  ++iterations_;
  std::fill(sums_.begin(), sums_.end(), 0.0);
  pairs_.project(p_, penalty_, sums_);
  for (Other& other : others_) project(other);
  double moved = 0.0;
  for (int i = 0; i < graph_.variables(); ++i) {
    if (fixed_[i] >= 0 || inverse_[i] == 0.0) continue;
    const double next = sums_[i] * inverse_[i];
    moved += (next - p_[i]) * (next - p_[i]) / inverse_[i];
    p_[i] = next;
  }
  auto [squares, work] = pairs_.update(p_, penalty_);
  for (Other& other : others_) {
    for (int e = other.begin; e < other.end; ++e) {
      const double apart = u_[e] - p_[literal_[e].variable];
      q_[e] -= penalty_ * other.weight * apart;
      squares += other.weight * apart * apart;
      work += q_[e] * apart;
      q_sum_[e] += q_[e];
      u_sum_[e] += u_[e];
    }
    other.scores += other.score;
  }
  work_ = work;
  residual_ = std::sqrt(squares / std::max(1.0, total_weight_));
  dual_residual_ = std::sqrt(moved / std::max(1.0, total_weight_));
}

void Ad3::project(Other& other) {
  const double weight = 1.0 / (penalty_ * other.weight);
  const Factor& factor = graph_.factor(other.factor);
  const auto n = static_cast<std::size_t>(other.end - other.begin);
  for (std::size_t k = 0; k < n; ++k) {
    const Literal literal = literal_[other.begin + k];
    const double t = p_[literal.variable] + q_[other.begin + k] * weight;
    local_[k] = literal.negated ? 1.0 - t : t;
  }
  const std::span<const double> target(local_.data(), n);
  const std::span<double> u(u_.data() + other.begin, n);
  const auto closed = factor.project(target, weight, u);
  other.score = closed ? *closed : other.active.project(factor, target, weight, u, kInnerSteps);
  for (std::size_t k = 0; k < n; ++k) {
    const Literal literal = literal_[other.begin + k];
    if (literal.negated) u[k] = 1.0 - u[k];
    sums_[literal.variable] += other.weight * u[k];
  }
}

void Ad3::adapt_penalty() {
  if (residual_ > kUnbalanced * dual_residual_) {
    penalty_ *= kPenaltyStep;
  } else if (dual_residual_ > kUnbalanced * residual_) {
    penalty_ /= kPenaltyStep;
  }
  // Where all that disagrees is fixed, branch after branch would go on in one direction for ever.
  penalty_ = std::clamp(penalty_, start_penalty_ / kPenaltyRange, start_penalty_ * kPenaltyRange);
}

/// What pairs that go to sleep take from their q goes to the variable's home.
void Ad3::update_sleeping_pairs(bool may_sleep) {
  std::fill(sums_.begin(), sums_.end(), 0.0);
  if (!pairs_.update_sleepers(p_, may_sleep, home_, sums_)) return;
  for (int i = 0; i < graph_.variables(); ++i) {
    if (home_[i] >= 0) q_[home_[i]] += sums_[i];
  }
  weigh();
}

/// Pairs first tell the other factors what they can: that lowers the bound, never raises it.
Ad3::Bound Ad3::dual_bound() {
  std::fill(sums_.begin(), sums_.end(), 0.0);
  double bound = constant_ + pairs_.bound(sums_);
  for (const Other& other : others_) {
    const auto n = static_cast<std::size_t>(other.end - other.begin);
    for (std::size_t k = 0; k < n; ++k) {
      const int e = other.begin + static_cast<int>(k);
      const Literal literal = literal_[e];
      const double q = home_[literal.variable] == e ? q_[e] + sums_[literal.variable] : q_[e];
      local_[k] = oriented(literal, q);
      if (literal.negated) bound += q;  // q y = q - q (1 - y)
    }
    bound += graph_.factor(other.factor).best({local_.data(), n}, {y_.data(), n});
  }
  for (int i = 0; i < graph_.variables(); ++i) {
    if (home_[i] < 0) bound += incidence_.degree(i) == 0 ? theta_[i] * p_[i] : std::max(0.0, sums_[i]);
  }
  const double taken = rounding(bound);
  return {bound - fixed_surplus() + taken, taken};
}

/// What rounding may have taken from the bound: q no longer sums to theta after many iterations, and what was added up
/// for the bound is rounded too.
double Ad3::rounding(double bound) {
  std::fill(sums_.begin(), sums_.end(), 0.0);
  double size = std::abs(bound) + pairs_.add_local(sums_);
  for (std::size_t e = 0; e < q_.size(); ++e) {
    sums_[literal_[e].variable] += q_[e];
    size += std::abs(q_[e]);
  }
  double drift = 0.0;
  for (int i = 0; i < graph_.variables(); ++i) {
    if (fixed_[i] < 0 && incidence_.degree(i) > 0) drift += std::abs(theta_[i] - sums_[i]);
  }
  return drift + kRounding * size;
}

/// The iteration circles around where it goes, so that the middle is nearer to it; and it is q as good as any.
Ad3::Bound Ad3::mean_bound() {
  for (std::size_t e = 0; e < q_.size(); ++e) mean_[e] = q_sum_[e] / pairs_.updates();
  q_.swap(mean_);
  pairs_.enter_mean();
  const Bound bound = dual_bound();
  q_.swap(mean_);
  pairs_.leave_mean();
  return bound;
}

void Ad3::start_mean() {
  std::fill(q_sum_.begin(), q_sum_.end(), 0.0);
  std::fill(u_sum_.begin(), u_sum_.end(), 0.0);
  for (Other& other : others_) other.scores = 0.0;
  pairs_.start_mean();
}

/// Sum over variables that are fixed to 1 of what their factors count above theta.
double Ad3::fixed_surplus() {
  if (std::find(fixed_.begin(), fixed_.end(), 1) == fixed_.end()) return 0.0;
  std::fill(sums_.begin(), sums_.end(), 0.0);
  pairs_.add_local(sums_);
  for (std::size_t e = 0; e < q_.size(); ++e) sums_[literal_[e].variable] += q_[e];
  double surplus = 0.0;
  for (int i = 0; i < graph_.variables(); ++i) {
    if (fixed_[i] == 1 && incidence_.degree(i) > 0) surplus += sums_[i] - theta_[i];
  }
  return surplus;
}

/// The bound is within the gap of the relaxation's optimum. Where no variable is in two factors other than pairs, what
/// those factors would have, now or in the mean, is a point of the relaxation, with a value below the optimum.
/// Elsewhere the factors' own points u must agree; by the multipliers, the optimum is then about their value less what
/// their disagreement costs.
bool Ad3::has_converged() {
  const double allowed = allowed_gap(bound_);
  if (disjoint_ && std::all_of(fixed_.begin(), fixed_.end(), [](int f) { return f < 0; })) {
    try_point(false);
    try_point(true);
    if (bound_ - point_value_ > allowed) return false;
    p_ = point_;
    return true;
  }
  if (std::max(residual_, dual_residual_) > options_.tolerance) return false;
  double value = constant_ - std::abs(work_) + pairs_.mixture_score(p_);
  for (const Other& other : others_) value += other.score;
  for (int i = 0; i < graph_.variables(); ++i) {
    sums_[i] = std::clamp(p_[i], 0.0, 1.0);
    value += theta_[i] * sums_[i];
  }
  if (bound_ - value > allowed) return false;
  p_ = sums_;
  return true;
}

/// Keeps what the other factors would have, now or in the mean, if it is better.
void Ad3::try_point(bool mean) {
  const std::vector<double>& u = mean ? u_sum_ : u_;
  const double part = mean ? 1.0 / pairs_.updates() : 1.0;
  double value = constant_;
  for (const Other& other : others_) value += mean ? part * other.scores : other.score;
  for (int i = 0; i < graph_.variables(); ++i) {
    sums_[i] = home_[i] >= 0 ? part * u[home_[i]] : std::clamp(p_[i], 0.0, 1.0);
    value += theta_[i] * sums_[i];
  }
  value += pairs_.value_at(sums_);
  if (value <= point_value_) return;
  point_value_ = value;
  point_ = sums_;
}

void Ad3::round() {
  const Assignment* rounded = rounder_({p_.data(), p_.size() - 1}, fixed_);
  if (rounded == nullptr || (rounded_ && *rounded == *rounded_)) return;
  rounded_ = *rounded;
  if (all_hard_) {  // the pairs' vectors soon tell that it is no better
    std::copy(rounded_->begin(), rounded_->end(), sums_.begin());
    const double value = std::inner_product(rounded_->begin(), rounded_->end(), theta_.begin(), constant_);
    if (value + pairs_.value_at(sums_) <= value_) return;
  }
  const double value = score(graph_, *rounded_);
  if (value <= value_) return;
  value_ = value;
  best_ = *rounded_;
}

}  // namespace kirchhoff::factor
