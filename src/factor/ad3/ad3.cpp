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
#include <numeric>
#include <utility>

namespace kirchhoff::factor {
namespace {

constexpr int kCheckEvery = 5;
constexpr double kCheckWork = 2.0;  // a check costs about as much as this many iterations in which no factor rests,
constexpr int kCheckLate = 20;      // and is put off by so many when they rest
constexpr int kAdaptEvery = 10;
constexpr int kSleepAfter = 20;
constexpr double kMeanOver = 0.4;    // means are over this part of the iterations, the last ones
constexpr double kUnbalanced = 5.0;  // ratio of the residuals at which the penalty changes
constexpr double kPenaltyStep = 2.0;
constexpr double kPenaltyRange = 1e9;      // on both sides of where it starts
constexpr double kAgreement = 0.1;         // how well the factors must agree, relative to the gap
constexpr double kLargestRounding = 1e-9;  // the largest gap that may be put down to rounding
constexpr int kBranchIterations = 500;     // in every run but the first
constexpr double kInteger = 1e-14;         // p this near to 0 or 1 is that

}  // namespace

bool Ad3::is_closed(double bound) const { return bound - value_ <= allowed_gap(bound); }

/// A bound that is above a value by no more than rounding alone may put it there is that value: it has been raised by
/// what rounding may have taken, and may have been rounded up by as much. Beside huge penalties that is too much to go
/// unmentioned.
double Ad3::allowed_gap(double bound) const {
  const double size = std::max(1.0, std::abs(bound));
  return std::max(options_.gap * size, std::min(2.0 * bound_rounding_, kLargestRounding * size));
}

Status Ad3::run(const Fixed& fixed, Clock& clock) {
  fixed_ = fixed;
  bound_ = HUGE_VAL;
  bound_rounding_ = 0.0;
  is_first_run_ = iterations_ == 0;
  const int max_iterations =
      is_first_run_ ? options_.max_iterations : std::min(options_.max_iterations, kBranchIterations);
  if (!(is_first_run_ ? start_from_best() : propagator_.all(fixed_))) {
    bound_ = -HUGE_VAL;
    return Status::infeasible;
  }
  for (int i = 0; i < graph_.variables(); ++i) {
    if (fixed_[i] >= 0) {
      p_[i] = fixed_[i];
    } else if (uses_[i] == 0) {
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
  double work = 0.0;  // since the last check, in iterations without rest
  for (int iteration = 1;; ++iteration) {
    work += pairs_.size() > 0 ? 1.0 : static_cast<double>(awake_.size()) / static_cast<double>(others_.size() + 1);
    iterate();
    const bool due = iteration >= check_at && (work >= kCheckWork || iteration >= check_at + kCheckLate);
    if (!due && iteration < max_iterations) continue;
    check_at = iteration + std::max(kCheckEvery, iteration / 20);
    work = 0.0;
    lower_bound();
    if (iteration > kSleepAfter) lower_bound_by_mean();
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
  if (pairs_.size() > 0) {
    std::fill(sums_.begin(), sums_.end(), 0.0);
    pairs_.project(p_, penalty_, sums_);
  }
  for (std::size_t k = 0; k < awake_.size();) {
    const std::size_t size = clauses_from(k);
    if (size > 0) project_clauses(clauses(awake_[k], size), penalty_);
    if (size == 0) project(awake_[k]);
    k += std::max<std::size_t>(1, size);
  }
  const double moved = update_point();
  auto [squares, work] = pairs_.update(p_, penalty_);
  const double updates = pairs_.updates();
  for (std::size_t k = 0; k < awake_.size();) {
    const std::size_t size = clauses_from(k), end = k + std::max<std::size_t>(1, size);
    const int f = awake_[k];
    for (; k < end; ++k) {
      if (counted_[awake_[k]] != updates - 1.0) count_in_mean(awake_[k], updates - 1.0);  // it rested
      counted_[awake_[k]] = updates;
    }
    const ClauseStep step = size > 0 ? update_local_of_clauses(f, size) : update_local(f);
    squares += step.squares;
    work += step.work;
  }
  std::erase_if(awake_, [&](int f) { return rests_[f] != 0; });
  work_ = work;
  residual_ = std::sqrt(squares / std::max(1.0, total_weight_));
  dual_residual_ = std::sqrt(moved / std::max(1.0, total_weight_));
}

/// The weighted sum of what the others would have the variable.
double Ad3::sum_at(int variable) const {
  double sums[4] = {};  // each waits for its last addition only
  int k = first_at_[variable];
  const int end = first_at_[variable + 1];
  for (; k + 4 <= end; k += 4) {
    for (int l = 0; l < 4; ++l) sums[l] += weight_at_[k + l] * u_[edge_at_[k + l]];
  }
  for (; k < end; ++k) sums[0] += weight_at_[k] * u_[edge_at_[k]];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// The mean of what the factors would have, at variables whose factors do not all rest; returns the sum of squares by
/// which it moved. Factors that rested at such a variable must look again.
double Ad3::update_point() {
  active_.clear();
  const bool none_rests = awake_.size() == others_.size();
  if (pairs_.size() > 0 || 2 * awake_.size() > others_.size()) {  // then it is dearer to list those that may move
    for (int i = 0; i < graph_.variables(); ++i) active_.push_back(i);
  } else {
    for (const int f : awake_) {
      for (int e = others_[f].begin; e < others_[f].end; ++e) {
        const int i = literal_[e].variable;
        if (std::exchange(listed_[i], 1) == 0) active_.push_back(i);
      }
    }
    for (const int i : active_) listed_[i] = 0;
  }
  double moved = 0.0;
  for (const int i : active_) {
    moved_[i] = 0;
    if (fixed_[i] >= 0 || inverse_[i] == 0.0) continue;
    const double next_sum = (pairs_.size() > 0 ? sums_[i] : 0.0) + sum_at(i);
    double next = next_sum * inverse_[i];
    const double whole = next < 0.5 ? 0.0 : 1.0;
    if (std::abs(next - whole) < kInteger) next = whole;
    if (next == p_[i]) continue;
    moved_[i] = 1;
    moved += (next - p_[i]) * (next - p_[i]) / inverse_[i];
    p_[i] = next;
    if (none_rests) continue;
    for (int k = first_at_[i]; k < first_at_[i + 1]; ++k) {
      if (std::exchange(rests_[other_at_[k]], 0) != 0) awake_.push_back(other_at_[k]);
    }
  }
  return moved;
}

/// Adds what the factor has had since it was counted last to the sums for the means, up to so many updates.
void Ad3::count_in_mean(int f, double updates) {
  const double times = updates - std::exchange(counted_[f], updates);
  if (times == 0.0) return;
  Other& other = others_[f];
  for (int e = other.begin; e < other.end; ++e) {
    q_sum_[e] += times * q_[e];
    if (disjoint_) u_sum_[e] += times * u_[e];
  }
  other.scores += times * other.score;
}

void Ad3::wake_all() {
  awake_.clear();
  for (std::size_t f = 0; f < others_.size(); ++f) {
    rests_[f] = 0;
    awake_.push_back(static_cast<int>(f));
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
  wake_all();
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
  if (std::max(residual_, dual_residual_) > std::max(options_.tolerance, kAgreement * options_.gap)) return false;
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
  if (mean) count_all_in_mean();
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
