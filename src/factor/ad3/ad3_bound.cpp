// AD3's bound by weak duality: the sum over factors of the highest q.y + s(y), for the q of an iteration or for their
// mean. One best() for each factor.
#include "factor/ad3/ad3.hpp"

#include <algorithm>
#include <limits>

namespace kirchhoff::factor {
namespace {

constexpr double kRounding = 64.0 * std::numeric_limits<double>::epsilon();

}  // namespace

void Ad3::keep_bound(const Bound& bound) {
  if (bound.value >= bound_) return;
  bound_ = bound.value;
  bound_rounding_ = bound.rounding;
  if (!is_first_run_) return;
  bound_q_ = q_;
  pairs_.copy_local(bound_pairs_);
}

/// Pairs first tell the other factors what they can: that lowers the bound, never raises it.
void Ad3::lower_bound() {
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
    const std::span<const double> q(local_.data(), n);
    bound += other.table ? other.table->best_value(q) : graph_.factor(other.factor).relaxed_best(q, {y_.data(), n});
  }
  for (int i = 0; i < graph_.variables(); ++i) {
    if (home_[i] >= 0) continue;
    const double rest = uses_[i] == 0 ? theta_[i] : sums_[i];
    bound += fixed_[i] < 0 ? std::max(0.0, rest) : fixed_[i] * rest;
  }
  const double taken = rounding(bound);
  keep_bound({bound - fixed_surplus() + taken, taken});
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
    if (fixed_[i] < 0 && uses_[i] > 0) drift += std::abs(theta_[i] - sums_[i]);
  }
  return drift + kRounding * size;
}

/// The iteration circles around where it goes, so that the middle is nearer to it; and it is q as good as any.
void Ad3::lower_bound_by_mean() {
  count_all_in_mean();
  for (std::size_t e = 0; e < q_.size(); ++e) mean_[e] = q_sum_[e] / pairs_.updates();
  q_.swap(mean_);
  pairs_.enter_mean();
  lower_bound();
  q_.swap(mean_);
  pairs_.leave_mean();
}

void Ad3::count_all_in_mean() {
  for (std::size_t f = 0; f < others_.size(); ++f) count_in_mean(static_cast<int>(f), pairs_.updates());
}

void Ad3::start_mean() {
  std::fill(q_sum_.begin(), q_sum_.end(), 0.0);
  std::fill(u_sum_.begin(), u_sum_.end(), 0.0);
  for (Other& other : others_) other.scores = 0.0;
  std::fill(counted_.begin(), counted_.end(), 0.0);
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
    if (fixed_[i] == 1 && uses_[i] > 0) surplus += sums_[i] - theta_[i];
  }
  return surplus;
}

}  // namespace kirchhoff::factor
