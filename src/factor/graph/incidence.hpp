// Between a graph's variables and a factor's inputs: the one place that knows negation.
#pragma once

#include "kirchhoff/solve.hpp"
#include "numeric/log_space.hpp"

#include <vector>

namespace kirchhoff::factor {

/// The factor's inputs under an assignment.
inline void gather(const FactorGraph& graph, int f, const Assignment& assignment, std::vector<std::uint8_t>& y) {
  y.clear();
  for (int e = graph.first_edge(f); e < graph.first_edge(f + 1); ++e) {
    const Literal literal = graph.edge(e);
    y.push_back(static_cast<std::uint8_t>(assignment[literal.variable] != static_cast<std::uint8_t>(literal.negated)));
  }
}

inline double oriented(Literal literal, double log_ratio) { return literal.negated ? -log_ratio : log_ratio; }

/// For each variable, the edges at it, in order of factors.
class Incidence {
 public:
  explicit Incidence(const FactorGraph& graph);
  std::span<const int> edges_of(int variable) const {
    return {edges_.data() + first_[variable], edges_.data() + first_[variable + 1]};
  }
  int degree(int variable) const { return first_[variable + 1] - first_[variable]; }
  int factor_of(int edge) const { return factor_[edge]; }

 private:
  std::vector<int> first_, edges_, factor_;
};

/// Bethe's approximation of the entropy: sum of H_C + sum of (1 - d_i) H_i [Martins10, section 4.1]. The values of a
/// multi-valued variable v together are one variable, whose entropy H_v is that of its XOR factor: a table over them
/// takes off H_v, any other factor the entropy of the one value it has.
double bethe_entropy(const FactorGraph& graph, const std::vector<double>& marginals,
                     const std::vector<double>& factor_entropies);

}  // namespace kirchhoff::factor
