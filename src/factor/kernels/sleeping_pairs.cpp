// Pairs that AD3 may leave alone. A pair's score is linear on each side of a crease: s min(u_a, u_b) at u_a = u_b, s
// max(0, u_a + u_b - 1) at u_a + u_b = 1. Away from the crease its best q is known:
//   s >= 0: (-s, 0) where u_a < u_b, (0, -s) where u_a > u_b;   s < 0: (0, 0) where u_a + u_b < 1, else (-s, -s)
// and it agrees with every p near by. As long as it has a voice in the mean p it only votes for the p before, and makes
// each step shorter: with thirty pairs at an arc and five of them on their crease, much shorter. So it goes to sleep
// with that q, and wakes when p crosses the crease. The bound holds for any q, those of sleepers too. [Martins15] also
// leaves factors alone that have nothing new to say, to save their projections; there they keep their voice. O(pairs).
#include "factor/kernels/pair_factors.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kirchhoff::factor {
namespace {

constexpr double kMargin = 0.02;  // how far from the crease p must be
constexpr double kNear = 0.3;     // how far q may be from where it goes, relative to |s|

bool is_vertex(double a, double b) { return (a == 0.0 || a == 1.0) && (b == 0.0 || b == 1.0); }

}  // namespace

bool PairFactors::update_sleepers(std::span<const double> p, bool may_sleep, std::span<const int> home,
                                  std::span<double> moved) {
  const std::size_t before = awake_;
  for (std::size_t k = first_to_wake(p, awake_); k < score_.size(); k = first_to_wake(p, k + 1)) {
    wake(k);
  }
  bool changed = awake_ != before;
  for (std::size_t k = awake_; may_sleep && k-- > 0;) {
    if (home[a_[k]] < 0 || home[b_[k]] < 0 || !try_to_sleep(k, p, moved)) continue;
    sum_a_[k] -= updates_ * q_a_[k];
    sum_b_[k] -= updates_ * q_b_[k];
    exchange(k, --awake_);
    changed = true;
  }
  while (awake_ % kPairsAtOnce != 0) wake(awake_);
  return changed;
}

void PairFactors::wake(std::size_t k) {
  sum_a_[k] += updates_ * q_a_[k];
  sum_b_[k] += updates_ * q_b_[k];
  exchange(k, awake_++);
}

/// Gives the pair the q of its side, if p is far enough on it and q near. At a vertex that it agrees with, any q will
/// do.
bool PairFactors::try_to_sleep(std::size_t k, std::span<const double> p, std::span<double> moved) {
  const double s = score_[k];
  const double a = p[a_[k]];
  const double b = p[b_[k]];
  if (is_vertex(a, b) && u_a_[k] == a && u_b_[k] == b) return true;
  const double side = s < 0.0 ? a + b - 1.0 : a - b;
  if (std::abs(side) < kMargin) return false;
  const double q_a = (s < 0.0) == (side > 0.0) ? -s : 0.0;
  const double q_b = side > 0.0 ? -s : 0.0;
  if (std::abs(q_a_[k] - q_a) + std::abs(q_b_[k] - q_b) > kNear * std::abs(s)) return false;
  moved[a_[k]] += std::exchange(q_a_[k], q_a) - q_a;
  moved[b_[k]] += std::exchange(q_b_[k], q_b) - q_b;
  return true;
}

void PairFactors::exchange(std::size_t k, std::size_t l) {
  std::swap(a_[k], a_[l]);
  std::swap(b_[k], b_[l]);
  std::swap(number_[k], number_[l]);
  for (std::vector<double>* values : {&score_, &q_a_, &q_b_, &u_a_, &u_b_, &sum_a_, &sum_b_}) {
    std::swap((*values)[k], (*values)[l]);
  }
}

void PairFactors::enter_mean() {
  const double part = 1.0 / updates_;
  for (std::size_t k = 0; k < score_.size(); ++k) {
    const double slept = k < awake_ ? 0.0 : 1.0;
    mean_a_[k] = slept * q_a_[k] + part * sum_a_[k];
    mean_b_[k] = slept * q_b_[k] + part * sum_b_[k];
  }
  leave_mean();
}

void PairFactors::leave_mean() {
  q_a_.swap(mean_a_);
  q_b_.swap(mean_b_);
}

void PairFactors::add_voices(std::span<double> sums) const {
  for (std::size_t k = 0; k < awake_; ++k) {
    sums[a_[k]] += 1.0;
    sums[b_[k]] += 1.0;
  }
}

}  // namespace kirchhoff::factor
