// Rounds fractions by asking each hard factor for its configuration nearest to them. One best() for each.
#include "factor/graph/round.hpp"

#include "factor/graph/incidence.hpp"

#include <algorithm>

namespace kirchhoff::factor {
namespace {

/// Fractions count more than a table's own scores, which decide where the fractions are undecided.
constexpr double kWeight = 1e6;

}  // namespace

Rounder::Rounder(const FactorGraph& graph) : graph_(graph), value_(graph.variables()) {
  for (int f = 0; f < graph.factors(); ++f) {
    if (!graph.factor(f).soft()) hard_.push_back(f);
  }
  std::stable_sort(hard_.begin(), hard_.end(),
                   [&](int a, int b) { return graph.factor(a).arity() > graph.factor(b).arity(); });
}

const Assignment* Rounder::operator()(std::span<const double> fractions, const std::vector<signed char>& fixed) {
  for (int i = 0; i < graph_.variables(); ++i) {
    value_[i] = fixed.empty() ? static_cast<signed char>(-1) : fixed[i];
    if (graph_.scores()[i] == -HUGE_VAL) value_[i] = 0;
  }
  for (const int f : hard_) {
    const int first = graph_.first_edge(f);
    const int arity = graph_.factor(f).arity();
    q_.resize(arity);
    y_.resize(arity);
    for (int k = 0; k < arity; ++k) {
      const Literal literal = graph_.edge(first + k);
      const signed char value = value_[literal.variable];
      const double q = value < 0 ? kWeight * (fractions[literal.variable] - 0.5) : value == 1 ? HUGE_VAL : -HUGE_VAL;
      q_[k] = oriented(literal, q);
    }
    if (graph_.factor(f).best(q_, y_) == -HUGE_VAL) return nullptr;
    for (int k = 0; k < arity; ++k) {
      const Literal literal = graph_.edge(first + k);
      value_[literal.variable] = static_cast<signed char>((y_[k] != 0) != literal.negated);
    }
  }
  assignment_.resize(graph_.variables());
  for (int i = 0; i < graph_.variables(); ++i) {
    assignment_[i] = static_cast<std::uint8_t>(value_[i] < 0 ? fractions[i] > 0.5 : value_[i] == 1);
  }
  return &assignment_;
}

}  // namespace kirchhoff::factor
