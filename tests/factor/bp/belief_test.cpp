// Beliefs of factors against enumeration.
#include "factor/brute_force.hpp"
#include "factor/graphs.hpp"
#include "kirchhoff/solve.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <utility>

namespace kirchhoff {
namespace {

using brute::Random;

TEST(FactorBelief, MatchesEnumeration) {
  Random random(13);
  const FactorGraph graph = brute::random_tree_graph(4, random);
  const BpResult result = solve_bp(graph);
  ASSERT_EQ(result.status, Status::converged);
  const auto n = static_cast<std::size_t>(graph.variables());
  const double log_partition = solve_exact(graph).log_partition;
  for (int f = 0; f < graph.factors(); ++f) {
    const std::vector<double> belief = factor_belief(graph, result, f);
    std::vector<double> truth(belief.size(), 0.0);
    for (std::size_t e = 0; e < std::size_t{1} << n; ++e) {
      const auto y = brute::bits(e, n);
      std::size_t index = 0;
      for (int k = graph.first_edge(f); k < graph.first_edge(f + 1); ++k) {
        const bool negated = graph.edge(k).negated != graph.is_turned(k);
        index = 2 * index + ((y[graph.edge(k).variable] == 1) != negated ? 1 : 0);
      }
      truth[index] += std::exp(score(graph, y) - log_partition);
    }
    for (std::size_t e = 0; e < belief.size(); ++e) EXPECT_NEAR(belief[e], truth[e], 1e-9);
  }
}

TEST(FactorBelief, IsOfTheLiteralsThatWereGiven) {
  FactorGraph graph;
  const Variable a = graph.add_variable(0.3), b = graph.add_variable(-0.2), c = graph.add_variable(0.7);
  const auto possible = [&](int f) {  // the configurations, as numbers, that have a probability
    std::vector<int> found;
    const std::vector<double> belief = factor_belief(graph, solve_bp(graph), f);
    for (std::size_t e = 0; e < belief.size(); ++e) {
      if (belief[e] > 0.0) found.push_back(static_cast<int>(e));
    }
    return found;
  };
  using Found = std::vector<int>;
  EXPECT_EQ(possible(graph.add_nand({a, b})), (Found{0, 1, 2}));
  for (const auto& [add, expected] : std::vector<std::pair<std::function<int(FactorGraph&)>, Found>>{
           {[&](FactorGraph& g) { return g.add_imply(a, b); }, {0, 1, 3}},
           {[&](FactorGraph& g) {
              return g.add_imply({a, b}, c);
            },
            {0, 1, 2, 3, 4, 5, 7}},
           {[&](FactorGraph& g) {
              return g.add_and_out({a, b}, c);
            },
            {0, 2, 4, 7}},
           {[&](FactorGraph& g) {
              return g.add_xor_out({a, b}, c);
            },
            {0, 3, 5}},
           {[&](FactorGraph& g) {
              return g.add_or_out({a, !Literal(b)}, c);
            },
            {0, 3, 5, 7}},
       }) {
    graph = FactorGraph();
    for (const double score : {0.3, -0.2, 0.7}) graph.add_variable(score);
    EXPECT_EQ(possible(add(graph)), expected);
  }
}

}  // namespace
}  // namespace kirchhoff
