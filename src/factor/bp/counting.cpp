// A convex free energy: entropies H_C of factors count c_C times, those of variables 1 - sum of c_C over their factors.
// With c_C = 1 / (the largest degree of its variables) neither is negative, so the entropy is concave and there is just
// one fixed point; and by Shearer's lemma, since each variable is counted once in all, it is never below that of a
// distribution with these marginals: log Z is bounded from above. Messages m_C are those of the factor with the scores
// s_C / c_C; they are counted c_C times in beliefs, and taken out once for what the factor is told. Without loops all
// c_C are 1. Linear in the edges.
#include "factor/bp/counting.hpp"

#include "base/check.hpp"
#include "factor/factors/factors.hpp"
#include "factor/factors/scaled.hpp"

#include <algorithm>
#include <string>

namespace kirchhoff::factor {
namespace {

std::shared_ptr<const Factor> divided_by(const Factor& factor, double by) {
  const std::shared_ptr<const Factor> borrowed(std::shared_ptr<const Factor>(), &factor);
  if (auto divided = scaled(borrowed, 1.0 / by)) return divided;
  base::input_error("solve_bp", "free_energy: a " + std::string(factor.name()) + " factor of " +
                                    std::to_string(factor.arity()) + " inputs cannot be divided; up to " +
                                    std::to_string(Factor::kEnumerable) + " are enumerated");
}

}  // namespace

std::vector<double> counting_numbers(const FactorGraph& graph, FreeEnergy free_energy) {
  if (free_energy == FreeEnergy::bethe) return {};
  const Incidence incidence(graph);
  if (is_acyclic(graph, incidence)) return {};
  const auto is_silent = [&](int f) {
    return incidence.is_whole(graph.first_edge(f)) && dynamic_cast<const OneFactor*>(&graph.factor(f)) != nullptr;
  };
  std::vector<int> degree(static_cast<std::size_t>(graph.variables()), 0);  // by the first value of a variable
  const auto for_each_use = [&](int f, auto visit) {
    for (int e = graph.first_edge(f); e < graph.first_edge(f + 1); ++e) {
      const int i = graph.edge(e).variable, first = incidence.values_of(i).first;
      if (!incidence.is_whole(e) || i == first) visit(degree[first]);
    }
  };
  for (int f = 0; f < graph.factors(); ++f) {
    if (!is_silent(f)) for_each_use(f, [](int& d) { ++d; });
  }
  std::vector<double> counting(static_cast<std::size_t>(graph.factors()), 1.0);
  for (int f = 0; f < graph.factors(); ++f) {
    int most = 1;
    if (!is_silent(f)) for_each_use(f, [&](int d) { most = std::max(most, d); });
    counting[f] = 1.0 / most;
  }
  return counting;
}

FactorGraph divided_by(const FactorGraph& graph, const std::vector<double>& counting) {
  FactorGraph result = graph;
  for (std::size_t f = 0; f < counting.size(); ++f) {
    const Factor& factor = graph.factor(static_cast<int>(f));
    if (counting[f] == 1.0 || dynamic_cast<const HardFactor*>(&factor) != nullptr) continue;
    result.set_factor(static_cast<int>(f), divided_by(factor, counting[f]));
  }
  return result;
}

}  // namespace kirchhoff::factor
