// PAIR: score s when both inputs are 1. With a, b the log-ratios:
//   Z = 1 + e^a + e^b + e^(a+b+s)      message to a's input: (1 + e^(b+s)) / (1 + e^b); max-product has max for sum
//   hull: u_ab <= u_a, u_ab <= u_b, u_ab >= u_a + u_b - 1 [Martins10, eq. 12]
// O(1).
#include "base/check.hpp"
#include "factor/factors/factors.hpp"
#include "factor/factors/pair_point.hpp"

namespace kirchhoff::factor {
namespace {

/// Of a large log-ratio nothing may be taken that was added to it: digits of the score would be lost.
double max_message(double other, double score) {
  if (other > 0.0) return std::max(-other, score);
  return std::max(0.0, other + score);
}

/// What one exponential and one logarithm tell of a log-ratio.
struct LogRatio {
  double x;
  double e;     ///< e^-|x|
  double rest;  ///< log(1 + e^-|x|)
  explicit LogRatio(double ratio) : x(ratio), e(std::exp(-std::abs(ratio))), rest(std::log1p(e)) {}
  double softplus() const { return std::max(x, 0.0) + rest; }
  double sigmoid() const { return (x >= 0.0 ? 1.0 : e) / (1.0 + e); }
};

/// `with` is the other input's log-ratio when this one is 1.
double sum_message(const LogRatio& other, const LogRatio& with, double score) {
  if (numeric::is_infinite(other.x)) return other.x > 0.0 ? score : 0.0;
  return max_message(other.x, score) + (with.rest - other.rest);
}

/// Log-weights of 00, 01, 10, 11.
struct PairWeights {
  double w[4];
  PairWeights(std::span<const double> q, double score) {
    for (int e = 0; e < 4; ++e) {
      w[e] = e == 3 ? score : 0.0;
      for (int i = 0; i < 2; ++i) {
        const bool on = ((e >> (1 - i)) & 1) != 0;
        if (q[i] == HUGE_VAL ? !on : q[i] == -HUGE_VAL && on) {
          w[e] = -HUGE_VAL;
        } else if (on) {
          w[e] += numeric::finite_part(q[i]);
        }
      }
    }
  }
  int best() const { return static_cast<int>(std::max_element(w, w + 4) - w); }
};

}  // namespace

PairFactor::PairFactor(double score) : Factor(2), score_(score) {}

Factor::Sum PairFactor::sum_product(std::span<const double> q, std::span<double> messages) const {
  const LogRatio a(q[0]), a_with(q[0] + score_), b(q[1]), b_with(q[1] + score_);
  messages[0] = sum_message(b, b_with, score_);
  messages[1] = sum_message(a, a_with, score_);
  const LogRatio b_last(q[1] + messages[1]);
  const double both = b_last.sigmoid() * a_with.sigmoid();
  // Z = (1 + e^a) (1 + e^(b + message)): first a without regard to b, then b. Inputs that are fixed add nothing.
  double log_z = 0.0;
  if (q[1] == HUGE_VAL) {
    log_z = q[0] == HUGE_VAL ? score_ : q[0] == -HUGE_VAL ? 0.0 : a_with.softplus();
  } else {
    if (!numeric::is_infinite(q[0])) log_z += a.softplus();
    if (q[1] != -HUGE_VAL) log_z += b_last.softplus();
  }
  return {log_z, score_ * both};
}

double PairFactor::max_product(std::span<const double> q, std::span<double> messages) const {
  messages[0] = max_message(q[1], score_);
  messages[1] = max_message(q[0], score_);
  const PairWeights weights(q, score_);
  return weights.w[weights.best()];
}

double PairFactor::best(std::span<const double> q, std::span<std::uint8_t> y) const {
  const PairWeights weights(q, score_);
  const int e = weights.best();
  y[0] = static_cast<std::uint8_t>(e >> 1);
  y[1] = static_cast<std::uint8_t>(e & 1);
  return weights.w[e];
}

std::optional<double> PairFactor::project(std::span<const double> target, double weight, std::span<double> u) const {
  const PairPoint point = project_pair(target[0], target[1], weight * score_);
  u[0] = point.a;
  u[1] = point.b;
  return score_ * point.both;
}

Relaxation PairFactor::relaxation() const {
  Relaxation result;
  result.costs = {score_};
  result.rows.resize(3);
  result.rows[0].terms = {{2, 1.0}, {0, -1.0}};
  result.rows[0].upper = 0.0;
  result.rows[1].terms = {{2, 1.0}, {1, -1.0}};
  result.rows[1].upper = 0.0;
  result.rows[2].terms = {{2, 1.0}, {0, -1.0}, {1, -1.0}};
  result.rows[2].lower = -1.0;
  return result;
}

}  // namespace kirchhoff::factor
