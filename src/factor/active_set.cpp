// Active set method for a factor's quadratic problem [Martins15, section 6]. With configurations y_1 ... y_s in the
// set, the best mixture without the constraint a >= 0 solves  Y Y' a + tau 1 = b,  sum a = 1,  b_k = t.y_k + w s_k. If
// it has negative weights, the mixture moves towards it until the first weight is 0, and that member leaves; otherwise
// best() at the gradient t - u either finds a new member or shows that the mixture is optimal. Cost of a step: s^3/3
// for the linear system and one best().
#include "factor/active_set.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace kirchhoff::factor {
namespace {

constexpr int kMaxSteps = 1000;
constexpr double kDependent = 1e-9;  // pivots of a Gram matrix of whole numbers are not that small
constexpr double kOptimal = 1e-12;

}  // namespace

double ActiveSet::project(const Factor& factor, std::span<const double> target, double weight, std::span<double> u) {
  const auto n = static_cast<std::size_t>(factor.arity());
  y_.resize(n);
  q_.resize(n);
  if (count_ == 0) {
    for (std::size_t i = 0; i < n; ++i) q_[i] = (target[i] - 0.5) / weight;
    [[maybe_unused]] const double value = factor.best(q_, y_);
    assert(value != -HUGE_VAL);
    add(factor, y_);
    members_.front().weight = 1.0;
  }
  for (int step = 0; step < kMaxSteps; ++step) {
    solve(weight, target);
    mix(u);
    // Among members the gain less the mixture's own is the same: what a better configuration must exceed.
    double level = -HUGE_VAL;
    for (const Member& m : members()) {
      double dot = 0.0;
      for (const int i : m.ones) dot += u[i];
      if (m.weight > 0.0) level = std::max(level, m.gain - dot);
    }
    for (std::size_t i = 0; i < n; ++i) q_[i] = (target[i] - u[i]) / weight;
    const double value = factor.best(q_, y_) * weight;
    if (value <= level + kOptimal * std::max(1.0, std::abs(level)) || !add(factor, y_)) break;
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
  if (count_ == members_.size()) members_.emplace_back();
  Member& member = members_[count_];
  member.ones.clear();
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (y[i]) member.ones.push_back(static_cast<int>(i));
  }
  for (const Member& m : members()) {
    if (m.ones == member.ones) return false;
  }
  member.score = factor.score(y);
  member.weight = 0.0;
  const std::size_t s = count_;
  if (s == stride_) {
    const std::size_t wider = std::max<std::size_t>(8, 2 * stride_);
    std::vector<double> larger(wider * wider);
    for (std::size_t i = 0; i < s; ++i) std::copy_n(gram_.begin() + i * stride_, s, larger.begin() + i * wider);
    gram_ = std::move(larger);
    stride_ = wider;
  }
  for (std::size_t k = 0; k < s; ++k) {
    double dot = 0.0;
    for (const int i : members_[k].ones) dot += y[i];
    gram(s, k) = gram(k, s) = dot;
  }
  gram(s, s) = static_cast<double>(member.ones.size());
  ++count_;
  return true;
}

void ActiveSet::remove(std::size_t k) {
  const std::size_t s = count_;
  for (std::size_t i = 0; i < s; ++i) {
    for (std::size_t j = k; j + 1 < s; ++j) gram(i, j) = gram(i, j + 1);
  }
  for (std::size_t i = k; i + 1 < s; ++i) {
    for (std::size_t j = 0; j + 1 < s; ++j) gram(i, j) = gram(i + 1, j);
  }
  const auto gone = members_.begin() + static_cast<std::ptrdiff_t>(k);
  std::rotate(gone, gone + 1, members_.begin() + static_cast<std::ptrdiff_t>(s));
  --count_;
}

/// The best mixture of members; those that get no weight leave.
void ActiveSet::solve(double weight, std::span<const double> target) {
  for (Member& m : members()) {
    m.gain = weight * m.score;
    for (const int i : m.ones) m.gain += target[i];
  }
  for (;;) {
    const std::size_t s = count_;
    if (s == 1) {
      members_[0].weight = 1.0;
      return;
    }
    const std::size_t dependent = factorise();
    if (dependent < s) {
      // Members 0 ... dependent are tied by a direction that moves neither u nor the sum: only the scores count.
      const std::size_t size = dependent + 1;
      direction_.assign(size, 0.0);
      for (std::size_t i = 0; i < dependent; ++i) direction_[i] = -(gram(dependent, i) + 1.0);
      back_substitute(dependent, direction_);
      direction_[dependent] = 1.0;
      double slope = 0.0;
      for (std::size_t i = 0; i < size; ++i) slope += direction_[i] * members_[i].gain;
      if (slope < 0.0) {
        for (double& d : direction_) d = -d;
      }
      toward(direction_, size);
      continue;
    }
    x_.resize(s);
    ones_.assign(s, 1.0);
    for (std::size_t i = 0; i < s; ++i) x_[i] = members_[i].gain;
    back_substitute(s, x_);
    back_substitute(s, ones_);
    double sum_x = 0.0;
    double sum_ones = 0.0;
    for (std::size_t i = 0; i < s; ++i) {
      sum_x += x_[i];
      sum_ones += ones_[i];
    }
    bool inside = true;
    for (std::size_t i = 0; i < s; ++i) {
      x_[i] += ones_[i] * (1.0 - sum_x) / sum_ones;
      inside = inside && x_[i] >= 0.0;
    }
    if (inside) {
      for (std::size_t i = 0; i < s; ++i) members_[i].weight = x_[i];
      return;
    }
    for (std::size_t i = 0; i < s; ++i) x_[i] -= members_[i].weight;
    toward(x_, s);
  }
}

/// Cholesky of Y Y' + 1 1', which is regular when the members are affinely independent; the first member that depends
/// on those before it, or their number.
std::size_t ActiveSet::factorise() {
  const std::size_t s = count_;
  cholesky_.resize(s * s);
  for (std::size_t i = 0; i < s; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = gram(i, j) + 1.0;
      for (std::size_t k = 0; k < j; ++k) sum -= cholesky_[i * s + k] * cholesky_[j * s + k];
      if (i == j) {
        if (sum < kDependent * (gram(i, i) + 1.0)) return i;
        cholesky_[i * s + i] = std::sqrt(sum);
      } else {
        cholesky_[i * s + j] = sum / cholesky_[j * s + j];
      }
    }
  }
  return s;
}

/// x = inverse of the leading part times x.
void ActiveSet::back_substitute(std::size_t size, std::vector<double>& x) const {
  const std::size_t s = count_;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= cholesky_[i * s + k] * x[k];
    x[i] /= cholesky_[i * s + i];
  }
  for (std::size_t i = size; i-- > 0;) {
    for (std::size_t k = i + 1; k < size; ++k) x[i] -= cholesky_[k * s + i] * x[k];
    x[i] /= cholesky_[i * s + i];
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
