// XOR (exactly one input is 1) and AT-MOST-ONE [Martins10, table 1]. m_i = e^q_i, and m_0 is the weight of no input
// being 1: 0 for XOR, 1 for AT-MOST-ONE.
//   Z = m_0 + sum m_i      message to i: 1 / (m_0 + sum over j != i of m_j); max-product has max for the sum
//   hull: sum u = 1, or sum u <= 1
// All messages together O(n); projection O(n log n).
#include "factor/factors/factors.hpp"
#include "factor/factors/projections.hpp"

#include <numeric>

namespace kirchhoff::factor {

OneFactor::OneFactor(int arity, Count count) : HardFactor(arity), none_(count == Count::at_most ? 0.0 : -HUGE_VAL) {
  if (count == Count::at_most) return;
  inputs_.resize(static_cast<std::size_t>(arity));
  std::iota(inputs_.begin(), inputs_.end(), 0);
  first_[1] = arity;
}

Factor::OneHot OneFactor::one_hot() const {
  if (inputs_.empty()) return {};
  return {inputs_, first_};
}

bool OneFactor::allows(Configuration y) const {
  const int n = ones(y);
  return n == 1 || (n == 0 && none_ == 0.0);
}

Factor::Sum OneFactor::sum_product(std::span<const double> q, std::span<double> messages) const {
  const int required = numeric::count_required(q);
  const double log_z = numeric::log_sums_without(q, none_, messages);
  if (required > 1 || log_z == -HUGE_VAL) return {};
  for (double& message : messages) message = -message;
  return {required == 1 ? 0.0 : log_z, 0.0};
}

double OneFactor::max_product(std::span<const double> q, std::span<double> messages) const {
  const int required = numeric::count_required(q);
  const double highest = numeric::maxima_without(q, none_, messages);
  if (required > 1 || highest == -HUGE_VAL) return -HUGE_VAL;
  for (double& message : messages) message = -message;
  return numeric::finite_part(highest);
}

/// Beside one input that is 1 the chain rule has nothing left to ask; no input being 1 has the weight 1.
std::optional<double> OneFactor::log_belief(std::span<const double> q, Configuration y) const {
  if (ones(y) > 0) return {};
  thread_local std::vector<double> messages;
  messages.resize(q.size());
  return -sum_product(q, messages).log_partition;
}

double OneFactor::best(std::span<const double> q, std::span<std::uint8_t> y) const {
  std::fill(y.begin(), y.end(), std::uint8_t{0});
  const auto highest = std::max_element(q.begin(), q.end());
  if (none_ == 0.0 && *highest <= 0.0) return 0.0;
  if (*highest == -HUGE_VAL || numeric::count_required(q) > 1) return -HUGE_VAL;
  y[highest - q.begin()] = 1;
  return numeric::finite_part(*highest);
}

std::optional<double> OneFactor::project(std::span<const double> target, double, std::span<double> u) const {
  if (none_ == 0.0 && project_on_box(target, u) <= 1.0) return 0.0;
  project_on_simplex(target, u);
  return 0.0;
}

Relaxation OneFactor::relaxation() const {
  Relaxation result;
  Relaxation::Row& row = result.rows.emplace_back();
  for (int i = 0; i < arity(); ++i) row.terms.emplace_back(i, 1.0);
  row.upper = 1.0;
  if (none_ != 0.0) row.lower = 1.0;
  return result;
}

}  // namespace kirchhoff::factor
