// Scores of any size up to 1e100, and graphs of any size up to a few hundred words: answers known in closed form.
#include "kirchhoff/tree.hpp"

#include "support/compare.hpp"
#include "support/graphs.hpp"
#include "support/message_of.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kirchhoff {
namespace {

using graphs::kInf;

TEST(HugeScores, MaskGivenAsALargeNegativeNumber) {
  graphs::Random random(81);
  for (double mask : {-1e4, -1e9, -1e18, -1e30, -1e100})
    for (int trial = 0; trial < 20; ++trial) {
      const Matrix masked = graphs::masked_feasible(graphs::normal(5, 2, random), 0.5, random);
      Matrix scores = masked;
      for (int k = 0; k < scores.size(); ++k)
        if (scores.data()[k] == -kInf) scores.data()[k] = mask;
      for (Root root : graphs::kRoots)
        for (Method method : {Method::automatic, Method::robust}) {
          SCOPED_TRACE(testing::Message() << graphs::name(root) << ", " << graphs::name(method) << "\n" << scores);
          const oracle::Forest expected(masked, root);
          const TreeDistribution p(scores, root, graphs::forced(method));
          EXPECT_TRUE(close(p.log_partition(), expected.log_partition(), {1e-13, 1e-14}));
          expect_arcs(p.marginals(), oracle::marginals(expected), {1e-11, 0}, "marginals");
        }
    }
}

TEST(HugeScores, CyclesThatOutweighAllTreesAreRefused) {
  // Words 1 and 2 are each other's best head by 1e30, so that every tree loses so much.
  Matrix scores(4, 4);
  scores << 0, 0, 1, 2, 0, 0, 1e30, 2, 0, 1e30, 0, 2, 0, 0, 1, 0;
  for (Root root : graphs::kRoots)
    for (Method method : {Method::automatic, Method::fast, Method::robust}) {
      const std::string message =
          message_of<InputError>([&] { TreeDistribution(scores, root, graphs::forced(method)); });
      EXPECT_TRUE(message.starts_with("[TreeDistribution] scores differ too much: some arc is ")) << message;
      EXPECT_TRUE(message.ends_with("use -inf for impossible arcs")) << message;
    }
}

TEST(HugeScores, OneHugeRootArc) {
  // Found by fuzzing: the root's best arc is so large that its shift and the word's cannot be added in one double.
  Matrix scores(4, 4), rest(4, 4);
  rest << 0, 0, -kInf, -kInf, 0, 0, 0, 2, 0, -kInf, 0, 1, 0, 5, 0, 0;
  const oracle::Forest expected(rest, Root::single);
  for (double huge : {1e9, 1e15, 1e17, 1e20, 1e99})
    for (Method method : {Method::automatic, Method::robust}) {
      scores << 0, huge, 0, 0, 0, 0, 0, 2, 0, -huge, 0, 1, 0, 5, 0, 0;
      const TreeDistribution p(scores, Root::single, graphs::forced(method));
      EXPECT_TRUE(close(p.log_partition(), expected.log_partition() + huge, {1e-15, 0}));
      expect_arcs(p.marginals(), oracle::marginals(expected), {1e-13, 0}, "marginals");
    }
}

TEST(HugeScores, LogMarginalsOfMaskedArcs) {
  // Two words, w12 = exp(mask): p(1->2) = w12 / (1 + w12 + 1), so log p = mask - log 2 to rounding.
  for (double mask : {-1e3, -1e6, -1e9, -1e30}) {
    Matrix scores = Matrix::Zero(3, 3);
    scores(1, 2) = mask;
    for (Method method : {Method::automatic, Method::robust}) {
      const TreeDistribution p(scores, Root::multi, graphs::forced(method));
      EXPECT_TRUE(close(p.log_marginals()(1, 2), mask - std::log(2.0L), {1e-15, 1e-13}));
      EXPECT_TRUE(close(p.log_marginals()(2, 1), -std::log(2.0L), {0, 1e-14}));
      EXPECT_EQ(p.marginals()(1, 2), 0.0);
    }
  }
}

TEST(HugeScores, AWeakRootHasOneChild) {
  // Every root arc costs so much that trees with one of them outweigh all others: multi-root equals single-root.
  graphs::Random random(82);
  Matrix scores = graphs::normal(5, 2, random), free = scores;
  free.row(0).setZero();
  for (double cost : {1e4, 1e9})
    for (Method method : {Method::automatic, Method::robust}) {
      scores.row(0).setConstant(-cost);
      const oracle::Forest expected(free, Root::single);
      const TreeDistribution p(scores, Root::multi, graphs::forced(method));
      EXPECT_TRUE(close(p.log_partition(), expected.log_partition() - cost, {1e-13, 0}));
      // The weights depend on cost + O(1), which doubles round by half an ulp of the cost.
      expect_arcs(p.marginals(), oracle::marginals(expected), {1e-11 + 2e-16 * cost, 0}, "marginals");
    }
}

TEST(HugeScores, AllEqualScoresGiveTheUniformDistribution) {
  const int n = 5;
  for (double score : {1e30, -1e30, 1e100, -1e100, 1e4})
    for (Root root : graphs::kRoots)
      for (Method method : graphs::kMethods) {
        SCOPED_TRACE(testing::Message() << graphs::name(root) << ", " << graphs::name(method) << ", " << score);
        const TreeDistribution p(Matrix::Constant(n + 1, n + 1, score), root, graphs::forced(method));
        const oracle::Forest uniform(Matrix(Matrix::Zero(n + 1, n + 1)), root);
        EXPECT_TRUE(
            close(p.log_partition(), n * static_cast<long double>(score) + uniform.log_partition(), {1e-15, 0}));
        expect_arcs(p.marginals(), oracle::marginals(uniform), mild(method), "marginals");
        // Each tree's score cancels against log Z: what is left is the number of trees.
        EXPECT_TRUE(close(p.log_prob({-1, 2, 3, 0, 3, 3}), -uniform.log_partition(), {1e-13, 0}));
      }
}

TEST(HugeScores, ColumnShiftsLeaveMarginalsAlone) {
  graphs::Random random(83);
  for (int n : {5, 20, 70})  // from 16 words on scores of moderate size are read by another loop
    for (double size : {1e6, -1e6, 1e10, 1e12})
      for (Root root : graphs::kRoots)
        for (Method method : graphs::kMethods) {
          if (n * size > 8e12) continue;  // the shift would not be exact
          Matrix scores = graphs::normal(n, 3, random);
          scores = (scores * 1024).array().round() / 1024;  // so that adding the shift is exact
          Matrix shifted = scores;
          double total = 0;
          for (int j = 1; j <= n; ++j) shifted.col(j).array() += j * size, total += j * size;
          const TreeDistribution p(scores, root, graphs::forced(method)), q(shifted, root, graphs::forced(method));
          // The columns are scaled by their maximum: the very same differences, the very same marginals.
          EXPECT_EQ(q.marginals(), p.marginals()) << n << ' ' << size;
          EXPECT_TRUE(close(q.log_partition(), p.log_partition() + total, {1e-15, 0}));
        }
}

TEST(HugeScores, ColumnShiftsThatRoundTheScores) {
  graphs::Random random(84);
  for (Root root : graphs::kRoots) {
    const Matrix scores = graphs::normal(5, 3, random);
    Matrix shifted = scores;
    for (int j = 1; j <= 5; ++j) shifted.col(j).array() += j % 2 ? 1e6 : -1e6;
    // Half an ulp of 1e6 is 6e-11 per score, and a marginal moves by at most twice the sum over the tree's arcs.
    expect_same(TreeDistribution(shifted, root).marginals(), TreeDistribution(scores, root).marginals(), {1e-9, 0},
                "marginals");
  }
}

/// Marginals in [0, 1]; every word's sum to 1 (rounding of n positive terms); single-root: the root's too.
void expect_lawful(const TreeDistribution& p) {
  const Matrix m = p.marginals();
  const int n = p.words();
  EXPECT_TRUE(std::isfinite(p.log_partition()));
  EXPECT_GE(m.minCoeff(), 0.0);
  EXPECT_LE(m.maxCoeff(), 1.0);
  for (int j = 1; j <= n; ++j) EXPECT_NEAR(m.col(j).sum(), 1.0, 1e-11) << "word " << j;
  if (p.root() == Root::single) {
    EXPECT_NEAR(m.row(0).sum(), 1.0, 1e-11);
  }
}

TEST(LargeGraphs, FiveHundredWords) {
  graphs::Random random(85);
  for (double s : {1.0, 100.0}) {
    const Matrix scores = graphs::normal(500, s, random);
    for (Root root : graphs::kRoots) {
      SCOPED_TRACE(testing::Message() << graphs::name(root) << ", s = " << s);
      expect_lawful(TreeDistribution(scores, root));
    }
  }
}

TEST(LargeGraphs, FiveHundredWordsByBothMethods) {
  graphs::Random random(86);
  const Matrix scores = graphs::normal(500, 1, random);
  for (Root root : graphs::kRoots) {
    const TreeDistribution fast(scores, root, graphs::forced(Method::fast));
    const TreeDistribution robust(scores, root, graphs::forced(Method::robust));
    expect_lawful(robust);
    EXPECT_TRUE(close(fast.log_partition(), robust.log_partition(), {1e-14, 0}));
    expect_same(fast.marginals(), robust.marginals(), {1e-10, 0}, "fast against robust");
  }
}

TEST(LargeGraphs, CayleysFormulaAtEverySize) {
  // log of (n+1)^(n-1) and n^(n-1), past every block size of the elimination.
  for (int n : {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 100, 129, 257})
    for (Method method : graphs::kMethods) {
      const Matrix scores = Matrix::Zero(n + 1, n + 1);
      const TreeDistribution multi(scores, Root::multi, graphs::forced(method));
      const TreeDistribution single(scores, Root::single, graphs::forced(method));
      const long double log_multi = (n - 1) * std::log(n + 1.0L), log_single = (n - 1) * std::log(n + 0.0L);
      EXPECT_TRUE(close(multi.log_partition(), log_multi, {1e-13, 1e-15})) << n;
      EXPECT_TRUE(close(single.log_partition(), log_single, {1e-13, 1e-15})) << n;
      EXPECT_TRUE(close(multi.log_count(), log_multi, {1e-13, 1e-15})) << n;
      // By symmetry: root arcs 1/n (single) and 2/(n+1) (multi: E[root children] = 2n/(n+1)).
      EXPECT_TRUE(close(single.marginals()(0, n), 1.0L / n, {1e-12, 0})) << n;
      EXPECT_TRUE(close(multi.marginals()(0, n), 2.0L / (n + 1), {1e-12, 0})) << n;
      if (n == 1) continue;
      EXPECT_TRUE(close(multi.marginals()(n, 1), 1.0L / (n + 1), {1e-12, 0})) << n;
    }
}

}  // namespace
}  // namespace kirchhoff
