// Reports say which method ran, and its error is what was asked for.
#include "kirchhoff/tree.hpp"

#include "support/compare.hpp"
#include "support/graphs.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kirchhoff {
namespace {

TEST(Report, NamesTheForcedMethod) {
  graphs::Random random(91);
  const Matrix scores = graphs::normal(6, 1, random);
  for (Root root : graphs::kRoots) {
    EXPECT_EQ(TreeDistribution(scores, root, graphs::forced(Method::fast)).report().method, Method::fast);
    EXPECT_EQ(TreeDistribution(scores, root, graphs::forced(Method::robust)).report().method, Method::robust);
  }
}

TEST(Report, AutomaticTakesTheFastMethodWhereItCan) {
  graphs::Random random(92);
  for (int n : {1, 2, 10, 50})
    for (Root root : graphs::kRoots) {
      const TreeDistribution p(graphs::normal(n, 1, random), root, {Method::automatic, 1e-9, 0});
      EXPECT_EQ(p.report().method, Method::fast) << "n = " << n;
      EXPECT_TRUE(p.report().certified);
      EXPECT_FALSE(p.report().extended);
    }
}

// A look at the weights may spare the fast method's attempt where that would fail, and nowhere else.
TEST(Report, AutomaticTriesTheFastMethodWhereverItCertifies) {
  graphs::Random random(154);
  int certified = 0, not_certified = 0;
  for (const double spread : {1.0, 2.0, 3.0, 4.0}) {
    for (int k = 0; k < 200; ++k) {
      const Matrix scores = graphs::normal(3 + k % 40, spread, random);
      const TreeDistribution fast(scores, Root::multi, graphs::forced(Method::fast));
      const Method expected = fast.report().certified ? Method::fast : Method::robust;
      ++(fast.report().certified ? certified : not_certified);
      EXPECT_EQ(TreeDistribution(scores, Root::multi).report().method, expected) << spread << ", " << k;
    }
  }
  EXPECT_GT(certified, 100);
  EXPECT_GT(not_certified, 100);
}

TEST(Report, AutomaticTakesTheRobustMethodWhereItMust) {
  graphs::Random random(93);
  for (double gap : {20.0, 50.0, 400.0})
    for (Root root : graphs::kRoots) {
      const TreeDistribution p(graphs::strong_cycle(5, 2, gap, random), root);
      EXPECT_EQ(p.report().method, Method::robust) << "gap " << gap;
      EXPECT_TRUE(p.report().certified);
      // Forced all the same, the fast method says so, or gives up (a pivot of 0) and says that.
      const Report forced = TreeDistribution(p.scores(), root, graphs::forced(Method::fast)).report();
      EXPECT_TRUE(!forced.certified || forced.method == Method::robust) << "gap " << gap;
    }
}

TEST(Report, ExtendedScalarsWhereDoublesUnderflow) {
  // The only tree that can use 2->1 has weight exp(-2000) of the best: its reduced weights are no doubles.
  Matrix scores = Matrix::Zero(4, 4);
  scores.row(0).setConstant(-1500);
  for (int j : {1, 2, 3}) scores(j % 3 + 1, j) = 1000;
  const TreeDistribution p(scores, Root::multi, graphs::forced(Method::robust));
  EXPECT_TRUE(p.report().extended);
  graphs::Random random(94);
  EXPECT_FALSE(
      TreeDistribution(graphs::normal(5, 1, random), Root::multi, graphs::forced(Method::robust)).report().extended);
}

/// max over arcs of |error| / max(p, floor).
double error_of(const TreeDistribution& p, const oracle::ArcArray& expected) {
  long double worst = 0;
  for (int i = 0; i <= p.words(); ++i)
    for (int j = 1; j <= p.words(); ++j)
      if (i != j && expected(i, j) > 0)
        worst = std::max(worst, std::abs(p.marginals()(i, j) - expected(i, j)) /
                                    std::max<long double>(expected(i, j), p.accuracy().floor));
  return static_cast<double>(worst);
}

TEST(Report, AutomaticKeepsItsPromise) {
  graphs::Random random(95);
  int fast = 0, cases = 0;
  for (double s : {1.0, 3.0, 6.0, 10.0, 20.0, 40.0})
    for (double tolerance : {1e-6, 1e-9, 1e-12})
      for (double floor : {0.0, 1e-3, 1.0})
        for (Root root : graphs::kRoots)
          for (int trial = 0; trial < 8; ++trial, ++cases) {
            const Matrix scores = graphs::normal(5, s, random);
            const TreeDistribution p(scores, root, {Method::automatic, tolerance, floor});
            fast += p.report().method == Method::fast;
            // 1e-14: a handful of roundings, which no tolerance can forbid.
            EXPECT_LE(error_of(p, oracle::marginals(oracle::Forest(scores, root))), tolerance + 1e-14)
                << graphs::name(p.report().method) << ", tolerance " << tolerance << ", floor " << floor << "\n"
                << scores;
          }
  EXPECT_GT(fast, cases / 5);  // both methods were judged
  EXPECT_LT(fast, cases * 4 / 5);
}

TEST(Report, ForcedFastSaysWhetherItKeptThePromise) {
  graphs::Random random(96);
  int certified = 0, cases = 0, wrong = 0;
  for (double s : {1.0, 3.0, 10.0, 20.0})
    for (Root root : graphs::kRoots)
      for (int trial = 0; trial < 25; ++trial, ++cases) {
        const Matrix scores = graphs::normal(5, s, random);
        const TreeDistribution p(scores, root, {Method::fast, 1e-11, 0});
        const double error = error_of(p, oracle::marginals(oracle::Forest(scores, root)));
        certified += p.report().certified;
        wrong += !(error <= 1e-11);
        if (p.report().certified) {
          EXPECT_LE(error, 1e-11) << graphs::name(root) << "\n" << scores;
        }
      }
  EXPECT_GT(certified, cases / 10);  // not by refusing everything
  EXPECT_GT(wrong, cases / 10);      // and there was something to refuse
}

TEST(Report, ForcedFastDoesNotVouchForWeightsThatUnderflowed) {
  // exp(-710) is no normal double, but the marginal of 0->1 is half of exp(20) times that, and one.
  Matrix scores = Matrix::Constant(4, 4, -graphs::kInf);
  scores(0, 3) = scores(1, 2) = scores(2, 1) = 0;
  scores(0, 2) = scores(3, 1) = -20;
  scores(0, 1) = -710;
  const TreeDistribution right(scores, Root::multi, graphs::forced(Method::robust));
  EXPECT_GT(right.marginals()(0, 1), 1e-300);
  const TreeDistribution p(scores, Root::multi, {Method::fast, 1e-4, 0});
  EXPECT_EQ(p.report().method, Method::fast);
  EXPECT_FALSE(p.report().certified) << p.marginals()(0, 1);
}

TEST(Report, AFloorMakesTheFastMethodUsableMoreOften) {
  graphs::Random random(97);
  int relative = 0, absolute = 0;
  for (int trial = 0; trial < 50; ++trial) {
    const Matrix scores = graphs::normal(10, 5, random);
    relative += TreeDistribution(scores, Root::single, {Method::automatic, 1e-10, 0}).report().method == Method::fast;
    absolute += TreeDistribution(scores, Root::single, {Method::automatic, 1e-10, 1}).report().method == Method::fast;
  }
  EXPECT_GT(absolute, relative);
}

TEST(Report, AnUnlikelyRootInTheLastPlaceCostsNoDigits) {
  // The last word is a full stop: the worst child of the root, and the worst head. The second graph is pruned, too.
  graphs::Random random(98);
  for (int n : {5, 10, 20, 40}) {
    Matrix scores = graphs::normal(n, 1, random);
    scores.row(n).array() -= 30;
    scores(0, n) -= 30;
    Matrix pruned = scores;
    pruned(1, 3) = pruned(2, 4) = -graphs::kInf;
    for (const Matrix& graph : {scores, pruned}) {
      const TreeDistribution p(graph, Root::single), right(graph, Root::single, graphs::forced(Method::robust));
      EXPECT_EQ(p.report().method, Method::fast) << n << " words";
      for (int i = 0; i <= n; ++i)
        for (int j = 1; j <= n; ++j)
          EXPECT_TRUE(close(p.marginals()(i, j), right.marginals()(i, j), {1.1e-12, 0})) << i << "->" << j;
    }
  }
}

TEST(Report, AccuracyComesBack) {
  const Accuracy asked{Method::robust, 1e-7, 0.5};
  const TreeDistribution p(Matrix::Zero(3, 3), Root::single, asked);
  EXPECT_EQ(p.accuracy().method, asked.method);
  EXPECT_EQ(p.accuracy().tolerance, asked.tolerance);
  EXPECT_EQ(p.accuracy().floor, asked.floor);
}

}  // namespace
}  // namespace kirchhoff
