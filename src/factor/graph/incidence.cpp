// The edges at each variable by counting sort, and Bethe's entropy from marginals. Both are linear in the edges.
#include "factor/graph/incidence.hpp"

#include "numeric/sum.hpp"

#include <numeric>

namespace kirchhoff::factor {

Incidence::Incidence(const FactorGraph& graph)
    : graph_(graph),
      first_(static_cast<std::size_t>(graph.variables()) + 1, 0),
      edges_(graph.edges()),
      factor_(graph.edges()) {
  for (int e = 0; e < graph.edges(); ++e) ++first_[graph.edge(e).variable + 1];
  for (int i = 0; i < graph.variables(); ++i) first_[i + 1] += first_[i];
  std::vector<int> next(first_.begin(), first_.end() - 1);
  for (int f = 0; f < graph.factors(); ++f) {
    for (int e = graph.first_edge(f); e < graph.first_edge(f + 1); ++e) {
      factor_[e] = f;
      edges_[next[graph.edge(e).variable]++] = e;
    }
  }
}

bool is_acyclic(const FactorGraph& graph, const Incidence& incidence) {
  // Trees of factors and variables, joined one by one; factors come after the variables.
  std::vector<int> parent(static_cast<std::size_t>(graph.variables()) + graph.factors());
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int node) {
    while (parent[node] != node) node = parent[node] = parent[parent[node]];
    return node;
  };
  for (int f = 0; f < graph.factors(); ++f) {
    for (int e = graph.first_edge(f); e < graph.first_edge(f + 1); ++e) {
      const int i = graph.edge(e).variable;
      const int variable = incidence.values_of(i).first;
      if (incidence.is_whole(e) && i != variable) continue;
      const int a = root(variable), b = root(graph.variables() + f);
      if (a == b) return false;
      parent[a] = b;
    }
  }
  return true;
}

double bethe_entropy(const FactorGraph& graph, const std::vector<double>& marginals,
                     const std::vector<double>& factor_entropies, const std::vector<double>& counting) {
  const Incidence incidence(graph);
  const auto times = [&](int f) { return counting.empty() ? 1.0 : counting[f]; };
  numeric::Sum sum;
  for (int f = 0; f < graph.factors(); ++f) sum.add(times(f) * factor_entropies[f]);
  const auto surprise = [](double p) { return p > 0.0 ? -p * std::log(p) : 0.0; };
  for (int i = 0; i < graph.variables(); ++i) {
    const double p = marginals[i];
    const double h = surprise(p) + (p < 1.0 ? -(1.0 - p) * std::log1p(-p) : 0.0);
    // A variable's own entropy, which for one of several values is the sum of their surprises, counts as often as its
    // factors leave it; what has one of its values only takes the entropy of that value.
    double own = 1.0, value = 0.0;
    for (const int e : incidence.edges_of(i)) {
      (incidence.is_whole(e) || !incidence.is_multi_valued(i) ? own : value) -= times(incidence.factor_of(e));
    }
    sum.add(own * (incidence.is_multi_valued(i) ? surprise(p) : h) + value * h);
  }
  return sum.value();
}

}  // namespace kirchhoff::factor
