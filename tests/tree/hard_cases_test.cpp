// Graphs made to break a matrix inverse, small enough to enumerate: strong cycles with a weak root, masks as huge
// numbers, structural zeros. The oracle adds positive terms in long double, so it is right to 1e-17 relative here too.
#include "kirchhoff/tree.hpp"

#include "support/compare.hpp"
#include "support/graphs.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kirchhoff {
namespace {

using graphs::kInf;

constexpr Method kSafe[] = {Method::automatic, Method::robust};
// The issue asks for 1e-11 relative on every marginal.
constexpr Tolerance kMarginal = {1e-11, 0};
// The logarithm of a marginal right to 1e-11, plus the rounding of its own size.
constexpr Tolerance kLogMarginal = {1e-13, 1e-11};

/// A double has no relative accuracy below 1e-308; the logarithms are checked there instead.
void expect_marginals(const TreeDistribution& p, const oracle::Forest& expected) {
  const auto m = oracle::marginals(expected);
  const Matrix actual = p.marginals();
  for (int i = 0; i <= p.words(); ++i)
    for (int j = 1; j <= p.words(); ++j) {
      if (i == j) continue;
      const Tolerance t = {kMarginal.relative, m(i, j) < 1e-300L ? 1e-300 : 0};
      EXPECT_TRUE(close(actual(i, j), m(i, j), t)) << "arc " << i << "->" << j;
    }
  expect_arcs(p.log_marginals(), oracle::log_marginals(expected), kLogMarginal, "log_marginals", -kInf);
}

/// log Z: 1e-13 relative, and 4 ulp of the largest summand, the sum of the columns' maxima, when log Z is near 0.
void expect_log_partition(const TreeDistribution& p, const Matrix& scores, const oracle::Forest& expected) {
  double largest = 0;
  for (int j = 1; j <= p.words(); ++j)
    for (int i = 0; i <= p.words(); ++i)
      if (i != j && std::isfinite(scores(i, j))) largest = std::max(largest, std::abs(scores(i, j)));
  EXPECT_TRUE(close(p.log_partition(), expected.log_partition(), {1e-13, 4 * 2.2e-16 * p.words() * largest}));
}

void expect_exact(const Matrix& scores) {
  for (Root root : graphs::kRoots) {
    const oracle::Forest expected(scores, root);
    if (expected.count() == 0) continue;
    for (Method method : kSafe) {
      SCOPED_TRACE(testing::Message() << graphs::name(root) << ", " << graphs::name(method) << "\n" << scores);
      const TreeDistribution p(scores, root, graphs::forced(method));
      expect_log_partition(p, scores, expected);
      expect_marginals(p, expected);
    }
  }
}

TEST(HardCases, StrongCyclesWithAWeakRoot) {
  graphs::Random random(71);
  for (int length : {2, 3})
    for (double gap : {20.0, 50.0, 100.0, 200.0, 400.0})
      for (int words : {length, 4, 5}) expect_exact(graphs::strong_cycle(words, length, gap, random));
}

TEST(HardCases, TwoStrongCyclesAndAVeryWeakRoot) {
  graphs::Random random(72);
  for (double gap : {20.0, 100.0, 400.0, 800.0}) {
    Matrix scores = graphs::strong_cycle(5, 2, gap, random);
    scores(3, 4) += gap, scores(4, 3) += 2 * gap;
    scores.row(0).array() -= gap;
    expect_exact(scores);
  }
}

TEST(HardCases, PairMarginalsOfStrongCycles) {
  graphs::Random random(73);
  for (int length : {2, 3})
    for (double gap : {20.0, 100.0, 400.0})
      for (Root root : graphs::kRoots)
        for (Method method : kSafe) {
          SCOPED_TRACE(testing::Message() << graphs::name(root) << ", " << graphs::name(method) << ", gap " << gap);
          const Matrix scores = graphs::strong_cycle(4, length, gap, random);
          const auto expected = oracle::pair_marginals(oracle::Forest(scores, root));
          const Matrix table = TreeDistribution(scores, root, graphs::forced(method)).pair_marginals();
          const auto size = static_cast<std::size_t>(table.rows());
          for (std::size_t a = 0; a < size; ++a)
            for (std::size_t b = 0; b < size; ++b)
              EXPECT_TRUE(close(table(a, b), expected[a * size + b], {1e-10, 1e-14})) << "arcs " << a << ", " << b;
        }
}

TEST(HardCases, PairMarginalsFromMildToPeaked) {
  // Where the fast product formula stops being good enough, something else must take over.
  graphs::Random random(78);
  for (double s : {1.0, 3.0, 6.0, 10.0, 20.0, 60.0})
    for (Root root : graphs::kRoots)
      for (int trial = 0; trial < 10; ++trial) {
        const Matrix scores = graphs::normal(4, s, random);
        const auto expected = oracle::pair_marginals(oracle::Forest(scores, root));
        const TreeDistribution p(scores, root);
        for (int a = 0; a < 25; ++a)
          for (int b = 0; b < 25; ++b) {
            const Arc first{a / 5, a % 5}, second{b / 5, b % 5};
            if (a % 6 == 0 || b % 6 == 0 || a % 5 == 0 || b % 5 == 0) continue;  // no arcs
            // Two factors, each right to 1e-12 relative: p(a) p(b | a).
            EXPECT_TRUE(close(p.pair_marginal(first, second), expected[a * 25 + b], {1e-11, 1e-300}))
                << graphs::name(root) << ", s = " << s << ", arcs " << a << ", " << b << "\n"
                << scores;
          }
      }
}

TEST(HardCases, DerivativesOfStrongCycles) {
  graphs::Random random(74);
  for (int length : {2, 3})
    for (double gap : {20.0, 100.0, 400.0})
      for (Root root : graphs::kRoots)
        for (Method method : kSafe) {
          SCOPED_TRACE(testing::Message() << graphs::name(root) << ", " << graphs::name(method) << ", gap " << gap);
          const Matrix scores = graphs::strong_cycle(4, length, gap, random), r = graphs::normal(4, 1, random);
          const auto expected = oracle::covariance_with_arcs(oracle::Forest(scores, root), oracle::ArcArray(r));
          const TreeDistribution p(scores, root, graphs::forced(method));
          // Numbers of size n max|r| = 12, all of them roundings of 1e-16 times at most 1e3 operations.
          expect_arcs(p.marginals_along(r), expected, {1e-10, 1e-12}, "along");
        }
}

TEST(HardCases, OneTreeOnly) {
  for (double score : {0.0, 1e4, -1e4, 1e30, -1e30})
    for (const Matrix& scores : {graphs::chain(6, score), graphs::star(6, score)})
      for (Root root : graphs::kRoots)
        for (Method method : graphs::kMethods) {
          SCOPED_TRACE(testing::Message() << graphs::name(root) << ", " << graphs::name(method) << "\n" << scores);
          const TreeDistribution p(scores, root, graphs::forced(method));
          EXPECT_TRUE(close(p.log_partition(), 6 * score, {1e-15, 1e-15}));
          EXPECT_TRUE(close(p.log_count(), 0, {0, 1e-15}));
          for (int i = 0; i <= 6; ++i)
            for (int j = 1; j <= 6; ++j)
              // Exactly 0 where there is no tree; 1 to a few roundings where there is.
              EXPECT_TRUE(close(p.marginals()(i, j), std::isfinite(scores(i, j)), {1e-15, 0})) << i << "->" << j;
        }
}

TEST(HardCases, ScoresOfTenThousand) {
  graphs::Random random(75);
  std::bernoulli_distribution coin;
  for (int trial = 0; trial < 10; ++trial) {
    Matrix scores = graphs::normal(5, 1, random);
    for (int k = 0; k < scores.size(); ++k) scores.data()[k] += coin(random) ? 1e4 : -1e4;
    expect_exact(scores);
  }
}

TEST(HardCases, WordsWithoutOutgoingArcs) {
  // Leaves by structure: the arcs out of 2 and 4 are impossible, so are the trees in which 2 or 4 is the single root.
  graphs::Random random(76);
  for (double s : {1.0, 100.0}) {
    Matrix scores = graphs::normal(5, s, random);
    for (int j = 1; j <= 5; ++j) scores(2, j) = scores(4, j) = -kInf;
    expect_exact(scores);
    EXPECT_EQ(TreeDistribution(scores, Root::single).marginals()(0, 2), 0.0);
    EXPECT_EQ(TreeDistribution(scores, Root::single).marginals()(0, 4), 0.0);
  }
}

TEST(HardCases, SparseGraphsWithExtremeScores) {
  graphs::Random random(77);
  for (int trial = 0; trial < 60; ++trial)
    for (double s : {1.0, 30.0, 300.0})
      expect_exact(graphs::masked_feasible(graphs::normal(2 + trial % 4, s, random), 0.5, random));
}

TEST(HardCases, StructuralZerosAreZero) {
  // 3 can only be reached through 2, so 3->2 is in no tree although its score is finite and huge.
  Matrix scores = Matrix::Zero(4, 4);
  scores(0, 3) = scores(1, 3) = -kInf;
  scores(3, 2) = 700;
  for (Root root : graphs::kRoots)
    for (Method method : kSafe) {
      const TreeDistribution p(scores, root, graphs::forced(method));
      EXPECT_EQ(p.marginals()(3, 2), 0.0);
      EXPECT_EQ(p.log_marginals()(3, 2), -kInf);
    }
  expect_exact(scores);
}

}  // namespace
}  // namespace kirchhoff
