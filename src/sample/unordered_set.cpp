// The unordered set estimator [Kool20, sections 3 and 4].
//
// Structures arrive in a race of exponential times with their probabilities as rates (race.hpp), and S is the set of
// the first k. With r the rate of all others together, those of a set A come before the others with the probability
//
//   I(A) = integral over t > 0 of r e^(-r t) product over s in A of (1 - e^(-p_s t)) dt.
//
// So P(S) = I(S), and drawn from the structures without s, S \ {s} has the probability I(S \ {s}), whose rates need no
// normalisation since a change of the unit of time changes nothing. The leave-one-out ratios of the paper are
// R(S, s) = I(S \ {s}) / I(S) and R^(D \ {s})(S, u) = I(S \ {s, u}) / I(S \ {s}).
//
// With t = e^x the integrand is smooth on the whole line, falls off exponentially at its ends, and its logarithm bends
// by no more than 1.3 k + 1, so that the trapezoidal rule converges exponentially: a step of 0.4 / sqrt(1.3 k + 1)
// gives all digits. O(k) numbers at each of O(sqrt(k)) points, all as logarithms: probabilities may be beyond doubles.
#include "kirchhoff/unordered_set.hpp"

#include "base/check.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace kirchhoff {
namespace {

constexpr double kTail = 45.0;   // the integrand is followed until it is e^-45 of what it was
constexpr double kSlack = 1e-9;  // probabilities may sum to this much more than 1

/// log(1 - exp(-z)) for z = exp(log_z).
double log_share(double log_z) { return log_z < -37.0 ? log_z : std::log(-std::expm1(-std::exp(log_z))); }

void check_log_probs(const char* function, const std::vector<double>& log_probs) {
  for (std::size_t i = 0; i < log_probs.size(); ++i) {
    if (!(log_probs[i] <= kSlack) || std::isinf(log_probs[i])) {
      base::input_error(function, "log_probs[" + std::to_string(i) + "] is not the logarithm of a probability");
    }
  }
}

void check_values(const char* function, const std::vector<double>& log_probs, const std::vector<double>& values) {
  if (values.size() != log_probs.size()) {
    base::input_error(function, std::to_string(values.size()) + " values for " + std::to_string(log_probs.size()) +
                                    " log-probabilities");
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) base::input_error(function, "values[" + std::to_string(i) + "] is not finite");
  }
}

/// The rate of the structures that are not in the set; 0 when there is none.
double rest_of(const char* function, const std::vector<double>& log_probs) {
  double sum = 0.0;
  std::vector<double> sorted = log_probs;
  std::sort(sorted.begin(), sorted.end());
  for (const double log_p : sorted) sum += std::exp(log_p);
  if (sum > 1.0 + kSlack)
    base::input_error(function, "probabilities sum to " + std::to_string(sum) + "; are they distinct?");
  return std::max(0.0, 1.0 - sum);
}

/// The integrand of I(S) at the points of the rule, and the factor of each structure: their logarithms.
class Integrand {
 public:
  Integrand(const std::vector<double>& log_probs, double rest) : count_(log_probs.size()) {
    const double log_rest = std::log(rest);
    const double fastest = std::max(log_rest, *std::max_element(log_probs.begin(), log_probs.end()));
    const double step = 0.4 / std::sqrt(1.3 * static_cast<double>(count_) + 1.0);
    const double first = -fastest - kTail, last = std::log(kTail + static_cast<double>(count_)) - log_rest + 1.0;
    for (double x = first; x < last; x += step) {
      double sum = x - std::exp(log_rest + x);
      for (const double log_p : log_probs) {
        const double share = log_share(log_p + x);
        shares_.push_back(share);
        sum += share;
      }
      logs_.push_back(sum);
    }
  }

  /// log I of the set without some of its members, but for a constant.
  template <class... Members>
  double log_without(Members... s) const {
    const auto at = [&](std::size_t x) { return logs_[x] - (0.0 + ... + shares_[x * count_ + s]); };
    double top = -HUGE_VAL, sum = 0.0;
    for (std::size_t x = 0; x < logs_.size(); ++x) top = std::max(top, at(x));
    for (std::size_t x = 0; x < logs_.size(); ++x) sum += std::exp(at(x) - top);
    return top + std::log(sum);
  }

 private:
  std::size_t count_;
  std::vector<double> logs_, shares_;
};

}  // namespace

std::vector<double> log_probs(const PerturbedTrees& sample) {
  std::vector<double> out;
  out.reserve(sample.trees.size());
  for (const Tree& tree : sample.trees) {
    if (!tree.log_prob) base::input_error("log_probs", "a tree has no log_prob");
    out.push_back(*tree.log_prob);
  }
  return out;
}

std::vector<double> unordered_set_weights(const std::vector<double>& log_probs) {
  check_log_probs("unordered_set_weights", log_probs);
  std::vector<double> weights;
  for (const double log_p : log_probs) weights.push_back(std::exp(log_p));
  const double rest = rest_of("unordered_set_weights", log_probs);
  if (rest == 0.0 || weights.empty()) return weights;
  const Integrand integrand(log_probs, rest);
  const double whole = integrand.log_without();
  for (std::size_t s = 0; s < weights.size(); ++s) {
    weights[s] = std::exp(log_probs[s] + integrand.log_without(s) - whole);
  }
  return weights;
}

double unordered_set_estimate(const std::vector<double>& log_probs, const std::vector<double>& values) {
  check_values("unordered_set_estimate", log_probs, values);
  const std::vector<double> weights = unordered_set_weights(log_probs);
  double sum = 0.0;
  for (std::size_t s = 0; s < values.size(); ++s) sum += weights[s] * values[s];
  return sum;
}

std::vector<double> unordered_set_gradient(const std::vector<double>& log_probs, const std::vector<double>& values) {
  check_values("unordered_set_gradient", log_probs, values);
  std::vector<double> factors = unordered_set_weights(log_probs);
  const std::size_t count = values.size();
  if (count == 1) return {factors[0] * values[0]};
  const double rest = rest_of("unordered_set_gradient", log_probs);
  std::vector<double> baselines(count);
  for (std::size_t s = 0; s < count; ++s) baselines[s] = std::exp(log_probs[s]) * values[s];
  if (rest == 0.0) {
    double mean = 0.0;
    for (const double part : baselines) mean += part;
    std::fill(baselines.begin(), baselines.end(), mean);
  } else if (count > 1) {
    const Integrand integrand(log_probs, rest);
    std::vector<double> without(count);
    for (std::size_t s = 0; s < count; ++s) without[s] = integrand.log_without(s);
    for (std::size_t s = 0; s < count; ++s) {
      for (std::size_t u = 0; u < s; ++u) {
        const double both = integrand.log_without(s, u);
        baselines[s] += std::exp(log_probs[u] + both - without[s]) * values[u];
        baselines[u] += std::exp(log_probs[s] + both - without[u]) * values[s];
      }
    }
  }
  for (std::size_t s = 0; s < count; ++s) factors[s] *= values[s] - baselines[s];
  return factors;
}

}  // namespace kirchhoff
