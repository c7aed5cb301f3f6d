// What every factor can do by listing its configurations.
#include "kirchhoff/factor.hpp"
#include "base/check.hpp"
#include "factor/factors/enumerate.hpp"
#include "factor/graph/value_messages.hpp"

#include <string>

namespace kirchhoff {
namespace {

const factor::Slots& slots_of(const Factor& factor, const char* question) {
  if (factor.arity() > Factor::kEnumerable) {
    base::input_error(question, "a " + std::string(factor.name()) + " factor of " + std::to_string(factor.arity()) +
                                    " inputs must override it; up to " + std::to_string(Factor::kEnumerable) +
                                    " are enumerated");
  }
  static const std::vector<factor::Slots> kSlots = [] {
    std::vector<factor::Slots> slots;
    for (std::size_t n = 0; n <= Factor::kEnumerable; ++n) slots.emplace_back(std::vector<int>(n, 1));
    return slots;
  }();
  return kSlots[factor.arity()];
}

/// The states of slots of one input are the configuration.
auto score_of_states(const Factor& factor) {
  return [&factor](std::size_t, const std::vector<int>& state) {
    std::uint8_t y[Factor::kEnumerable];
    for (std::size_t i = 0; i < state.size(); ++i) y[i] = static_cast<std::uint8_t>(state[i]);
    return factor.score({y, state.size()});
  };
}

}  // namespace

Factor::Factor(int arity) : arity_(arity) {
  if (arity < 1) base::input_error("Factor", "a factor needs at least one input");
}

double Factor::least_score() const {
  if (arity() > kEnumerable) return -HUGE_VAL;
  const factor::Slots& slots = slots_of(*this, "least_score");
  const auto score_of = score_of_states(*this);
  std::vector<int> state(static_cast<std::size_t>(arity()), 0);
  double least = HUGE_VAL;
  do {
    const double s = score_of(0, state);
    if (s != -HUGE_VAL) least = std::min(least, s);
  } while (slots.next(state));
  return least;
}

Factor::Sum Factor::sum_product(std::span<const double> q, std::span<double> messages) const {
  return factor::sum_by_enumeration(slots_of(*this, "sum_product"), q, messages, score_of_states(*this));
}

double Factor::max_product(std::span<const double> q, std::span<double> messages) const {
  return factor::max_by_enumeration(slots_of(*this, "max_product"), q, messages, score_of_states(*this));
}

Factor::Sum Factor::sum_product_of_values(std::span<const double> q, std::span<double> messages) const {
  const Sum sum = sum_product(q, messages);
  const OneHot groups = one_hot();
  for (std::size_t g = 0; g < groups.size(); ++g) factor::to_log_weights(groups[g], Product::sum, q, messages);
  return sum;
}

double Factor::max_product_of_values(std::span<const double> q, std::span<double> messages) const {
  const double highest = max_product(q, messages);
  const OneHot groups = one_hot();
  for (std::size_t g = 0; g < groups.size(); ++g) factor::to_log_weights(groups[g], Product::max, q, messages);
  return highest;
}

double Factor::best(std::span<const double> q, std::span<std::uint8_t> y) const {
  return factor::best_by_enumeration(slots_of(*this, "best"), q, y, score_of_states(*this));
}

std::optional<double> Factor::project(std::span<const double>, double, std::span<double>) const { return {}; }

Relaxation Factor::relaxation() const {
  return factor::relaxation_by_enumeration(slots_of(*this, "relaxation"), score_of_states(*this));
}

double entropy(const Factor::Sum& sum, std::span<const double> q, std::span<const double> messages) {
  double expected = 0.0;
  for (std::size_t i = 0; i < q.size(); ++i) {
    if (!numeric::is_infinite(q[i])) expected += q[i] * numeric::sigmoid(q[i] + messages[i]);
  }
  // With log-ratios of 1e16 and more the difference is noise, but stays within what n bits can have.
  const double highest = static_cast<double>(q.size()) * 0.69314718055994531;
  return std::clamp(sum.log_partition - expected - sum.expected_score, 0.0, highest);
}

}  // namespace kirchhoff
