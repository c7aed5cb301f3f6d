// Active set method for a factor's quadratic problem [Martins15, section 6]. With configurations y_1 ... y_s in the
// set, the best mixture without the constraint a >= 0 solves  Y Y' a + tau 1 = b,  sum a = 1,  b_k = t.y_k + w s_k. If
// it has negative weights, the mixture moves towards it until the first weight is 0, and that member leaves; otherwise
// best() at the gradient t - u either finds a new member or shows that the mixture is optimal. Cost of a step: s^3/3
// for the linear system and one best().
#include "factor/ad3/active_set.hpp"

#include "factor/factors/factors.hpp"
#include "factor/kernels/triangle.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

namespace kirchhoff::factor {
namespace {

constexpr double kDependent = 1e-9;  // pivots of a Gram matrix of whole numbers are not that small

double dot(const double* a, const double* b, std::size_t size) {
  using Map = Eigen::Map<const Vector>;
  const auto n = static_cast<Eigen::Index>(size);
  return Map(a, n).dot(Map(b, n));
}

}  // namespace

double ActiveSet::project(const Factor& factor, std::span<const double> target, double weight, std::span<double> u,
                          int max_steps, double tolerance) {
  const auto n = static_cast<std::size_t>(factor.arity());
  y_.resize(n);
  q_.resize(n);
  gap_ = HUGE_VAL;
  if (count_ == 0) {
    for (std::size_t i = 0; i < n; ++i) q_[i] = (target[i] - 0.5) / weight;
    [[maybe_unused]] const double value = factor.best(q_, y_);
    assert(value != -HUGE_VAL);
    add(factor, y_);
    members_.front().weight = 1.0;
  }
  set_gains(weight, target);
  for (steps_ = 0;; ++steps_) {
    const double level = solve();
    mix(u);
    if (steps_ == max_steps) break;
    for (std::size_t i = 0; i < n; ++i) q_[i] = (target[i] - u[i]) / weight;
    const double value = factor.best(q_, y_) * weight;
    if (value <= level + tolerance * std::max(1.0, std::abs(level)) || !add(factor, y_)) {
      gap_ = std::max(0.0, value - level);
      break;
    }
    set_gain(members_[count_ - 1], weight, target);
  }
  double score = 0.0;
  for (const Member& m : members()) score += m.weight * m.score;
  return score;
}

void ActiveSet::mix(std::span<double> u) {
  std::fill(u.begin(), u.end(), 0.0);
  for (const Member& m : members()) {
    for (const int i : m.ones) u[i] += m.weight;
  }
}

/// False when it is there already.
bool ActiveSet::add(const Factor& factor, std::span<const std::uint8_t> y) {
  mark_.resize(y.size(), 0.0);
  if (count_ == members_.size()) members_.emplace_back();
  Member& member = members_[count_];
  member.ones.clear();
  for (std::size_t i = 0; i < y.size(); ++i) {
    std::uint64_t eight = 1;  // inputs at once; most are 0 in a tree
    if (i + sizeof eight <= y.size()) std::memcpy(&eight, y.data() + i, sizeof eight);
    if (eight == 0) {
      i += sizeof eight - 1;
    } else if (y[i]) {
      member.ones.push_back(static_cast<int>(i));
    }
  }
  for (const Member& m : members()) {
    if (m.ones == member.ones) return false;
  }
  const bool hard = dynamic_cast<const HardFactor*>(&factor) != nullptr;  // 0 for what best() has found
  member.score = hard ? 0.0 : factor.score(y);
  member.weight = 0.0;
  ++count_;
  return true;
}

bool ActiveSet::include(const Factor& factor, Configuration y) {
  if (!add(factor, y)) return false;
  members_[count_ - 1].gain = 0.0;
  if (append()) return true;
  --count_;
  return false;
}

std::span<const double> ActiveSet::along(std::span<const double> direction, std::span<double> du) {
  x_.resize(count_);
  for (std::size_t k = 0; k < count_; ++k) {
    x_[k] = 0.0;
    for (const int i : members_[k].ones) x_[k] += direction[i];
  }
  return solve_along(du);
}

std::span<const double> ActiveSet::along_gains(std::span<const double> gains, std::span<double> du) {
  assert(gains.size() == count_);
  x_.assign(gains.begin(), gains.end());
  return solve_along(du);
}

/// As solve(), with sum 0: K da + tau 1 = x, where K = L L'.
std::span<const double> ActiveSet::solve_along(std::span<double> du) {
  assert(factored_ == count_);
  solve_lower(cholesky_.data(), stride_, x_);
  const double tau = dot(x_.data(), ones_.data(), count_) / dot(ones_.data(), ones_.data(), count_);
  for (std::size_t k = 0; k < count_; ++k) x_[k] -= tau * ones_[k];
  solve_lower_transposed(cholesky_.data(), stride_, x_);
  std::fill(du.begin(), du.end(), 0.0);
  for (std::size_t k = 0; k < count_; ++k) {
    for (const int i : members_[k].ones) du[i] += x_[k];
  }
  return x_;
}

/// Row of member factored_, the last one; false when it depends on those before it (the row is then the combination).
bool ActiveSet::append() {
  const std::size_t s = factored_;
  if (s == stride_) {
    const std::size_t wider = 2 * stride_ + kTriangleRows;  // no power of two: those share few sets of a cache
    std::vector<double> larger(wider * wider);
    for (std::size_t i = 0; i < s; ++i) std::copy_n(row(i), s, larger.begin() + static_cast<std::ptrdiff_t>(i * wider));
    cholesky_ = std::move(larger);
    stride_ = wider;
  }
  const Member& last = members_[s];
  for (const int i : last.ones) mark_[i] = 1.0;
  double* own = row(s);
  double square = static_cast<double>(last.ones.size()) + 1.0;
  for (std::size_t k = 0; k < s; ++k) {
    own[k] = 1.0;
    for (const int i : members_[k].ones) own[k] += mark_[i];
  }
  solve_lower(cholesky_.data(), stride_, {own, s});
  square -= dot(own, own, s);
  for (const int i : last.ones) mark_[i] = 0.0;
  if (square < kDependent * (static_cast<double>(last.ones.size()) + 1.0)) return false;
  own[s] = std::sqrt(square);
  const auto extend = [&](std::vector<double>& solution, double right) {
    solution.resize(s);
    solution.push_back((right - dot(own, solution.data(), s)) / own[s]);
  };
  extend(ones_, 1.0);
  extend(gains_, last.gain);
  ++factored_;
  return true;
}

/// Takes member k out; rotations make the rows after it triangular again.
void ActiveSet::remove(std::size_t k) {
  const auto gone = members_.begin() + static_cast<std::ptrdiff_t>(k);
  std::rotate(gone, gone + 1, members_.begin() + static_cast<std::ptrdiff_t>(count_));
  --count_;
  if (k >= factored_) return;
  for (std::size_t i = k; i + 1 < factored_; ++i) {
    double* own = row(i);
    std::copy_n(row(i + 1), i + 2, own);
  }
  --factored_;
  for (std::size_t j = k; j < factored_; ++j) {  // row j has one entry too many, at j + 1
    const double length = std::hypot(row(j)[j], row(j)[j + 1]);
    const double c = row(j)[j] / length;
    const double t = row(j)[j + 1] / length;
    const auto rotate = [&](double* own) {
      const double a = own[j];
      const double b = own[j + 1];
      own[j] = c * a + t * b;
      own[j + 1] = c * b - t * a;
    };
    for (std::size_t i = j; i < factored_; ++i) rotate(row(i));
    rotate(ones_.data());
    rotate(gains_.data());
  }
}

void ActiveSet::set_gain(Member& member, double weight, std::span<const double> target) {
  double sums[4] = {weight * member.score, 0.0, 0.0, 0.0};  // each waits for its last addition only
  for (std::size_t k = 0; k < member.ones.size(); ++k) sums[k % 4] += target[member.ones[k]];
  member.gain = (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

void ActiveSet::set_gains(double weight, std::span<const double> target) {
  gains_.resize(factored_);
  for (std::size_t k = 0; k < count_; ++k) {
    set_gain(members_[k], weight, target);
    if (k < factored_) gains_[k] = members_[k].gain;
  }
  solve_lower(cholesky_.data(), stride_, gains_);
}

/// The best mixture of members; those that get no weight leave. Returns gain - u.y, the same for all: what a better
/// configuration must exceed.
double ActiveSet::solve() {
  for (;;) {
    const std::size_t s = count_;
    if (factored_ < s && !append()) {
      // The last member is a combination of the others: moving along it changes neither u nor the sum of the weights.
      direction_.assign(row(s - 1), row(s - 1) + s);
      solve_lower_transposed(cholesky_.data(), stride_, {direction_.data(), s - 1});
      for (double& d : direction_) d = -d;
      direction_[s - 1] = 1.0;
      double slope = 0.0;
      for (std::size_t i = 0; i < s; ++i) slope += direction_[i] * members_[i].gain;
      if (slope < 0.0) {
        for (double& d : direction_) d = -d;
      }
      toward(direction_, s);
      continue;
    }
    // With y_1 = inverse of L times 1 and y_b likewise, sum a = y_1.(y_b + tau y_1) is to be 1.
    const double tau = (1.0 - dot(gains_.data(), ones_.data(), s)) / dot(ones_.data(), ones_.data(), s);
    x_.resize(s);
    for (std::size_t i = 0; i < s; ++i) x_[i] = gains_[i] + ones_[i] * tau;
    solve_lower_transposed(cholesky_.data(), stride_, x_);
    const bool inside = std::all_of(x_.begin(), x_.end(), [](double x) { return x >= 0.0; });
    if (inside) {
      for (std::size_t i = 0; i < s; ++i) members_[i].weight = x_[i];
      return 1.0 - tau;
    }
    for (std::size_t i = 0; i < s; ++i) x_[i] -= members_[i].weight;
    toward(x_, s);
  }
}

/// Moves the weights along the direction until the first is 0; that member leaves.
void ActiveSet::toward(const std::vector<double>& direction, std::size_t size) {
  double step = HUGE_VAL;
  std::size_t leaves = 0;
  for (std::size_t i = 0; i < size; ++i) {
    if (direction[i] >= 0.0) continue;
    const double limit = members_[i].weight / -direction[i];
    if (limit < step) {
      step = limit;
      leaves = i;
    }
  }
  for (std::size_t i = 0; i < size; ++i) {
    members_[i].weight = std::max(0.0, members_[i].weight + step * direction[i]);
  }
  remove(leaves);
}

}  // namespace kirchhoff::factor
