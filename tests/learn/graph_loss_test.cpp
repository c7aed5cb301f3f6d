// Losses of factor graphs: by enumeration where there are no loops, and by finite differences and convexity elsewhere.
#include "learn/part_problems.hpp"
#include "support/gradient.hpp"
#include "support/message_of.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kirchhoff {
namespace {

/// Checks a gradient by finite differences of a function of the scores.
template <class Value>
void expect_gradient_of(const Value& value, const Scores& at, const std::vector<double>& gradient, double tolerance) {
  Scores moved = at;
  const std::vector<double*> all = moved.all();
  ASSERT_EQ(all.size(), gradient.size());
  int moving = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const double own = *all[k];
    if (std::isinf(own)) {
      EXPECT_EQ(gradient[k], 0.0) << k;
      continue;
    }
    const double expected = derivative([&](double x) { return *all[k] = x, value(moved); }, own);
    *all[k] = own;
    EXPECT_NEAR(gradient[k], expected, tolerance) << "score " << k;
    moving += std::abs(expected) > 0.01;
  }
  EXPECT_GT(moving, 5);
}

TEST(GraphLoss, IsExactWithoutLoops) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    const Problem problem = seed % 2 == 0 ? without_loops(seed) : parts_without_loops(seed);
    const FactorGraph graph = problem.build(problem.scores);
    for (const Loss loss : {kCrfLoss, kSoftmaxMarginLoss, Loss{3.0, 0.5}, Loss{0.3, 2.0}}) {
      for (const Cost cost : {Cost::mistakes, Cost::hamming}) {
        const GraphObjective at = structured_loss(graph, problem.gold, loss, options_of(problem, cost));
        EXPECT_EQ(at.status, Status::converged);
        EXPECT_NEAR(at.value, by_enumeration(problem, problem.scores, loss, cost), 1e-9);
        const auto value = [&](const Scores& s) { return by_enumeration(problem, s, loss, cost); };
        expect_gradient_of(value, problem.scores, flat(at), 1e-6);
      }
    }
  }
}

TEST(GraphLoss, HasTheGradientOfBethesLogZ) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    const Problem problem = seed % 2 == 0 ? with_loops(seed, 0.7) : parts_with_loops(seed, 0.5);
    for (const Loss loss : {kCrfLoss, kSoftmaxMarginLoss, Loss{2.0, 0.5}}) {
      const GraphLossOptions options = options_of(problem, Cost::mistakes);
      const auto objective = [&](const Scores& s) {
        const GraphObjective at = structured_loss(problem.build(s), problem.gold, loss, options);
        EXPECT_EQ(at.status, Status::converged);
        return at;
      };
      const GraphObjective at = objective(problem.scores);
      expect_gradient_of([&](const Scores& s) { return objective(s).value; }, problem.scores, flat(at), 1e-6);
      EXPECT_NEAR(at.value, by_enumeration(problem, problem.scores, loss, Cost::mistakes), 0.2) << "an approximation";
    }
  }
}

TEST(GraphLoss, HasTheGradientOfAConvexFreeEnergy) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const Problem problem = seed % 2 == 0 ? with_loops(seed, 0.7) : parts_with_loops(seed, 0.5);
    const auto objective = [&](const Scores& s) {
      const BpOptions options{.max_iterations = 10000, .tolerance = 1e-12, .free_energy = FreeEnergy::convex};
      const GraphObjective at = log_partition(problem.build(s), options);
      EXPECT_EQ(at.status, Status::converged);
      return at;
    };
    const GraphObjective at = objective(problem.scores);
    EXPECT_GT(at.value, solve_exact(problem.build(problem.scores)).log_partition);
    expect_gradient_of([&](const Scores& s) { return objective(s).value; }, problem.scores, flat(at), 1e-5);
  }
}

TEST(GraphLoss, OfTheBestAssignmentIsExact) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    for (const Problem& problem :
         {without_loops(seed), with_loops(seed, 2.0), parts_without_loops(seed), parts_with_loops(seed, 2.0)}) {
      const FactorGraph graph = problem.build(problem.scores);
      for (const Loss loss : {kSvmLoss, kPerceptronLoss}) {
        const double expected = by_enumeration(problem, problem.scores, loss, Cost::mistakes);
        GraphLossOptions options = options_of(problem, Cost::mistakes);
        options.maximum = Maximum::rounded;
        options.ad3.search = Search::exact;
        for (const SolveMethod method : {SolveMethod::ad3, SolveMethod::exact}) {
          options.method = method;
          const GraphObjective at = structured_loss(graph, problem.gold, loss, options);
          EXPECT_NEAR(at.value, expected, 1e-5);
          // The gradient is of an assignment with that score.
          double linear = 0.0, cost = 0.0;
          for (std::size_t i = 0; i < at.variables.size(); ++i) {
            if (at.variables[i] == 0.0) continue;
            linear += at.variables[i] * problem.scores.variables[i];
            cost += std::abs(at.variables[i]) * problem.costs[i] * (problem.value_of[i] >= 0 ? 0.5 : 1.0);
          }
          for (std::size_t f = 0; f < at.factors.size(); ++f) {
            for (std::size_t k = 0; k < at.factors[f].size(); ++k) {
              if (at.factors[f][k] != 0.0) linear += at.factors[f][k] * problem.scores.factors[f][k];
            }
          }
          EXPECT_NEAR(linear + loss.gamma * cost, expected, 1e-9);
        }
      }
    }
  }
}

#if KIRCHHOFF_HAS_LP
constexpr SolveMethod kRelaxations[] = {SolveMethod::ad3, SolveMethod::lp};
#else
constexpr SolveMethod kRelaxations[] = {SolveMethod::ad3};
#endif

TEST(GraphLoss, OfTheRelaxationIsABoundWithAFractionalSubgradient) {
  int fractional = 0, fractional_parts = 0;
  for (unsigned seed = 1; seed <= 48; ++seed) {
    const bool is_of_parts = seed % 4 != 0;
    const Problem problem = is_of_parts ? parts_with_loops(seed, 3.0) : with_loops(seed, 3.0);
    const FactorGraph graph = problem.build(problem.scores);
    for (const SolveMethod method : kRelaxations) {
      const double tolerance = method == SolveMethod::lp ? 1e-7 : 1e-3;
      GraphLossOptions options = options_of(problem, Cost::mistakes);
      options.method = method;
      const auto objective = [&](const Scores& s) {
        return structured_loss(problem.build(s), problem.gold, kSvmLoss, options);
      };
      const GraphObjective at = objective(problem.scores);
      EXPECT_GE(at.value, by_enumeration(problem, problem.scores, kSvmLoss, Cost::mistakes) - 1e-9);
      // What the gradient is of has the score of the bound.
      double linear = 0.0;
      for (std::size_t i = 0; i < at.variables.size(); ++i) {
        linear += at.variables[i] * problem.scores.variables[i] +
                  std::abs(at.variables[i]) * problem.costs[i] * (problem.value_of[i] >= 0 ? 0.5 : 1.0);
        (is_of_parts ? fractional_parts : fractional) += std::abs(at.variables[i] - std::round(at.variables[i])) > 0.01;
      }
      for (std::size_t f = 0; f < at.factors.size(); ++f) {
        for (std::size_t k = 0; k < at.factors[f].size(); ++k)
          linear += at.factors[f][k] * problem.scores.factors[f][k];
      }
      EXPECT_NEAR(linear, at.value, tolerance * std::max(1.0, at.value));
      // Convexity: L(t) >= L(s) + g (t - s) for every t.
      Random random(seed);
      const std::vector<double> gradient = flat(at);
      for (int trial = 0; trial < 10; ++trial) {
        Scores other = problem.scores;
        double bound = at.value;
        const std::vector<double*> all = other.all();
        const std::vector<double> moves = random.normal(all.size(), 0.5);
        for (std::size_t k = 0; k < all.size(); ++k) {
          *all[k] += moves[k];
          bound += gradient[k] * moves[k];
        }
        EXPECT_GE(objective(other).value, bound - 10 * tolerance);
      }
    }
  }
  EXPECT_GT(fractional, 20);
  EXPECT_GT(fractional_parts, 20);
}

TEST(GraphLoss, IsThatOfTreesForATreeFactor) {
  Random random(9);
  const int n = 4;
  Matrix scores(n + 1, n + 1);
  const std::vector<double> numbers = random.normal(static_cast<std::size_t>(scores.size()));
  std::copy(numbers.begin(), numbers.end(), scores.data());
  const Heads gold = {-1, 2, 0, 2, 3};
  FactorGraph graph;
  std::vector<TreeArc> arcs;
  Assignment tree;
  for (int d = 1; d <= n; ++d) {
    for (int h = 0; h <= n; ++h) {
      if (h == d) continue;
      arcs.push_back({{h, d}, graph.add_variable(scores(h, d))});
      tree.push_back(gold[static_cast<std::size_t>(d)] == h ? 1 : 0);
    }
  }
  graph.add_tree(n, arcs, Root::single);
  for (const Loss loss : {kCrfLoss, kSvmLoss, kSoftmaxMarginLoss, kPerceptronLoss, Loss{2.0, 0.5}}) {
    const ArcObjective expected = structured_loss(scores, gold, Root::single, with_cost(loss, Cost::hamming));
    const GraphObjective at = structured_loss(graph, tree, loss);
    EXPECT_NEAR(at.value, expected.value, 1e-5);
    EXPECT_TRUE(at.factors[0].empty());
    for (const TreeArc& arc : arcs) {
      EXPECT_NEAR(at.variables[arc.literal.variable], expected.gradient(arc.arc.head, arc.arc.dependent), 1e-5);
    }
  }
}

TEST(GraphScores, ChangeNothingButScores) {
  for (const Problem& problem :
       {without_loops(5), with_loops(5, 1.0), parts_without_loops(5), parts_with_loops(5, 0.5)}) {
    Random random(6);
    const FactorGraph graph = problem.build(problem.scores);
    const GraphScores own = scores_of(graph);
    EXPECT_EQ(own.variables, problem.scores.variables);
    EXPECT_EQ(own.factors, problem.scores.factors);
    Scores other = problem.scores;
    for (double* x : other.all()) *x += random.normal(1)[0];
    const FactorGraph expected = problem.build(other);
    const FactorGraph changed = with_scores(graph, {other.variables, other.factors});
    const FactorGraph variables_only = with_scores(graph, {other.variables, {}});
    EXPECT_EQ(scores_of(variables_only).variables, other.variables);
    EXPECT_EQ(scores_of(variables_only).factors, own.factors);
    for (int trial = 0; trial < 50; ++trial) {
      const Assignment y = random.assignment(expected);
      EXPECT_NEAR(score(changed, y), score(expected, y), 1e-12);
    }
    EXPECT_NEAR(log_partition(changed).value, solve_bp(expected).log_partition, 1e-9);
    EXPECT_THROW(with_scores(graph, {{1.0}, {}}), InputError);
    GraphScores wrong = own;
    wrong.factors[0] = {1.0};  // a hard factor has none
    EXPECT_THROW(with_scores(graph, wrong), InputError);
    wrong = own;
    wrong.factors.back() = {std::nan("")};
    EXPECT_THROW(with_scores(graph, wrong), InputError);
  }
}

TEST(GraphScores, LogZIsExactWithoutLoops) {
  const Problem problem = without_loops(7);
  const GraphObjective at = log_partition(problem.build(problem.scores), {.tolerance = 1e-13});
  const auto value = [&](const Scores& s) { return solve_exact(problem.build(s)).log_partition; };
  EXPECT_NEAR(at.value, value(problem.scores), 1e-9);
  expect_gradient_of(value, problem.scores, flat(at), 1e-6);
}

TEST(GraphLoss, IsNoNumberWithoutMeaning) {
  FactorGraph graph;
  const Variable a = graph.add_variable(1e9), b = graph.add_variable(-1e9);
  graph.add_pair(a, b, 1e9);
  graph.add_xor({a, b});
  for (const Loss loss : {kCrfLoss, kSvmLoss, kSoftmaxMarginLoss}) {
    for (const Assignment& gold : {Assignment{1, 0}, Assignment{0, 1}}) {
      const GraphObjective at = structured_loss(graph, gold, loss);
      EXPECT_NEAR(at.value, gold[0] != 0 ? 0.0 : 2e9, 4.0);
      EXPECT_NEAR(at.variables[0], gold[0] != 0 ? 0.0 : 1.0, 1e-9);
      for (const double g : flat(at)) EXPECT_TRUE(std::isfinite(g));
    }
  }
}

TEST(GraphLoss, OfNothingIsZero) {
  for (const Loss loss : {kCrfLoss, kSvmLoss}) {
    const GraphObjective at = structured_loss(FactorGraph(), {}, loss);
    EXPECT_EQ(at.value, 0.0);
    EXPECT_TRUE(at.variables.empty());
  }
}

TEST(GraphLoss, OfATieIsExactlyZero) {
  // The perceptron's first loss: all assignments have score 0, and aggressive_step() tells a tie by the loss.
  Problem problem = with_loops(3, 1.0);
  for (double* x : problem.scores.all()) *x = 0.0;
  const FactorGraph graph = problem.build(problem.scores);
  for (const SolveMethod method : kRelaxations) {
    GraphLossOptions options;
    options.method = method;
    EXPECT_EQ(structured_loss(graph, problem.gold, kPerceptronLoss, options).value, 0.0);
  }
}

TEST(GraphLoss, RefusesBadArguments) {
  FactorGraph graph;
  const Variable a = graph.add_variable(), b = graph.add_variable();
  graph.add_xor({a, b});
  const auto message = [&](const Assignment& gold, Loss loss, const GraphLossOptions& options) {
    return message_of<InputError>([&] { structured_loss(graph, gold, loss, options); });
  };
  EXPECT_EQ(message({1, 1}, kCrfLoss, {}), "[structured_loss] gold: a factor or a score forbids it");
  EXPECT_EQ(message({1, 2}, kCrfLoss, {}), "[structured_loss] gold: a value that is neither 0 nor 1");
  EXPECT_EQ(message({1}, kCrfLoss, {}), "[score] assignment: 1 values for 2 variables");
  EXPECT_EQ(message({1, 0}, kRiskLoss, {}), "[structured_loss] loss: the expected cost of a factor graph is unknown");
  EXPECT_EQ(message({1, 0}, {0.0, 1.0}, {}),
            "[structured_loss] beta must be above 0 and gamma finite and not negative");
  EXPECT_EQ(message({1, 0}, kCrfLoss, {.costs = {1.0}}), "[structured_loss] costs: 1 for 2 variables");
  EXPECT_EQ(message({1, 0}, kCrfLoss, {.costs = {1.0, -1.0}}), "[structured_loss] costs: negative or not finite");
  EXPECT_EQ(message({1, 0}, kSvmLoss, {.method = SolveMethod::bp}),
            "[structured_loss] method: beta = inf takes ad3, lp, ilp or exact");
  FactorGraph wide;
  Literals many;
  for (int i = 0; i < 17; ++i) many.push_back(wide.add_variable());
  wide.add_factor(std::make_shared<OwnFactor>(17, std::vector<double>(1 << 17, 0.0)), many);
  EXPECT_EQ(message_of<InputError>([&] {
              structured_loss(wide, Assignment(17, 0), Loss{2.0, 0.0});
            }),
            "[structured_loss] beta: factor 0 (custom) has more than 16 inputs and cannot be tempered; take 1 or inf");
}

}  // namespace
}  // namespace kirchhoff
