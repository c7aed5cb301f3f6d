// Factor graphs without loops, solved by enumeration or by belief propagation, as the law suite sees them. A place is a
// variable that is 1, or a pair of variables that are both 1.
#pragma once

#include "kirchhoff/kirchhoff.hpp"
#include "laws/enumeration.hpp"
#include "support/graphs.hpp"

#include <type_traits>
#include <utility>

namespace kirchhoff::laws {

/// A factor graph with its answers: the library has no one object for both.
template <class Result>
struct SolvedFactorGraph {
  FactorGraph graph;
  Result result;
  double log_partition() const { return result.log_partition; }
};

/// Result is ExactResult or BpResult.
template <class Result>
class FactorGraphFamily {
 public:
  using Distribution = SolvedFactorGraph<Result>;

  /// Exactly one of the first three variables is 1; each of the others is tied to an earlier one.
  explicit FactorGraphFamily(graphs::Random& random) {
    std::normal_distribution<double> normal(0.0, 1.5);
    const int variables = kExclusive + static_cast<int>(random() % 4);
    for (int v = kExclusive; v < variables; ++v) pairs_.emplace_back(static_cast<int>(random() % v), v);
    for (std::size_t i = 0; i < variables + pairs_.size(); ++i) weights_.push_back(normal(random));
  }

  const Weights& weights() const { return weights_; }
  std::vector<Structure> structures() const {
    std::vector<Structure> all;
    for (unsigned y = 0; y < 1u << variables(); ++y) {
      if ((y & 7u) == 1 || (y & 7u) == 2 || (y & 7u) == 4) all.push_back(structure(y));
    }
    return all;
  }
  std::vector<std::vector<std::size_t>> groups() const { return {{0, 1, 2}}; }

  Distribution make(const Weights& weights) const { return solved(graph(weights)); }
  /// The marginals of the variables; the library gives none of pairs.
  Weights marginals(const Distribution& p) const { return p.result.marginals; }
  double log_prob(const Distribution& p, const Structure& s) const {
    const Assignment y(s.begin(), s.begin() + variables());
    return score(p.graph, y) - p.result.log_partition;
  }
  double entropy(const Distribution& p) const {
    if constexpr (std::is_same_v<Result, ExactResult>) {
      return p.result.entropy;
    } else {
      return p.result.bethe_entropy;  // exact without loops
    }
  }

  Distribution with_temperature(const Distribution& p, double temperature) const {
    GraphScores scores = scores_of(p.graph);
    for (double& x : scores.variables) x /= temperature;
    for (std::vector<double>& factor : scores.factors) {
      for (double& x : factor) x /= temperature;
    }
    return solved(with_scores(p.graph, scores));
  }

  /// The best assignment alone.
  std::vector<std::pair<Structure, double>> k_best(const Distribution& p, int) const
      requires(std::is_same_v<Result, ExactResult>) {
    unsigned y = 0;
    for (int v = 0; v < variables(); ++v) y |= static_cast<unsigned>(p.result.assignment[v]) << v;
    return {{structure(y), p.result.value - p.result.log_partition}};
  }
  static constexpr int kMostBest = 1;

  Distribution require(const Distribution& p, std::size_t place) const { return fixed(p, place, false); }
  Distribution forbid(const Distribution& p, std::size_t place) const { return fixed(p, place, true); }

 private:
  static constexpr int kExclusive = 3;

  int variables() const { return static_cast<int>(weights_.size() - pairs_.size()); }
  FactorGraph graph(const Weights& weights) const {
    FactorGraph graph;
    std::vector<Variable> y;
    for (int v = 0; v < variables(); ++v) y.push_back(graph.add_variable(weights[v]));
    graph.add_xor({y[0], y[1], y[2]});
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      graph.add_pair(y[pairs_[i].first], y[pairs_[i].second], weights[variables() + i]);
    }
    return graph;
  }
  static Distribution solved(FactorGraph graph) {
    Result result = [&] {
      if constexpr (std::is_same_v<Result, ExactResult>) {
        return solve_exact(graph);
      } else {
        BpOptions options;
        options.tolerance = 1e-13;
        return solve_bp(graph, options);
      }
    }();
    if (result.status == Status::infeasible) throw Infeasible("no assignment");
    return {std::move(graph), std::move(result)};
  }
  /// The same graph with one variable fixed by a factor more. Fixing a pair would make a loop.
  static Distribution fixed(const Distribution& p, std::size_t place, bool to_zero) {
    FactorGraph graph = p.graph;
    const Literal literal = Variable{static_cast<int>(place)};
    graph.add_xor({to_zero ? !literal : literal});
    return solved(std::move(graph));
  }
  Structure structure(unsigned y) const {
    Structure s(weights_.size(), 0);
    for (int v = 0; v < variables(); ++v) s[v] = static_cast<int>(y >> v & 1);
    for (std::size_t i = 0; i < pairs_.size(); ++i) s[variables() + i] = s[pairs_[i].first] * s[pairs_[i].second];
    return s;
  }

  std::vector<std::pair<int, int>> pairs_;
  Weights weights_;
};

}  // namespace kirchhoff::laws
