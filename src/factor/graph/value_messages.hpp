// Messages to the values of one variable: from log-ratios of each value against the others to log-weights.
#pragma once

#include "kirchhoff/solve.hpp"
#include "numeric/log_space.hpp"

#include <algorithm>
#include <span>

namespace kirchhoff::factor {

/// For an input with log-ratio o = q + message, the factor's log-weight is the logarithm of the input's share less q,
/// the largest of the group being 0. Inputs that are fixed get 0.
inline void to_log_weights(std::span<const int> group, Product product, std::span<const double> q,
                           std::span<double> messages) {
  double largest = -HUGE_VAL;
  for (const int k : group) {
    if (numeric::is_infinite(q[k])) continue;
    const double o = q[k] + messages[k];
    messages[k] = (product == Product::sum ? -numeric::softplus(-o) : std::min(o, 0.0)) - q[k];
    largest = std::max(largest, messages[k]);
  }
  for (const int k : group) {
    messages[k] = numeric::is_infinite(q[k]) || largest == -HUGE_VAL ? 0.0 : messages[k] - largest;
  }
}

}  // namespace kirchhoff::factor
