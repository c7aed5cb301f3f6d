// Losses of the paper's dependency graphs, Turbo #1 (a TREE and pairs) and #2 (flows and pairs), by finite differences
// through their own objectives.
#include "kirchhoff/dependency_graph.hpp"
#include "kirchhoff/learn.hpp"
#include "support/gradient.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace kirchhoff {
namespace {

/// Scores of all arcs, sibling and grandparent pairs of four words, and a gold tree.
struct ScoredSentence {
  DependencyModel model;
  Heads gold;
};

ScoredSentence random_sentence(unsigned seed, double pair_size, TreeForm form = TreeForm::factor) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0.0, 1.0);
  constexpr int kWords = 4;
  Matrix scores(kWords + 1, kWords + 1);
  for (Eigen::Index i = 0; i < scores.size(); ++i) scores.data()[i] = normal(random);
  ScoredSentence sentence{{.scores = scores,
                           .root = Root::single,
                           .pairs = sibling_pairs(scores),
                           .consecutive_siblings = {},
                           .non_projective = {},
                           .form = form},
                          {-1, 2, 0, 2, 3}};
  const std::vector<ArcPair> more = grandparent_pairs(scores);
  sentence.model.pairs.insert(sentence.model.pairs.end(), more.begin(), more.end());
  for (ArcPair& pair : sentence.model.pairs) pair.score = pair_size * normal(random);
  return sentence;
}

/// Loss and gradient; half of the Hamming cost of arcs is the number of wrong heads, and other variables have none.
struct Lossy {
  GraphObjective objective;
  Matrix arcs;                ///< the gradient by arc scores
  std::vector<double> pairs;  ///< by pair
};

Lossy loss_of_sentence(const ScoredSentence& sentence, Loss loss, GraphLossOptions options = {}) {
  const DependencyGraph g = dependency_graph(sentence.model);
  // All variables of the gold tree: what does not belong to it has score -inf, and the rest follows.
  GraphScores fixed{std::vector<double>(static_cast<std::size_t>(g.graph.variables()), 0.0), {}};
  options.costs.assign(fixed.variables.size(), 0.0);
  for (const TreeArc& arc : g.arcs) {
    options.costs[arc.literal.variable] = 0.5;
    if (sentence.gold[arc.arc.dependent] != arc.arc.head) fixed.variables[arc.literal.variable] = -HUGE_VAL;
  }
  const Assignment gold = solve_ad3(with_scores(g.graph, fixed)).assignment;
  Lossy result{structured_loss(g.graph, gold, loss, options), Matrix::Zero(5, 5), {}};
  for (const TreeArc& arc : g.arcs) {
    result.arcs(arc.arc.head, arc.arc.dependent) = result.objective.variables[arc.literal.variable];
  }
  for (int f = 0; f < g.graph.factors(); ++f) {
    if (g.graph.factor(f).name() == "pair") result.pairs.push_back(result.objective.factors[f][0]);
  }
  return result;
}

TEST(DependencyLoss, OfTurboOneHasTheGradientOfBethesLogZ) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const ScoredSentence sentence = random_sentence(seed, 0.4);
    for (const Loss loss : {kCrfLoss, kSoftmaxMarginLoss, Loss{1.7, 0.5}}) {
      GraphLossOptions options;
      options.bp.tolerance = 1e-13;
      const Lossy at = loss_of_sentence(sentence, loss, options);
      ASSERT_EQ(at.objective.status, Status::converged);
      const auto by_arcs = [&](const Matrix& s) {
        ScoredSentence moved = sentence;
        moved.model.scores = s;
        return loss_of_sentence(moved, loss, options).objective.value;
      };
      expect_gradient(by_arcs, sentence.model.scores, at.arcs, 1e-6, "arcs");
      ASSERT_EQ(at.pairs.size(), sentence.model.pairs.size());
      int moving = 0;
      for (std::size_t p = 0; p < at.pairs.size(); p += 3) {
        ScoredSentence moved = sentence;
        const auto by_pair = [&](double x) {
          moved.model.pairs[p].score = x;
          return loss_of_sentence(moved, loss, options).objective.value;
        };
        const double expected = derivative(by_pair, sentence.model.pairs[p].score);
        EXPECT_NEAR(at.pairs[p], expected, 1e-6) << "pair " << p;
        moving += std::abs(expected) > 0.01;
      }
      EXPECT_GT(moving, 5);
    }
  }
}

TEST(DependencyLoss, OfPairsWithoutScoresIsExact) {
  const ScoredSentence sentence = random_sentence(4, 0.0);
  for (const Loss loss : {kCrfLoss, kSoftmaxMarginLoss, kSvmLoss, kPerceptronLoss, Loss{2.0, 0.3}}) {
    const ArcObjective expected = structured_loss(sentence.model.scores, sentence.gold, Root::single, loss);
    const Lossy found = loss_of_sentence(sentence, loss);
    EXPECT_NEAR(found.objective.value, expected.value, 1e-5);
    for (int h = 0; h <= 4; ++h) {
      for (int d = 1; d <= 4; ++d) {
        if (h == d) continue;
        EXPECT_NEAR(found.arcs(h, d), expected.gradient(h, d), 1e-5);
      }
    }
  }
}

#if KIRCHHOFF_HAS_LP
TEST(DependencyLoss, OfTheRelaxationIsTheSameForATreeAndFlows) {
  int fractional = 0;
  for (unsigned seed = 1; seed <= 8; ++seed) {
    GraphLossOptions options;
    options.method = SolveMethod::lp;
    const Lossy tree = loss_of_sentence(random_sentence(seed, 2.0), kSvmLoss, options);
    const Lossy flow = loss_of_sentence(random_sentence(seed, 2.0, TreeForm::flow), kSvmLoss, options);
    EXPECT_NEAR(tree.objective.value, flow.objective.value, 1e-7);
    options.method = SolveMethod::ilp;
    const double best = loss_of_sentence(random_sentence(seed, 2.0), kSvmLoss, options).objective.value;
    EXPECT_GE(tree.objective.value, best - 1e-9);
    fractional += tree.objective.value > best + 1e-6;
  }
  EXPECT_GT(fractional, 0) << "or the relaxation would be no approximation";
}
#endif

}  // namespace
}  // namespace kirchhoff
