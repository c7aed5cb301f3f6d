// KNAPSACK: the weights of the inputs that are 1 sum to at most k. Weights are whole numbers, so that a table of
// weights used so far says all about the inputs before. With f_i[j] the sum (or the best) over the inputs before i that
// use j:
//   f_{i+1}[j] = f_i[j] + m_i f_i[j - w_i]      message to i: sum over j of f_i[j] g_i[k - w_i - j] / f_i[j] g_i[k - j]
// where g_i[j] is that of the inputs after i that use at most j; max-product has max for the sum. Only positive terms
// are added, in log space. The relaxation has a flow through the same table, which describes the hull. O(nk) time and
// storage for all of them; the projection is by the active set.
#include "factor/factors/knapsack.hpp"

#include <functional>
#include <numeric>
#include <utility>

namespace kirchhoff::factor {
namespace {

/// The inputs before i or after it, one more; a required input is always there.
template <class Add>
void extend(const double* from, double q, int weight, int k, Add add, double* to) {
  for (int j = k; j >= 0; --j) {
    const double with = j < weight ? -HUGE_VAL : from[j - weight] + (q == HUGE_VAL ? 0.0 : q);
    to[j] = q == HUGE_VAL ? with : add(from[j], with);
  }
}

struct KnapsackScratch {
  std::vector<double> before, after, up_to;
  static KnapsackScratch& get() {
    thread_local KnapsackScratch scratch;
    return scratch;
  }
};

/// Messages, and the sum or the best of all.
template <class Add>
double messages_by_table(std::span<const double> q, const std::vector<int>& weights, int k, Add add,
                         std::span<double> messages) {
  auto& [before, after, up_to] = KnapsackScratch::get();
  const std::size_t n = q.size(), width = static_cast<std::size_t>(k) + 1;
  before.assign((n + 1) * width, -HUGE_VAL);
  before[0] = 0.0;
  for (std::size_t i = 0; i < n; ++i) extend(&before[i * width], q[i], weights[i], k, add, &before[(i + 1) * width]);
  double all = -HUGE_VAL;
  for (std::size_t j = 0; j < width; ++j) all = add(all, before[n * width + j]);
  if (all == -HUGE_VAL) return all;
  after.assign(width, -HUGE_VAL);
  after[0] = 0.0;
  up_to.resize(width);
  for (std::size_t i = n; i-- > 0;) {
    std::partial_sum(after.begin(), after.end(), up_to.begin(), add);
    double on = -HUGE_VAL, off = -HUGE_VAL;
    for (int j = 0; j <= k; ++j) {
      const double here = before[i * width + static_cast<std::size_t>(j)];
      off = add(off, here + up_to[k - j]);
      if (j + weights[i] <= k) on = add(on, here + up_to[k - j - weights[i]]);
    }
    messages[i] = on - off;
    extend(after.data(), q[i], weights[i], k, add, after.data());
  }
  return all;
}

}  // namespace

std::shared_ptr<const KnapsackFactor> KnapsackFactor::of(const std::vector<double>& weights, double capacity) {
  double sum = 0.0;
  for (const double w : weights) {
    if (w != std::floor(w)) return nullptr;
    sum += w;
  }
  const double room = std::floor(std::min(sum, capacity * (1.0 + 1e-12)));
  if ((static_cast<double>(weights.size()) + 1.0) * (room + 1.0) > kMaxCells) return nullptr;
  std::vector<int> whole;  // what is too heavy alone is never there; a table need not be wider for it
  for (const double w : weights) whole.push_back(static_cast<int>(std::min(w, room + 1.0)));
  return std::make_shared<const KnapsackFactor>(std::move(whole), static_cast<int>(room));
}

KnapsackFactor::KnapsackFactor(std::vector<int> weights, int capacity)
    : HardFactor(static_cast<int>(weights.size())), weights_(std::move(weights)), capacity_(capacity) {}

bool KnapsackFactor::allows(Configuration y) const {
  long long used = 0;
  for (std::size_t i = 0; i < y.size(); ++i) used += y[i] ? weights_[i] : 0;
  return used <= capacity_;
}

Factor::Sum KnapsackFactor::sum_product(std::span<const double> q, std::span<double> messages) const {
  return {messages_by_table(q, weights_, capacity_, numeric::log_add, messages), 0.0};
}

double KnapsackFactor::max_product(std::span<const double> q, std::span<double> messages) const {
  return messages_by_table(q, weights_, capacity_, larger, messages);
}

double KnapsackFactor::best(std::span<const double> q, std::span<std::uint8_t> y) const {
  std::vector<double>& before = KnapsackScratch::get().before;
  const std::size_t n = q.size(), width = static_cast<std::size_t>(capacity_) + 1;
  before.assign((n + 1) * width, -HUGE_VAL);
  before[0] = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    extend(&before[i * width], q[i], weights_[i], capacity_, larger, &before[(i + 1) * width]);
  }
  const auto last = before.begin() + static_cast<std::ptrdiff_t>(n * width);
  auto used = static_cast<std::size_t>(std::max_element(last, last + static_cast<std::ptrdiff_t>(width)) - last);
  const double value = last[static_cast<std::ptrdiff_t>(used)];
  std::fill(y.begin(), y.end(), std::uint8_t{0});
  if (value == -HUGE_VAL) return value;
  for (std::size_t i = n; i-- > 0;) {
    const double* from = &before[i * width];
    const auto w = static_cast<std::size_t>(weights_[i]);
    const double without = q[i] == HUGE_VAL ? -HUGE_VAL : from[used];
    const double with = used < w ? -HUGE_VAL : from[used - w] + (q[i] == HUGE_VAL ? 0.0 : q[i]);
    if (!(with > without)) continue;
    y[i] = 1;
    used -= w;
  }
  return value;
}

Relaxation KnapsackFactor::relaxation() const {
  Relaxation r;
  const std::size_t width = static_cast<std::size_t>(capacity_) + 1;
  std::vector<Relaxation::Row> through(width), next(width);  // what comes into a cell of the table less what leaves it
  for (int i = 0; i < arity(); ++i) {
    const auto w = static_cast<std::size_t>(weights_[i]);
    Relaxation::Row on;
    on.terms.emplace_back(i, -1.0);
    on.lower = on.upper = 0.0;
    next.assign(width, {});
    for (std::size_t j = 0; j < width; ++j) {
      if (through[j].terms.empty() && !(i == 0 && j == 0)) continue;  // not reached
      const auto arc = [&](std::size_t to) {
        r.costs.push_back(0.0);
        const int column = arity() + static_cast<int>(r.costs.size()) - 1;
        through[j].terms.emplace_back(column, -1.0);
        next[to].terms.emplace_back(column, 1.0);
        return column;
      };
      arc(j);
      if (j + w < width) on.terms.emplace_back(arc(j + w), 1.0);
      through[j].lower = through[j].upper = i == 0 ? -1.0 : 0.0;
      r.rows.push_back(std::move(through[j]));
    }
    r.rows.push_back(std::move(on));
    std::swap(through, next);
  }
  return r;
}

}  // namespace kirchhoff::factor
