// KNAPSACK with real weights, its sums: lists of the different weights that the inputs before and after one may use,
// and for each the log of the sum over the ways to do so. Linear in their lengths, which may grow exponentially.
#include "base/check.hpp"
#include "factor/factors/real_knapsack.hpp"

namespace kirchhoff::factor {
namespace {

/// Weights that some inputs may use, in order, and the log of the sum over the ways to do so.
struct Ways {
  double weight, log_sum;
};

/// The same with one input more.
std::vector<Ways> extended(const std::vector<Ways>& list, double q, double weight, double capacity) {
  std::vector<Ways> next;
  const auto add = [&](double w, double log_sum) {
    if (w > capacity) return;
    if (!next.empty() && next.back().weight == w) {
      next.back().log_sum = numeric::log_add(next.back().log_sum, log_sum);
    } else {
      next.push_back({w, log_sum});
    }
  };
  if (q == -HUGE_VAL) return list;
  std::size_t with = 0;
  for (const Ways& ways : list) {
    if (q == HUGE_VAL) break;
    for (; list[with].weight + weight < ways.weight; ++with) add(list[with].weight + weight, list[with].log_sum + q);
    add(ways.weight, ways.log_sum);
  }
  for (; with < list.size(); ++with) add(list[with].weight + weight, list[with].log_sum + numeric::finite_part(q));
  return next;
}

/// The log of the sum over what fits before and after, and `weight` more. `up_to` has the sums of the first of `after`.
double together(const std::vector<Ways>& before, const std::vector<Ways>& after, const std::vector<double>& up_to,
                double weight, double capacity) {
  double sum = -HUGE_VAL;
  std::size_t count = after.size();
  for (const Ways& ways : before) {
    while (count > 0 && ways.weight + weight + after[count - 1].weight > capacity) --count;
    if (count == 0) break;
    sum = numeric::log_add(sum, ways.log_sum + up_to[count - 1]);
  }
  return sum;
}

}  // namespace

void RealKnapsackFactor::fail() {
  base::input_error("KnapsackFactor", "more than 2^22 different sums of real weights; use whole numbers");
}

Factor::Sum RealKnapsackFactor::sum_product(std::span<const double> q, std::span<double> messages) const {
  std::vector<std::vector<Ways>> before = {{{0.0, 0.0}}};
  std::size_t entries = 0;
  for (std::size_t i = 0; i < q.size(); ++i) {
    before.push_back(extended(before.back(), q[i], weights_[i], capacity_));
    entries += before.back().size();
    if (entries > kMostEntries) fail();
  }
  Sum result;
  for (const Ways& ways : before.back()) result.log_partition = numeric::log_add(result.log_partition, ways.log_sum);
  if (result.log_partition == -HUGE_VAL) return result;
  std::vector<Ways> after = {{0.0, 0.0}};
  std::vector<double> up_to;
  for (std::size_t i = q.size(); i-- > 0;) {
    up_to.clear();
    for (const Ways& ways : after)
      up_to.push_back(up_to.empty() ? ways.log_sum : numeric::log_add(up_to.back(), ways.log_sum));
    messages[i] =
        together(before[i], after, up_to, weights_[i], capacity_) - together(before[i], after, up_to, 0.0, capacity_);
    after = extended(after, q[i], weights_[i], capacity_);
  }
  return result;
}

}  // namespace kirchhoff::factor
