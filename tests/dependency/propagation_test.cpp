// Belief propagation with parts of several arcs: damping, strong scores, and derivatives of log Z.
#include "dependency/random_parts.hpp"
#include "dependency/second_order.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kirchhoff::dependency {
namespace {

TEST(SecondOrder, SurvivesEnormousScores) {
  Random random(19);
  for (const double strength : {30.0, 300.0, 1e4}) {
    for (int round = 0; round < 20; ++round) {
      const int words = 2 + round % 8;
      const Root root = graphs::kRoots[round % 2];
      const Candidates c = random_candidates(words, 0.5, graphs::random_tree(words, random), random);
      const DependencyParts parts = list_parts(words, c, kSoftSets[static_cast<std::size_t>(round % 4)]);
      const auto arcs = normal(c.size(), strength, random), seconds = normal(parts.size(), strength, random);
      const PartBeliefs b = propagate_beliefs({parts, c, root, arcs, seconds}, {});
      EXPECT_TRUE(std::isfinite(b.log_partition));
      for (const auto* list : {&b.arcs, &b.parts}) {
        for (const double p : *list) EXPECT_TRUE(p >= 0.0 && p <= 1.0 + 1e-9) << p;
      }
      for (const double w : b.tree_weights) EXPECT_TRUE(std::isfinite(w));
    }
  }
}

/// Damping changes the way to a fixed point, and with parts that are not strong there is just one.
TEST(SecondOrder, DampingLeadsToTheSameBeliefs) {
  Random random(23);
  for (int round = 0; round < 12; ++round) {
    const int words = 4 + round % 4;
    const Candidates c = random_candidates(words, 0.6, graphs::random_tree(words, random), random);
    const DependencyParts parts = list_parts(words, c, kSoftSets[static_cast<std::size_t>(round % 4)]);
    const auto arcs = normal(c.size(), 1.0, random), seconds = normal(parts.size(), 0.3, random);
    const ScoredParts scored{parts, c, graphs::kRoots[round % 2], arcs, seconds};
    const PartBeliefs plain = propagate_beliefs(scored, {.iterations = 500, .tolerance = 1e-11});
    const PartBeliefs damped =
        propagate_beliefs(scored, {.iterations = 1, .tolerance = 1e-11, .damped_iterations = 2000});
    ASSERT_TRUE(plain.converged && damped.converged) << round;
    EXPECT_NEAR(damped.log_partition, plain.log_partition, 1e-8);
    for (std::size_t i = 0; i < c.size(); ++i) EXPECT_NEAR(damped.arcs[i], plain.arcs[i], 1e-8);
  }
}

/// The parser goes on where many strong pairs take long to settle: 60 damped iterations leave a third of these
/// unsettled.
TEST(SecondOrder, ParsingGoesOnUntilStrongPairsSettle) {
  Random random(37);
  constexpr int kWords = 24, kRounds = 20;
  int settled = 0, settled_early = 0;
  for (int round = 0; round < kRounds; ++round) {
    const Candidates c = random_candidates(kWords, 5.0 / kWords, graphs::random_tree(kWords, random), random);
    const DependencyParts parts = list_parts(kWords, c, kAllSiblings);
    const auto arcs = normal(c.size(), 2.0, random), seconds = normal(parts.size(), 1.6, random);
    const ScoredParts scored{parts, c, Root::single, arcs, seconds};
    BpEffort early = kParsing;
    early.damped_iterations = 60;
    settled += propagate_beliefs(scored, kParsing).converged ? 1 : 0;
    settled_early += propagate_beliefs(scored, early).converged ? 1 : 0;
  }
  EXPECT_GE(settled, kRounds - 2);
  EXPECT_LE(settled_early, kRounds - 5) << "or the graphs are too easy to tell";
}

/// Without scores of parts trees are all there is, whose derivatives are exact.
TEST(SecondOrder, DerivativesOfBeliefsAreThoseOfTrees) {
  Random random(41);
  for (int round = 0; round < 16; ++round) {
    const int words = 3 + round % 5;
    const Root root = graphs::kRoots[round % 2];
    const Candidates c = random_candidates(words, 0.6, graphs::random_tree(words, random), random);
    const DependencyParts parts = list_parts(words, c, kSoftSets[static_cast<std::size_t>(round % 4)]);
    const auto arcs = normal(c.size(), 1.0, random), direction = normal(c.size(), 2.0, random);
    const std::vector<double> none(parts.size(), 0.0);
    const auto slopes = beliefs_along({parts, c, root, arcs, none}, {direction, none});
    ASSERT_TRUE(slopes.has_value());
    Matrix scores = Matrix::Constant(words + 1, words + 1, -HUGE_VAL), along = Matrix::Zero(words + 1, words + 1);
    for (std::size_t i = 0; i < c.size(); ++i) {
      scores(c.heads[i], parts.dependents[i]) = arcs[i];
      along(c.heads[i], parts.dependents[i]) = direction[i];
    }
    const Matrix exact = TreeDistribution(scores, root).marginals_along(along);
    for (std::size_t i = 0; i < c.size(); ++i) {
      EXPECT_NEAR(slopes->arcs[i], exact(c.heads[i], parts.dependents[i]), 1e-5);
    }
  }
}

/// The Hessian is symmetric: derivatives along a direction are the gradient of the expectation of that direction, which
/// moves one score after the other, of arcs and of parts.
TEST(SecondOrder, DerivativesOfBeliefsAreGradientsOfExpectations) {
  Random random(43);
  constexpr BpEffort kLong{.iterations = 200, .tolerance = 1e-12, .damped_iterations = 5000};
  constexpr double kStep = 1e-4;
  double largest = 0.0;
  for (int round = 0; round < 16; ++round) {
    const int words = 3 + round % 3;
    const Candidates c = random_candidates(words, 0.6, graphs::random_tree(words, random), random);
    const DependencyParts parts = list_parts(words, c, kSoftSets[static_cast<std::size_t>(round % 4)]);
    auto arcs = normal(c.size(), 1.0, random), seconds = normal(parts.size(), 0.5, random);
    const PartNumbers direction{normal(c.size(), 1.0, random),
                                normal(parts.size(), round % 3 == 0 ? 0.0 : 1.0, random)};
    const ScoredParts scored{parts, c, graphs::kRoots[round % 2], arcs, seconds};
    const auto slopes = beliefs_along(scored, direction);
    ASSERT_TRUE(slopes.has_value());
    const auto expectation = [&] {
      const PartBeliefs b = propagate_beliefs(scored, kLong);
      EXPECT_TRUE(b.converged);
      double sum = 0.0;
      for (std::size_t i = 0; i < c.size(); ++i) sum += direction.arcs[i] * b.arcs[i];
      for (std::size_t p = 0; p < parts.size(); ++p) sum += direction.parts[p] * b.parts[p];
      return sum;
    };
    const auto check = [&](double& score, double expected) {
      const double own = score;
      score = own + kStep;
      const double above = expectation();
      score = own - kStep;
      const double slope = (above - expectation()) / (2.0 * kStep);
      score = own;
      EXPECT_NEAR(expected, slope, 1e-5);
      largest = std::max(largest, std::abs(slope));
    };
    for (std::size_t i = 0; i < arcs.size(); ++i) check(arcs[i], slopes->arcs[i]);
    for (std::size_t p = 0; p < seconds.size(); ++p) check(seconds[p], slopes->parts[p]);
  }
  EXPECT_GT(largest, 0.1);
}

TEST(SecondOrder, WithoutAFixedPointBeliefsHaveNoDerivative) {
  Random random(47);
  int without = 0;
  for (int round = 0; round < 20; ++round) {
    const Candidates c = random_candidates(12, 0.5, graphs::random_tree(12, random), random);
    const DependencyParts parts = list_parts(12, c, kAllSiblings);
    const auto arcs = normal(c.size(), 2.0, random), seconds = normal(parts.size(), 8.0, random);
    const auto slopes = beliefs_along({parts, c, Root::single, arcs, seconds}, {arcs, seconds});
    if (!slopes) {
      ++without;
      continue;
    }
    for (const double slope : slopes->arcs) EXPECT_TRUE(std::isfinite(slope));
  }
  EXPECT_GT(without, 0);
  const Candidates c = random_candidates(4, 0.5, graphs::random_tree(4, random), random);
  const DependencyParts parts = list_parts(4, c, kNextSiblings);
  const auto arcs = normal(c.size(), 1.0, random), seconds = normal(parts.size(), 1.0, random);
  const PartNumbers none{std::vector<double>(c.size(), 0.0), std::vector<double>(parts.size(), 0.0)};
  EXPECT_EQ(beliefs_along({parts, c, Root::single, arcs, seconds}, none)->arcs, none.arcs);
}

/// At a fixed point the derivatives of Bethe's log Z are the beliefs.
TEST(SecondOrder, BeliefsAreTheDerivativesOfLogZ) {
  Random random(17);
  constexpr BpEffort kLong{.iterations = 2000, .tolerance = 1e-13};
  constexpr double kStep = 1e-5;
  for (int round = 0; round < 24; ++round) {
    const int words = 3 + round % 4;
    const Root root = graphs::kRoots[round % 2];
    const Candidates c = random_candidates(words, 0.6, graphs::random_tree(words, random), random);
    const DependencyParts parts = list_parts(words, c, kSoftSets[static_cast<std::size_t>(round % 4)]);
    auto arcs = normal(c.size(), 1.0, random), seconds = normal(parts.size(), 0.3, random);
    for (std::size_t p = 0; p < seconds.size(); p += 5) seconds[p] = 0.0;  // such pairs have no factor
    const PartBeliefs b = propagate_beliefs({parts, c, root, arcs, seconds}, kLong);
    ASSERT_TRUE(b.converged);
    const auto derivative = [&](double& score) {
      const double before = score;
      score = before + kStep;
      const double up = propagate_beliefs({parts, c, root, arcs, seconds}, kLong).log_partition;
      score = before - kStep;
      const double down = propagate_beliefs({parts, c, root, arcs, seconds}, kLong).log_partition;
      score = before;
      return (up - down) / (2.0 * kStep);
    };
    for (std::size_t i = 0; i < c.size(); i += 3) EXPECT_NEAR(derivative(arcs[i]), b.arcs[i], 1e-6);
    for (std::size_t p = 0; p < parts.size(); p += 7) EXPECT_NEAR(derivative(seconds[p]), b.parts[p], 1e-6);
  }
}

}  // namespace
}  // namespace kirchhoff::dependency
