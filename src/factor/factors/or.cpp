// OR: at least one input is 1 [Martins10, table 1]. With A = sum of log(1 + e^q_i), and A_i without input i:
//   Z = e^A - 1            message to i: 1 / (1 - e^-A_i)
//   max-product            message to i: max(0, -max over j != i of q_j)
//   hull: sum u >= 1
// Sums are kept as logarithms of A, so that inputs of log-ratio -1e4 are not lost. All messages together O(n);
// projection O(n log n).
#include "factor/factors/factors.hpp"
#include "factor/factors/projections.hpp"

namespace kirchhoff::factor {

bool OrFactor::allows(Configuration y) const { return ones(y) > 0; }

Factor::Sum OrFactor::sum_product(std::span<const double> q, std::span<double> messages) const {
  double free = 0.0;  // log of all configurations of the inputs that are not required
  for (std::size_t i = 0; i < q.size(); ++i) {
    messages[i] = numeric::log_softplus(q[i]);
    if (q[i] != HUGE_VAL) free += numeric::softplus(q[i]);
  }
  const double log_a = numeric::log_sums_without(messages, -HUGE_VAL, messages);
  if (log_a == -HUGE_VAL) return {};
  for (double& message : messages) message = -numeric::log_1mexp_of_exp(message);
  return {log_a == HUGE_VAL ? free : numeric::log_expm1_of_exp(log_a), 0.0};
}

double OrFactor::max_product(std::span<const double> q, std::span<double> messages) const {
  double value = 0.0;
  for (const double x : q) value += std::max(0.0, numeric::finite_part(x));
  const double highest = numeric::maxima_without(q, -HUGE_VAL, messages);
  if (highest == -HUGE_VAL) return -HUGE_VAL;
  for (double& message : messages) message = std::max(0.0, -message);
  return value + std::min(0.0, highest);
}

/// Once an input is known to be 1, the others are independent.
std::optional<double> OrFactor::log_belief(std::span<const double> q, Configuration y) const {
  thread_local std::vector<double> messages;
  messages.resize(q.size());
  sum_product(q, messages);
  const auto one = static_cast<std::size_t>(std::find(y.begin(), y.end(), std::uint8_t{1}) - y.begin());
  double log_p = 0.0;
  for (std::size_t i = 0; i < q.size(); ++i) {
    const double known = i == one && !numeric::is_infinite(q[i]) ? messages[i] : 0.0;
    log_p += numeric::log_probability(q[i] + known, y[i] != 0);
  }
  return log_p;
}

double OrFactor::best(std::span<const double> q, std::span<std::uint8_t> y) const {
  double value = 0.0;
  for (std::size_t i = 0; i < q.size(); ++i) {
    y[i] = q[i] > 0.0;
    if (y[i]) value += numeric::finite_part(q[i]);
  }
  const auto highest = std::max_element(q.begin(), q.end());
  if (*highest > 0.0) return value;
  y[highest - q.begin()] = 1;
  return *highest;
}

std::optional<double> OrFactor::project(std::span<const double> target, double, std::span<double> u) const {
  if (project_on_box(target, u) < 1.0) project_on_simplex(target, u);
  return 0.0;
}

Relaxation OrFactor::relaxation() const {
  Relaxation result;
  Relaxation::Row& row = result.rows.emplace_back();
  for (int i = 0; i < arity(); ++i) row.terms.emplace_back(i, 1.0);
  row.lower = 1.0;
  return result;
}

}  // namespace kirchhoff::factor
