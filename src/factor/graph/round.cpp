// Rounds fractions by asking each hard factor for its configuration nearest to them. One best() for each.
#include "factor/graph/round.hpp"

#include "factor/factors/factors.hpp"

#include <algorithm>

namespace kirchhoff::factor {
namespace {

/// Fractions count more than a table's own scores, which decide where the fractions are undecided.
constexpr double kWeight = 1e6;

/// How much the scores of a factor's configurations may differ, or 1 if that is more.
double spread_of(const Factor& factor, std::vector<double>& q, std::vector<std::uint8_t>& y) {
  if (dynamic_cast<const HardFactor*>(&factor) != nullptr) return 1.0;
  q.assign(factor.arity(), 0.0);
  y.resize(factor.arity());
  const double spread = factor.best(q, y) - factor.least_score();
  return numeric::is_infinite(spread) ? 1.0 : std::max(1.0, spread);
}

}  // namespace

Rounder::Rounder(const FactorGraph& graph) : graph_(graph), value_(graph.variables()) {
  for (int f = 0; f < graph.factors(); ++f) {
    if (!graph.factor(f).soft()) hard_.push_back(f);
  }
  std::stable_sort(hard_.begin(), hard_.end(),
                   [&](int a, int b) { return graph.factor(a).arity() > graph.factor(b).arity(); });
  for (const int f : hard_) weight_.push_back(kWeight * spread_of(graph.factor(f), q_, y_));
}

/// True when all the factor's variables have a value; its configuration is in y_ then.
bool Rounder::is_decided(int f) {
  const int first = graph_.first_edge(f), end = graph_.first_edge(f + 1);
  for (int e = first; e < end; ++e) {
    const Literal literal = graph_.edge(e);
    if (value_[literal.variable] < 0) return false;
    y_[e - first] = static_cast<std::uint8_t>((value_[literal.variable] != 0) != literal.negated);
  }
  return true;
}

const Assignment* Rounder::operator()(std::span<const double> fractions, const Fixed& fixed) {
  for (int i = 0; i < graph_.variables(); ++i) {
    value_[i] = fixed.empty() ? static_cast<signed char>(-1) : fixed[i];
    if (graph_.scores()[i] == -HUGE_VAL) value_[i] = 0;
  }
  for (std::size_t h = 0; h < hard_.size(); ++h) {
    const int f = hard_[h];
    const int first = graph_.first_edge(f);
    const int arity = graph_.factor(f).arity();
    y_.resize(arity);
    if (is_decided(f)) {
      if (graph_.factor(f).score(y_) == -HUGE_VAL) return nullptr;
      continue;
    }
    const auto pull = [&](int e) { return weight_[h] * (fractions[graph_.edge(e).variable] - 0.5); };
    gather_fixed(graph_, f, value_, pull, q_);
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
