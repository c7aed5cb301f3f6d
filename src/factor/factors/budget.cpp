// BUDGET(k): at most k inputs are 1. With e_j the elementary symmetric polynomials of the m_i = e^q_i:
//   Z = e_0 + ... + e_k      message to i: (e_0 + ... + e_{k-1}) / (e_0 + ... + e_k), both without input i
//   max-product              message to i: minus the k-th largest of max(0, q_j) over j != i
//   hull: sum u <= k
// The polynomials without one input are products of those of the inputs before and after it: only sums of positive
// terms, in log space. O(nk) time and storage; max-product O(n log k); projection O(n log n).
#include "base/check.hpp"
#include "factor/factors/factors.hpp"
#include "factor/factors/projections.hpp"

#include <functional>
#include <numeric>
#include <string>

namespace kirchhoff::factor {
namespace {

/// to = from * (1 + m x), in logarithms; a required input has x only.
void multiply(const double* from, double q, int k, double* to) {
  for (int j = k; j >= 0; --j) {
    const double with = j == 0 ? -HUGE_VAL : q == HUGE_VAL ? from[j - 1] : from[j - 1] + q;
    to[j] = q == HUGE_VAL ? with : numeric::log_add(from[j], with);
  }
}

}  // namespace

BudgetFactor::BudgetFactor(int arity, int budget) : HardFactor(arity), budget_(std::min(arity, budget)) {
  if (budget < 0) base::input_error("BudgetFactor", "budget: " + std::to_string(budget) + " is negative");
}

bool BudgetFactor::allows(Configuration y) const { return ones(y) <= budget_; }

Factor::Sum BudgetFactor::sum_product(std::span<const double> q, std::span<double> messages) const {
  const int n = arity();
  const int k = budget_;
  const std::size_t width = static_cast<std::size_t>(k) + 1;
  thread_local std::vector<double> before;  // before[i * width + j]: log e_j of the inputs before i
  thread_local std::vector<double> after;   // after[j]: log e_j of the inputs after i, then log (e_0 + ... + e_j)
  thread_local std::vector<double> up_to;
  before.resize((static_cast<std::size_t>(n) + 1) * width);
  std::fill_n(before.begin(), width, -HUGE_VAL);
  before[0] = 0.0;
  for (int i = 0; i < n; ++i) multiply(&before[i * width], q[i], k, &before[(i + 1) * width]);
  double log_z = -HUGE_VAL;
  for (int j = 0; j <= k; ++j) log_z = numeric::log_add(log_z, before[n * width + j]);
  if (log_z == -HUGE_VAL) return {};
  after.assign(width, -HUGE_VAL);
  after[0] = 0.0;
  up_to.resize(width);
  for (int i = n - 1; i >= 0; --i) {
    std::partial_sum(after.begin(), after.end(), up_to.begin(), numeric::log_add);
    double on = -HUGE_VAL;
    double off = -HUGE_VAL;
    for (int j = 0; j <= k; ++j) {
      off = numeric::log_add(off, before[i * width + j] + up_to[k - j]);
      if (j < k) on = numeric::log_add(on, before[i * width + j] + up_to[k - 1 - j]);
    }
    messages[i] = on - off;
    multiply(after.data(), q[i], k, after.data());
  }
  return {log_z, 0.0};
}

/// The probability is 1 / Z for the Z of changes: an input that is 0 in y may become 1, with weight e^q, and one that
/// is 1 may become 0, with weight e^-q. If y has m ones, a and b of such changes are allowed when a - b <= k - m.
std::optional<double> BudgetFactor::log_belief(std::span<const double> q, Configuration y) const {
  const int k = budget_;
  const int m = ones(y);
  std::vector<double> on(static_cast<std::size_t>(k) + 1, -HUGE_VAL), off(static_cast<std::size_t>(m) + 1, -HUGE_VAL);
  on[0] = off[0] = 0.0;
  for (std::size_t i = 0; i < q.size(); ++i) {
    const double change = y[i] ? -q[i] : q[i];
    if (change == HUGE_VAL) return -HUGE_VAL;
    multiply((y[i] ? off : on).data(), change, y[i] ? m : k, (y[i] ? off : on).data());
  }
  std::partial_sum(on.begin(), on.end(), on.begin(), numeric::log_add);
  double log_z = -HUGE_VAL;
  for (int b = 0; b <= m; ++b) log_z = numeric::log_add(log_z, off[b] + on[k - m + b]);
  return -log_z;
}

double BudgetFactor::max_product(std::span<const double> q, std::span<double> messages) const {
  const int required = numeric::count_required(q);
  if (required > budget_) return -HUGE_VAL;
  if (budget_ == 0) {
    std::fill(messages.begin(), messages.end(), -HUGE_VAL);
    return 0.0;
  }
  thread_local std::vector<double> largest;
  largest.assign(static_cast<std::size_t>(budget_) + 1, 0.0);
  std::partial_sort_copy(q.begin(), q.end(), largest.begin(), largest.end(), std::greater<>());
  // Without an input that is among the k largest, the next one moves up.
  const double kth = std::max(0.0, largest[budget_ - 1]);
  const double next = std::max(0.0, largest[budget_]);
  double value = 0.0;
  for (int i = 0; i < budget_; ++i) value += std::max(0.0, numeric::finite_part(largest[i]));
  for (std::size_t i = 0; i < q.size(); ++i) messages[i] = q[i] >= kth && q[i] > 0.0 ? -next : -kth;
  return value;
}

double BudgetFactor::best(std::span<const double> q, std::span<std::uint8_t> y) const {
  thread_local std::vector<int> order;
  order.resize(q.size());
  std::iota(order.begin(), order.end(), 0);
  std::fill(y.begin(), y.end(), std::uint8_t{0});
  if (numeric::count_required(q) > budget_) return -HUGE_VAL;
  const auto higher = [&](int a, int b) { return q[a] > q[b] || (q[a] == q[b] && a < b); };
  std::nth_element(order.begin(), order.begin() + budget_, order.end(), higher);
  double value = 0.0;
  for (int i = 0; i < budget_; ++i) {
    if (!(q[order[i]] > 0.0)) continue;
    y[order[i]] = 1;
    value += numeric::finite_part(q[order[i]]);
  }
  return value;
}

std::optional<double> BudgetFactor::project(std::span<const double> target, double, std::span<double> u) const {
  if (project_on_box(target, u) > budget_) project_on_box_slice(target, budget_, u);
  return 0.0;
}

Relaxation BudgetFactor::relaxation() const {
  Relaxation result;
  Relaxation::Row& row = result.rows.emplace_back();
  for (int i = 0; i < arity(); ++i) row.terms.emplace_back(i, 1.0);
  row.upper = budget_;
  return result;
}

}  // namespace kirchhoff::factor
