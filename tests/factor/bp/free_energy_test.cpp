// Free energies: Bethe's is stationary where belief propagation ends, and the convex one has one end, above log Z.
#include "factor/all_factors.hpp"
#include "factor/graphs.hpp"
#include "support/message_of.hpp"

#include <gtest/gtest.h>

namespace kirchhoff {
namespace {

using brute::Random;
using brute::uniform;

/// Binary variables with pairs on all of them, as strong as `strength`, both attractive and repulsive.
FactorGraph frustrated(int variables, double strength, Random& random) {
  FactorGraph graph;
  std::vector<Variable> all;
  for (int i = 0; i < variables; ++i) all.push_back(graph.add_variable(uniform(random, -1, 1)));
  for (int i = 0; i < variables; ++i) {
    for (int j = 0; j < i; ++j) {
      const double s = uniform(random, -strength, strength);
      graph.add_table({all[i], all[j]}, {s, -s, -s, s});
    }
  }
  return graph;
}

/// A ring of variables of three values with random tables, and hard factors across it.
FactorGraph ring(Random& random) {
  FactorGraph graph;
  std::vector<Literals> variables;
  for (int v = 0; v < 4; ++v) {
    const auto values = graph.add_values({uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1)});
    variables.emplace_back(values.begin(), values.end());
  }
  for (int v = 0; v < 4; ++v) {
    std::vector<double> table(9);
    for (double& x : table) x = uniform(random, -2, 2);
    graph.add_table(std::vector<Literals>{variables[v], variables[(v + 1) % 4]}, table);
  }
  graph.add_or({variables[0][0], variables[2][1]});
  graph.add_budget({variables[0][1], variables[1][1], !variables[3][2]}, 2);
  return graph;
}

Messages random_messages(const FactorGraph& graph, double size, Random& random) {
  Messages messages(static_cast<std::size_t>(graph.edges()));
  for (double& m : messages) m = uniform(random, -size, size);
  return messages;
}

// The dual problem is convex but flat where scores are strong: messages creep for thousands of iterations while log Z
// has long settled. So the tolerances here are those of beliefs that are nearly there.
constexpr double kNearly = 1e-4;

BpOptions convex_options() {
  BpOptions options;
  options.free_energy = FreeEnergy::convex;
  options.tolerance = kNearly;
  options.max_iterations = 20000;
  return options;
}

TEST(ConvexFreeEnergy, SettlesAtOnePointFromAnyStart) {
  Random random(61);
  int oscillating = 0;
  for (int repeat = 0; repeat < 40; ++repeat) {
    const FactorGraph graph = repeat % 4 == 3 ? ring(random) : frustrated(6, repeat % 4 == 0 ? 0.5 : 1.2, random);
    const BpResult bethe =
        solve_bp(graph, {.schedule = Schedule::flooding, .max_iterations = 20000, .tolerance = kNearly});
    oscillating += bethe.status == Status::converged ? 0 : 1;
    BpOptions options = convex_options();
    const BpResult first = solve_bp(graph, options);
    ASSERT_EQ(first.status, Status::converged) << repeat;
    for (const Schedule schedule : {Schedule::flooding, Schedule::sequential, Schedule::residual}) {
      options.schedule = schedule;
      options.start = random_messages(graph, 3.0, random);
      const BpResult other = solve_bp(graph, options);
      ASSERT_EQ(other.status, Status::converged) << repeat << ", " << to_string(schedule);
      for (int i = 0; i < graph.variables(); ++i) EXPECT_NEAR(other.marginals[i], first.marginals[i], 0.03);
      EXPECT_NEAR(other.log_partition, first.log_partition, 0.01);
    }
  }
  EXPECT_GT(oscillating, 5) << "graphs on which Bethe's free energy does not lead anywhere";
}

TEST(ConvexFreeEnergy, IsNeverBelowTheTrueOne) {
  Random random(62);
  double slack = 0.0;
  int solved = 0, unsolved = 0;
  for (int repeat = 0; repeat < 120; ++repeat) {
    const FactorGraph graph = repeat % 4 == 0   ? ring(random)
                              : repeat % 4 == 1 ? frustrated(6, 1.0, random)
                                                : brute::random_loopy_graph(8, 7, random);
    const ExactResult exact = solve_exact(graph);
    if (exact.status == Status::infeasible) continue;
    const BpResult r = solve_bp(graph, convex_options());
    unsolved += r.status == Status::converged ? 0 : 1;
    if (r.status != Status::converged) continue;
    ++solved;
    EXPECT_GE(r.log_partition, exact.log_partition - 1e-3) << repeat;
    slack += r.log_partition - exact.log_partition;
    for (int f = 0; f < graph.factors(); ++f) {
      if (graph.factor(f).arity() > 6) continue;
      const std::vector<double> belief = factor_belief(graph, r, f);
      for (int k = 0; k < graph.factor(f).arity(); ++k) {
        const int edge = graph.first_edge(f) + k;
        const Literal literal = graph.is_turned(edge) ? !graph.edge(edge) : graph.edge(edge);
        double p = 0.0;
        for (std::size_t e = 0; e < belief.size(); ++e) p += brute::bits(e, graph.factor(f).arity())[k] * belief[e];
        EXPECT_NEAR(literal.negated ? 1.0 - p : p, r.marginals[literal.variable], 0.01) << "factors agree";
      }
    }
  }
  EXPECT_GT(solved, 80);
  EXPECT_LE(unsolved, 8) << "messages of hard factors may grow without end";
  EXPECT_GT(slack, 0.0);
}

TEST(ConvexFreeEnergy, IsBethesWithoutLoops) {
  Random random(63);
  for (int repeat = 0; repeat < 30; ++repeat) {
    const FactorGraph graph = brute::random_tree_graph(5, random);
    BpOptions options;
    const BpResult bethe = solve_bp(graph, options);
    options.free_energy = FreeEnergy::convex;
    const BpResult convex = solve_bp(graph, options);
    EXPECT_EQ(convex.messages, bethe.messages);
    EXPECT_EQ(convex.log_partition, bethe.log_partition);
  }
}

Literals literals(int first, int count) {
  Literals result;
  for (int i = first; i < first + count; ++i) result.push_back(Variable{i});
  return result;
}

/// Factors of one's own are divided by listing their configurations, so there is a limit to their inputs.
TEST(ConvexFreeEnergy, TakesFactorsOfOnesOwn) {
  Random random(65);
  for (int repeat = 0; repeat < 20; ++repeat) {
    FactorGraph graph = frustrated(5, 0.5, random);
    graph.add_factor(std::make_shared<brute::EvenFactor>(3), literals(0, 3));
    graph.add_factor(std::make_shared<brute::EvenFactor>(4), literals(1, 4));
    const BpResult bound = solve_bp(graph, convex_options());
    ASSERT_EQ(bound.status, Status::converged) << repeat;
    EXPECT_GE(bound.log_partition, solve_exact(graph).log_partition - kNearly) << repeat;
  }
}

TEST(ConvexFreeEnergy, RefusesFactorsOfOnesOwnThatAreTooLarge) {
  Random random(66);
  FactorGraph graph = frustrated(17, 0.5, random);
  graph.add_factor(std::make_shared<brute::EvenFactor>(17), literals(0, 17));
  const std::string message = message_of<InputError>([&] { solve_bp(graph, convex_options()); });
  EXPECT_NE(message.find("17 inputs cannot be divided; up to 16 are enumerated"), std::string::npos) << message;
}

/// Energy plus entropy of beliefs that need not be those of any messages [Martins10, eq. 13]: variables by p, and pairs
/// by the probability of both being 1.
double bethe_value(const FactorGraph& graph, const std::vector<double>& p, const std::vector<double>& both,
                   const std::vector<std::vector<double>>& tables) {
  const auto entropy = [](std::initializer_list<double> probabilities) {
    double h = 0.0;
    for (const double x : probabilities) h -= x > 0.0 ? x * std::log(x) : 0.0;
    return h;
  };
  double value = 0.0;
  std::vector<int> degree(p.size(), 0);
  for (int f = 0; f < graph.factors(); ++f) {
    const int a = graph.edge(graph.first_edge(f)).variable, b = graph.edge(graph.first_edge(f) + 1).variable;
    ++degree[a];
    ++degree[b];
    const double p00 = 1.0 - p[a] - p[b] + both[f], p01 = p[b] - both[f], p10 = p[a] - both[f];
    value += entropy({p00, p01, p10, both[f]});
    value += tables[f][0] * p00 + tables[f][1] * p01 + tables[f][2] * p10 + tables[f][3] * both[f];
  }
  for (int i = 0; i < graph.variables(); ++i) {
    value += graph.scores()[i] * p[i] + (1 - degree[i]) * entropy({p[i], 1.0 - p[i]});
  }
  return value;
}

// [Martins10, eq. 14]: at a fixed point of belief propagation no change of beliefs that keeps them consistent changes
// the free energy to first order; and its value there is log_partition.
TEST(BetheFreeEnergy, IsStationaryWhereBeliefPropagationEnds) {
  Random random(64);
  int checked = 0;
  for (int repeat = 0; repeat < 20; ++repeat) {
    FactorGraph graph;
    std::vector<std::vector<double>> tables;
    std::vector<Variable> all;
    for (int i = 0; i < 5; ++i) all.push_back(graph.add_variable(uniform(random, -1, 1)));
    for (int i = 0; i < 5; ++i) {
      for (int j = 0; j < i; ++j) {
        tables.emplace_back();
        for (int e = 0; e < 4; ++e) tables.back().push_back(uniform(random, -0.7, 0.7));
        graph.add_table({all[i], all[j]}, tables.back());
      }
    }
    const BpResult r = solve_bp(graph, {.tolerance = 1e-13});
    if (r.status != Status::converged) continue;
    ++checked;
    std::vector<double> p = r.marginals, both;
    for (int f = 0; f < graph.factors(); ++f) both.push_back(factor_belief(graph, r, f)[3]);
    EXPECT_NEAR(bethe_value(graph, p, both, tables), r.log_partition, 1e-9);
    constexpr double kStep = 1e-5;
    const auto slope = [&](double& x) {
      const double at = x;
      x = at + kStep;
      const double above = bethe_value(graph, p, both, tables);
      x = at - kStep;
      const double below = bethe_value(graph, p, both, tables);
      x = at;
      return (above - below) / (2.0 * kStep);
    };
    for (double& x : p) EXPECT_NEAR(slope(x), 0.0, 1e-6);
    for (double& x : both) EXPECT_NEAR(slope(x), 0.0, 1e-6);
  }
  EXPECT_GT(checked, 15);
}

TEST(RetryDamping, GoesOnWhereMessagesOscillate) {
  Random random(65);
  int helped = 0;
  for (int repeat = 0; repeat < 40; ++repeat) {
    const FactorGraph graph = frustrated(6, 1.0, random);
    BpOptions options;
    options.max_iterations = 200;
    options.schedule = Schedule::flooding;
    const BpResult plain = solve_bp(graph, options);
    options.retry_damping = 0.7;
    const BpResult retried = solve_bp(graph, options);
    if (plain.status == Status::converged) {
      EXPECT_EQ(retried.iterations, plain.iterations);
      EXPECT_EQ(retried.damping, 0.0);
      EXPECT_EQ(retried.marginals, plain.marginals);
      continue;
    }
    EXPECT_EQ(retried.damping, 0.7);
    EXPECT_GT(retried.iterations, plain.iterations);
    BpOptions damped = options;
    damped.damping = 0.7;
    EXPECT_EQ(retried.marginals, solve_bp(graph, damped).marginals);
    helped += retried.status == Status::converged ? 1 : 0;
    EXPECT_EQ(retried.status == Status::converged, retried.residual <= options.tolerance);
  }
  EXPECT_GT(helped, 3);
  FactorGraph graph;
  EXPECT_THROW(solve_bp(graph, {.retry_damping = 1.0}), InputError);
  EXPECT_THROW(solve_bp(graph, {.retry_damping = -0.1}), InputError);
}

}  // namespace
}  // namespace kirchhoff
