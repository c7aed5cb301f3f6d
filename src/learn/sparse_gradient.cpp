// LP-SparseMAP's derivatives by the scores that a graph has: those by the scores of configurations, added up over the
// configurations that the score of a PAIR, a part or an entry belongs to, and the transpose of this. O(entries) for
// each configuration of a mixture.
#include "base/check.hpp"
#include "factor/graph/incidence.hpp"
#include "learn/entries.hpp"
#include "learn/graph_scores.hpp"

#include <string>
#include <utility>

namespace kirchhoff {
namespace {

/// Which scores of the factor a configuration of the literals that were given has.
std::vector<double> indicator(const FactorGraph& graph, int f, Assignment y) {
  factor::turn(graph, f, y);
  return learn::indicator(graph.factor(f), y);
}

}  // namespace

GraphScores gradient_by_scores(const FactorGraph& graph, const SparseGraph& p, std::span<const double> gradient) {
  SparseGradient found = sparsemap_gradient(graph, p, gradient);
  GraphScores result{std::move(found.scores), std::vector<std::vector<double>>(p.factors.size())};
  for (int f = 0; f < graph.factors(); ++f) {
    if (learn::parameters_of(graph.factor(f)) == learn::Parameters::none) continue;
    std::vector<double>& by_score = result.factors[f];
    for (std::size_t k = 0; k < p.factors[f].configurations.size(); ++k) {
      const std::vector<double> has = indicator(graph, f, p.factors[f].configurations[k]);
      by_score.resize(has.size(), 0.0);
      for (std::size_t i = 0; i < has.size(); ++i) by_score[i] += found.configurations[f][k] * has[i];
    }
  }
  return result;
}

std::vector<double> marginals_along(const FactorGraph& graph, const SparseGraph& p, const GraphScores& direction) {
  if (p.factors.size() != static_cast<std::size_t>(graph.factors()) ||
      (!direction.factors.empty() && direction.factors.size() != p.factors.size())) {
    base::input_error("marginals_along", "direction: not that of a graph of this shape");
  }
  SparseGradient moves{direction.variables, std::vector<std::vector<double>>(p.factors.size())};
  for (std::size_t f = 0; f < direction.factors.size(); ++f) {
    if (direction.factors[f].empty()) continue;
    const Factor& factor = graph.factor(static_cast<int>(f));
    const bool has_scores = learn::parameters_of(factor) != learn::Parameters::none;
    for (const Assignment& y : p.factors[f].configurations) {
      const std::vector<double> has = has_scores ? indicator(graph, static_cast<int>(f), y) : std::vector<double>();
      if (has.size() != direction.factors[f].size()) {
        base::input_error("marginals_along", "direction: " + std::to_string(direction.factors[f].size()) +
                                                 " scores for factor " + std::to_string(f) + ", which has " +
                                                 std::to_string(has.size()));
      }
      double move = 0.0;
      for (std::size_t i = 0; i < has.size(); ++i) move += has[i] * direction.factors[f][i];
      moves.configurations[f].push_back(move);
    }
  }
  return marginals_along(graph, p, moves);
}

}  // namespace kirchhoff
