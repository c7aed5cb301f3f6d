// Between a graph's variables and the inputs of its factors: the one place that knows negation and values.
#pragma once

#include "kirchhoff/solve.hpp"
#include "numeric/log_space.hpp"

#include <span>
#include <vector>

namespace kirchhoff::factor {

/// Writes the factor's inputs under an assignment into y.
inline void gather(const FactorGraph& graph, int f, const Assignment& assignment, std::vector<std::uint8_t>& y) {
  y.clear();
  for (int e = graph.first_edge(f); e < graph.first_edge(f + 1); ++e) {
    const Literal literal = graph.edge(e);
    y.push_back(static_cast<std::uint8_t>(assignment[literal.variable] != static_cast<std::uint8_t>(literal.negated)));
  }
}

/// The log-ratio of a literal from that of its variable, or the other way round.
inline double oriented(Literal literal, double log_ratio) { return literal.negated ? -log_ratio : log_ratio; }

/// Turns a configuration of the factor's inputs into that of the literals that were given, or the other way round.
inline void turn(const FactorGraph& graph, int f, std::span<std::uint8_t> y) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] ^= graph.is_turned(graph.first_edge(f) + static_cast<int>(i)) ? 1 : 0;
}
/// The same for what a factor mixes.
inline void turn(const FactorGraph& graph, int f, FactorPosterior& mixture) {
  for (std::size_t i = 0; i < mixture.inputs.size(); ++i) {
    double& u = mixture.inputs[i];
    if (graph.is_turned(graph.first_edge(f) + static_cast<int>(i))) u = 1.0 - u;
  }
  for (Assignment& y : mixture.configurations) turn(graph, f, y);
}

/// 0, 1, or -1 for a variable that is free.
using Fixed = std::vector<signed char>;

/// Writes the log-ratios of the factor's inputs into q: infinite where variables are fixed, else free(e) of the edge,
/// which is that of the variable, not of its negation.
template <class Free>
void gather_fixed(const FactorGraph& graph, int f, const Fixed& fixed, Free free, std::vector<double>& q) {
  q.clear();
  for (int e = graph.first_edge(f); e < graph.first_edge(f + 1); ++e) {
    const Literal literal = graph.edge(e);
    const signed char value = fixed[literal.variable];
    q.push_back(oriented(literal, value < 0 ? free(e) : value == 1 ? HUGE_VAL : -HUGE_VAL));
  }
}

/// The edges at each variable, and which variables are the values of one.
class Incidence {
 public:
  explicit Incidence(const FactorGraph& graph);
  /// The edges at a variable, in order of factors.
  std::span<const int> edges_of(int variable) const {
    return {edges_.data() + first_[variable], edges_.data() + first_[variable + 1]};
  }
  int degree(int variable) const { return first_[variable + 1] - first_[variable]; }
  int factor_of(int edge) const { return factor_[edge]; }

  struct Values {
    int first = 0;
    int end = 0;
  };
  /// All the values of the variable that value i belongs to; a binary variable has itself only.
  Values values_of(int i) const { return {graph_.values_of_[i].first, graph_.values_of_[i].second}; }
  bool is_multi_valued(int i) const { return graph_.is_multi_valued_[i] != 0; }
  /// True when the edge is one of a factor's edges to all the values of a variable, which it holds as a whole.
  bool is_whole(int edge) const { return graph_.whole_edge_[edge] != 0; }

 private:
  const FactorGraph& graph_;
  std::vector<int> first_, edges_, factor_;
};

/// True when no two variables are joined by more than one way over factors; what holds a variable as a whole is one
/// way.
bool is_acyclic(const FactorGraph& graph, const Incidence& incidence);

/// Bethe's approximation of the entropy: the sum of the entropies H_C of factors and H_v of variables, less, for every
/// factor at a variable, H_v when it holds the variable as a whole, else the entropy of the one value it has
/// [Martins10, section 4.1]. Where `counting` is not empty, it has how often each factor counts.
double bethe_entropy(const FactorGraph& graph, const std::vector<double>& marginals,
                     const std::vector<double>& factor_entropies, const std::vector<double>& counting = {});

}  // namespace kirchhoff::factor
