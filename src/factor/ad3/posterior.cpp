// What AD3 found, factor by factor: the parts of the scores that prove the bound, and mixtures of configurations.
//
// With p the point and q a factor's part of the scores, its mixture is the next step of AD3, projected exactly:
//   u <- argmin |u - (p + w q)|^2 / 2 - w s(u)
// If the factor loses g by having p instead of its best configuration under q, then |u - p|^2 <= 2 w g, whatever w is.
// A small w makes the mixture that of the point, and is still enough to find, among the mixtures of that mean, the one
// with the best score. One projection by the active set.
#include "base/check.hpp"
#include "factor/ad3/ad3.hpp"
#include "factor/factors/factors.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff {
namespace factor {

/// Pairs tell their variables' largest factor what they can, as for the bound.
Messages Ad3::duals() const {
  Messages duals(static_cast<std::size_t>(graph_.edges()), 0.0);
  std::vector<double> moved(theta_.size(), 0.0);
  for (std::size_t k = 0; k < pair_factors_.size(); ++k) {
    const int e = graph_.first_edge(pair_factors_[k]);
    const Literal a = graph_.edge(e), b = graph_.edge(e + 1);
    const double own = static_cast<const PairFactor&>(graph_.factor(pair_factors_[k])).pair_score();
    const double s = a.negated != b.negated ? -own : own;
    const double x = std::max(0.0, bound_pairs_[2 * k + 1]) - std::max(0.0, bound_pairs_[2 * k + 1] + s);
    const double z = std::max(0.0, x) - std::max(0.0, x + s);
    moved[a.variable] += bound_pairs_[2 * k] - x;
    moved[b.variable] += bound_pairs_[2 * k + 1] - z;
    const auto [taken_a, taken_b] = taken_from_pair(pair_factors_[k]);
    duals[e] = x - taken_a;
    duals[e + 1] = z - taken_b;
  }
  for (const Other& other : others_) {
    const int first = graph_.first_edge(other.factor);
    for (int e = other.begin; e < other.end; ++e) {
      const int i = literal_[e].variable;
      duals[first + e - other.begin] = bound_q_[e] + (home_[i] == e ? moved[i] : 0.0);
    }
  }
  return duals;
}

void add_members(const ActiveSet& set, FactorPosterior& posterior) {
  std::vector<const ActiveSet::Member*> members;
  for (const ActiveSet::Member& member : set.members()) {
    if (member.weight > 0.0) members.push_back(&member);
  }
  std::sort(members.begin(), members.end(), [](const auto* a, const auto* b) { return a->weight > b->weight; });
  for (const ActiveSet::Member* member : members) {
    posterior.weights.push_back(member->weight);
    Assignment& y = posterior.configurations.emplace_back(posterior.inputs.size(), std::uint8_t{0});
    for (const int i : member->ones) y[i] = 1;
  }
}

}  // namespace factor

namespace {

constexpr double kWeight = 1e-4;       // of the scores beside the distance from the point
constexpr double kImpossible = 100.0;  // how far below 0 the target of a variable is that can only be 0

}  // namespace

FactorPosterior factor_posterior(const FactorGraph& graph, const MapResult& result, int factor) {
  if (factor < 0 || factor >= graph.factors()) base::input_error("factor_posterior", "factor: not in the graph");
  if (static_cast<int>(result.duals.size()) != graph.edges() ||
      static_cast<int>(result.point.size()) != graph.variables()) {
    base::input_error("factor_posterior", "result: has no point and duals of this graph");
  }
  const Factor& own = graph.factor(factor);
  const int first = graph.first_edge(factor);
  double largest = 1.0;
  for (int k = 0; k < own.arity(); ++k) largest = std::max(largest, std::abs(result.duals[first + k]));
  const double weight = kWeight / largest;
  std::vector<double> target;
  for (int k = 0; k < own.arity(); ++k) {
    const Literal literal = graph.edge(first + k);
    const bool never = graph.scores()[literal.variable] == -HUGE_VAL;
    const double t = never ? -kImpossible : result.point[literal.variable] + weight * result.duals[first + k];
    target.push_back(literal.negated ? 1.0 - t : t);
  }
  FactorPosterior posterior;
  posterior.inputs.resize(target.size());
  factor::ActiveSet active;
  posterior.score = active.project(own, target, weight, posterior.inputs);
  factor::add_members(active, posterior);
  factor::turn(graph, factor, posterior);
  return posterior;
}

}  // namespace kirchhoff
