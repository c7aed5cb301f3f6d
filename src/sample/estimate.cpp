// Estimates of expectations from samples.
//
// Without replacement, a tree is in the sample when its perturbed log-probability exceeds the
// threshold; given the threshold, with probability q = 1 - exp(-exp(log p - threshold)). Weighing it by p / q is
// unbiased [Kool19, section 4.2].
#include "base/check.hpp"
#include "kirchhoff/sample.hpp"
#include "numeric/sum.hpp"

#include <cmath>
#include <string>

namespace kirchhoff {
namespace {

void check_values(const char* function, const std::vector<double>& values) {
  if (values.empty()) base::input_error(function, "no values");
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) base::input_error(function, "values[" + std::to_string(i) + "] is not finite");
  }
}

struct WeightedSum {
  double weight, value;
};
WeightedSum weighted_sum(const char* function, const PerturbedTrees& sample, const std::vector<double>& values) {
  check_values(function, values);
  if (values.size() != sample.trees.size()) {
    base::input_error(function,
                      std::to_string(values.size()) + " values for " + std::to_string(sample.trees.size()) + " trees");
  }
  const std::vector<double> weights = importance_weights(sample);
  numeric::Sum weight, value;
  for (std::size_t i = 0; i < values.size(); ++i) {
    weight.add(weights[i]);
    value.add(weights[i] * values[i]);
  }
  return {weight.value(), value.value()};
}

}  // namespace

Estimate mean_estimate(const std::vector<double>& values) {
  check_values("mean_estimate", values);
  const auto count = static_cast<double>(values.size());
  numeric::Sum sum, squares;
  for (const double x : values) sum.add(x);
  const double mean = sum.value() / count;
  for (const double x : values) squares.add((x - mean) * (x - mean));
  return {mean, values.size() == 1 ? HUGE_VAL : std::sqrt(squares.value() / (count - 1.0) / count)};
}

std::vector<double> importance_weights(const PerturbedTrees& sample) {
  std::vector<double> weights;
  weights.reserve(sample.trees.size());
  for (const Tree& tree : sample.trees) {
    if (!tree.log_prob) base::input_error("importance_weights", "a tree has no log_prob");
    // p / q; for p far below the threshold q = p exp(-threshold), also where p is too small for a double.
    const double ratio = std::exp(*tree.log_prob - sample.threshold);
    weights.push_back(ratio < 1e-300 ? std::exp(sample.threshold) : std::exp(*tree.log_prob) / -std::expm1(-ratio));
  }
  return weights;
}

double importance_estimate(const PerturbedTrees& sample, const std::vector<double>& values) {
  return weighted_sum("importance_estimate", sample, values).value;
}

double normalised_estimate(const PerturbedTrees& sample, const std::vector<double>& values) {
  const WeightedSum sum = weighted_sum("normalised_estimate", sample, values);
  if (!(sum.weight > 0.0)) base::input_error("normalised_estimate", "all trees are too improbable for a double");
  return sum.value / sum.weight;
}

}  // namespace kirchhoff
