// OR-WITH-OUTPUT: the last input is the OR of the others [Martins10, table 1]. With q_o the output's log-ratio, A = sum
// over the others of log(1 + e^q_i), and A_i without input i:
//   Z = 1 + e^q_o (e^A - 1)       message to the output: e^A - 1
//                                 message to input i: 1 / ((1 - e^-A_i) + e^(-q_o - A_i))
// Max-product, with P = sum of max(0, q_i), P_i without input i, and x_i the largest of the other inputs' log-ratios:
//                                 message to the output: P + min(0, x); to input i: min(q_o + P_i, max(0, -x_i))
//   hull: u_i <= u_o <= sum u_i
// All messages together O(n); projection O(n log n).
#include "base/check.hpp"
#include "factor/factors/factors.hpp"
#include "factor/factors/projections.hpp"

#include <functional>

namespace kirchhoff::factor {
namespace {

/// Inputs that must be 1 while the output must be 0, or the other way round.
bool contradicts(std::span<const double> inputs, double output) {
  if (output == -HUGE_VAL) return numeric::count_required(inputs) > 0;
  return output == HUGE_VAL && *std::max_element(inputs.begin(), inputs.end()) == -HUGE_VAL;
}

}  // namespace

OrOutFactor::OrOutFactor(int arity) : HardFactor(arity) {
  if (arity < 2) base::input_error("OrOutFactor", "an OR with output needs an input");
}

bool OrOutFactor::allows(Configuration y) const {
  const int inputs = ones(y.first(y.size() - 1));
  return (inputs > 0) == (y.back() != 0);
}

Factor::Sum OrOutFactor::sum_product(std::span<const double> q, std::span<double> messages) const {
  const auto inputs = q.first(q.size() - 1);
  const auto out = messages.first(inputs.size());
  const double output = q.back();
  if (contradicts(inputs, output)) return {};
  double free = 0.0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    out[i] = numeric::log_softplus(inputs[i]);
    if (inputs[i] != HUGE_VAL) free += numeric::softplus(inputs[i]);
  }
  const double log_a = numeric::log_sums_without(out, -HUGE_VAL, out);
  for (double& x : out)
    x = -numeric::log_add(numeric::log_1mexp_of_exp(x), x == HUGE_VAL ? -HUGE_VAL : -output - std::exp(x));
  messages.back() = numeric::log_expm1_of_exp(log_a);
  if (log_a == HUGE_VAL) return {free + numeric::finite_part(output), 0.0};
  return {output == HUGE_VAL ? messages.back() : numeric::softplus(output + messages.back()), 0.0};
}

double OrOutFactor::max_product(std::span<const double> q, std::span<double> messages) const {
  const auto inputs = q.first(q.size() - 1);
  const auto out = messages.first(inputs.size());
  const double output = q.back();
  if (contradicts(inputs, output)) return -HUGE_VAL;
  double positive = 0.0;
  for (const double x : inputs) positive += std::max(0.0, numeric::finite_part(x));
  const int required = numeric::count_required(inputs);
  const double highest = numeric::maxima_without(inputs, -HUGE_VAL, out);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const bool others_required = required > (inputs[i] == HUGE_VAL ? 1 : 0);
    const double others = positive - std::max(0.0, numeric::finite_part(inputs[i]));
    out[i] = others_required ? 0.0 : std::min(output + others, std::max(0.0, -out[i]));
  }
  messages.back() = required > 0 ? HUGE_VAL : positive + std::min(0.0, highest);
  if (required > 0) return positive + numeric::finite_part(output);
  return output == HUGE_VAL ? messages.back() : std::max(0.0, output + messages.back());
}

/// An output of 0 says all; if it is 1, the others are the inputs of an OR.
std::optional<double> OrOutFactor::log_belief(std::span<const double> q, Configuration y) const {
  thread_local std::vector<double> messages;
  messages.resize(q.size());
  sum_product(q, messages);
  const double known = numeric::is_infinite(q.back()) ? 0.0 : messages.back();
  const double log_p = numeric::log_probability(q.back() + known, y.back() != 0);
  if (y.back() == 0) return log_p;
  const auto inputs = q.first(q.size() - 1);
  return log_p + *OrFactor(static_cast<int>(inputs.size())).log_belief(inputs, y.first(inputs.size()));
}

double OrOutFactor::best(std::span<const double> q, std::span<std::uint8_t> y) const {
  const auto inputs = q.first(q.size() - 1);
  const double output = q.back();
  std::fill(y.begin(), y.end(), std::uint8_t{0});
  if (contradicts(inputs, output)) return -HUGE_VAL;
  const auto highest = std::max_element(inputs.begin(), inputs.end());
  double value = std::min(0.0, *highest);
  for (const double x : inputs) value += std::max(0.0, numeric::finite_part(x));
  if (numeric::count_required(q) == 0 && !(output + value > 0.0)) return 0.0;
  for (std::size_t i = 0; i < inputs.size(); ++i) y[i] = inputs[i] > 0.0;
  y[highest - inputs.begin()] = 1;
  y.back() = 1;
  return value + numeric::finite_part(output);
}

/// Onto {u_i <= u_o}: the output is the mean of itself and of the inputs that it pulls down.
void OrOutFactor::project_on_cone(std::span<const double> target, std::span<double> u) const {
  thread_local std::vector<double> sorted;
  sorted.assign(target.begin(), target.end() - 1);
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = target.back();
  double output = sum;
  for (std::size_t i = 0; i < sorted.size() && sorted[i] > output; ++i) {
    sum += sorted[i];
    output = sum / static_cast<double>(i + 2);
  }
  for (std::size_t i = 0; i + 1 < target.size(); ++i) u[i] = std::clamp(std::min(target[i], output), 0.0, 1.0);
  u.back() = std::clamp(output, 0.0, 1.0);
}

// [Martins15]: onto the cone within the box; if that leaves the output above the sum, the answer lies where they are
// equal, which is the simplex of the inputs and the negated output.
std::optional<double> OrOutFactor::project(std::span<const double> target, double, std::span<double> u) const {
  project_on_cone(target, u);
  double sum = 0.0;
  for (const double x : u.first(u.size() - 1)) sum += x;
  if (u.back() <= sum) return 0.0;
  thread_local std::vector<double> negated;
  negated.assign(target.begin(), target.end());
  negated.back() = 1.0 - negated.back();
  project_on_simplex(negated, u);
  u.back() = 1.0 - u.back();
  return 0.0;
}

Relaxation OrOutFactor::relaxation() const {
  Relaxation result;
  const int output = arity() - 1;
  Relaxation::Row sum;
  sum.terms.emplace_back(output, -1.0);
  sum.lower = 0.0;
  for (int i = 0; i < output; ++i) {
    sum.terms.emplace_back(i, 1.0);
    Relaxation::Row& row = result.rows.emplace_back();
    row.terms = {{output, 1.0}, {i, -1.0}};
    row.lower = 0.0;
  }
  result.rows.push_back(std::move(sum));
  return result;
}

}  // namespace kirchhoff::factor
