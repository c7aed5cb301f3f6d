// AD3's projection of one factor, the first line of an iteration (ad3.cpp): in closed form, or by a few steps of an
// active set. Linear in the inputs and their logarithm where it is in closed form.
#include "factor/ad3/ad3.hpp"
#include "factor/factors/projections.hpp"

#include <algorithm>
#include <array>

namespace kirchhoff::factor {
namespace {

// With the configurations of the last iteration at hand, an inexact projection does as well [Martins15].
constexpr int kInnerSteps = 1;
constexpr int kTableSteps = 3;  // they are cheap, and an exact answer lets the table rest

}  // namespace

/// As project(), where there are thousands of them: with nothing between the numbers and their sums.
void Ad3::project_clause_of_three(Other& other) {
  const double weight = 1.0 / (penalty_ * other.weight);
  const Literal* literal = literal_.data() + other.begin;
  const double* q = q_.data() + other.begin;
  double* u = u_.data() + other.begin;
  std::array<double, 3> target;
  double sum = 0.0;
  for (int k = 0; k < 3; ++k) {
    const double t = p_[literal[k].variable] + q[k] * weight;
    target[k] = literal[k].negated ? 1.0 - t : t;
    sum += std::min(std::max(target[k], 0.0), 1.0);  // without a branch, unlike clamp()
  }
  const double tau = sum < 1.0 ? simplex_threshold(target[0], target[1], target[2]) : 0.0;
  for (int k = 0; k < 3; ++k) {
    const double one = std::min(std::max(target[k] - tau, 0.0), 1.0);
    u[k] = literal[k].negated ? 1.0 - one : one;
  }
  other.is_exact = true;
}

void Ad3::project(Other& other) {
  const double weight = 1.0 / (penalty_ * other.weight);
  const Factor& factor = graph_.factor(other.factor);
  const auto n = static_cast<std::size_t>(other.end - other.begin);
  for (std::size_t k = 0; k < n; ++k) {
    const Literal literal = literal_[other.begin + k];
    const double t = p_[literal.variable] + q_[other.begin + k] * weight;
    local_[k] = literal.negated ? 1.0 - t : t;
  }
  const std::span<const double> target(local_.data(), n);
  const std::span<double> u(u_.data() + other.begin, n);
  other.is_exact = true;
  if (other.table) {
    other.score = other.table->project(target, weight, u, kTableSteps);
    other.is_exact = other.table->is_optimal();
  } else if (const auto closed = factor.project(target, weight, u)) {
    other.score = *closed;
  } else {
    other.score = other.active.project(factor, target, weight, u, kInnerSteps);
    other.is_exact = other.active.is_optimal();
  }
  for (std::size_t k = 0; k < n; ++k) {
    if (literal_[other.begin + k].negated) u[k] = 1.0 - u[k];
  }
}

}  // namespace kirchhoff::factor
