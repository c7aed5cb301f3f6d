// Values and gradients where the fast inverse is useless: peaked cycles, scores with s = 100, masks as huge numbers.
#include "kirchhoff/expectation.hpp"

#include "support/compare.hpp"
#include "support/graphs.hpp"
#include "support/high_precision.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kirchhoff {
namespace {

using graphs::kInf;
using oracle::Forest;

constexpr Method kSafe[] = {Method::automatic, Method::robust};

double largest(const Matrix& scores) {
  double top = 0;
  for (int i = 0; i < scores.rows(); ++i)
    for (int j = 1; j < scores.cols(); ++j)
      if (i != j && std::isfinite(scores(i, j))) top = std::max(top, std::abs(scores(i, j)));
  return top;
}

/// Cov(r, [k->l]) = p_kl (E[r | k->l] - E[r]): each mean is a convex combination of sums of n scores, so it carries the
/// rounding of n max|r| (times the few hundred operations of an elimination, 1e-13), and p multiplies it.
void expect_covariances(const Matrix& actual, const oracle::ArcArray& expected, const oracle::ArcArray& marginals,
                        double scale, double sign) {
  for (int i = 0; i <= expected.words(); ++i)
    for (int j = 1; j <= expected.words(); ++j) {
      if (i == j) continue;
      const double absolute = static_cast<double>(1e-13L * expected.words() * scale * marginals(i, j)) + 1e-300;
      EXPECT_TRUE(close(sign * actual(i, j), expected(i, j), {1e-11, absolute})) << "arc " << i << "->" << j;
    }
}

void expect_entropy_gradient(const Matrix& scores, Root root) {
  Matrix direction = scores;
  for (int k = 0; k < direction.size(); ++k)
    if (!std::isfinite(direction.data()[k])) direction.data()[k] = 0;
  const auto expected = high_precision::solve(scores, root, direction);
  for (Method method : kSafe) {
    SCOPED_TRACE(testing::Message() << graphs::name(root) << ", " << graphs::name(method)
                                    << ", n = " << scores.rows() - 1);
    const TreeDistribution p(scores, root, graphs::forced(method));
    // dH/dtheta = -Cov(theta, [k->l]).
    expect_covariances(entropy_gradient(p), expected.along, expected.marginals, largest(scores), -1.0);
    expect_covariances(p.marginals_along(direction), expected.along, expected.marginals, largest(scores), 1.0);
  }
}

TEST(Extreme, EntropyGradientOfPeakedPairs) {
  graphs::Random random(131);
  for (double gap : {20.0, 60.0, 400.0})
    for (Root root : graphs::kRoots) {
      Matrix scores = graphs::normal(10, 1, random);
      for (int k : {1, 5, 8}) scores(k, k + 1) += gap, scores(k + 1, k) += gap;
      expect_entropy_gradient(scores, root);
      scores.row(0).array() -= gap;
      expect_entropy_gradient(scores, root);
    }
}

TEST(Extreme, EntropyGradientOfWideScores) {
  graphs::Random random(132);
  for (double s : {10.0, 30.0, 100.0})
    for (int n : {5, 12, 20})
      for (Root root : graphs::kRoots) {
        expect_entropy_gradient(graphs::normal(n, s, random), root);
        expect_entropy_gradient(graphs::masked_feasible(graphs::normal(n, s, random), 0.5, random), root);
      }
}

TEST(Extreme, RiskGradientOfPeakedPairs) {
  graphs::Random random(133);
  for (double gap : {20.0, 100.0, 400.0})
    for (Root root : graphs::kRoots)
      for (Method method : kSafe) {
        const Matrix scores = graphs::strong_cycle(8, 2, gap, random);
        const Heads heads = graphs::random_tree(8, random);
        Matrix direction = Matrix::Zero(9, 9);
        for (int j = 1; j <= 8; ++j) direction(heads[j], j) = 1.0 / 8;
        const auto expected = high_precision::solve(scores, root, direction);
        const TreeDistribution p(scores, root, graphs::forced(method));
        expect_covariances(risk_gradient(p, {heads, {}}), expected.along, expected.marginals, 1.0 / 8, 1.0);
      }
}

TEST(Extreme, InformationOfHardGraphs) {
  graphs::Random random(134);
  for (double gap : {20.0, 100.0, 400.0})
    for (Root root : graphs::kRoots)
      for (Method method : kSafe) {
        SCOPED_TRACE(testing::Message() << graphs::name(root) << ", " << graphs::name(method) << ", gap " << gap);
        const Matrix a = graphs::strong_cycle(5, 3, gap, random), b = graphs::strong_cycle(5, 2, gap, random);
        const TreeDistribution p(a, root, graphs::forced(method)), q(b, root, graphs::forced(method));
        const Forest fp(a, root), fq(b, root);
        // Sums of five scores of size gap: 1e-13 of that, absolute.
        const Tolerance t = {1e-12, 1e-13 * 5 * gap};
        EXPECT_TRUE(close(entropy(p), oracle::entropy(fp), t)) << "entropy";
        EXPECT_TRUE(close(cross_entropy(p, q), oracle::cross_entropy(fp, fq), t)) << "cross_entropy";
        EXPECT_TRUE(close(kl(p, q), oracle::kl(fp, fq), t)) << "kl";
        EXPECT_TRUE(close(renyi(p, 2), oracle::renyi(fp, 2), t)) << "renyi";
        EXPECT_TRUE(close(norm(p, 2), oracle::norm(fp, 2), t)) << "norm";
      }
}

TEST(Extreme, EntropyOfEqualHugeScoresIsTheLogOfTheCount) {
  for (double score : {1e6, 1e30, -1e30})
    for (Root root : graphs::kRoots) {
      const TreeDistribution p(Matrix::Constant(6, 6, score), root);
      const double count = p.log_count();
      EXPECT_NEAR(entropy(p), count, 1e-12) << score;
      EXPECT_NEAR(renyi(p, 2), count, 1e-12) << score;
      EXPECT_NEAR(kl(p, TreeDistribution(Matrix::Zero(6, 6), root)), 0, 1e-12) << score;
      EXPECT_NEAR(entropy_gradient(p).cwiseAbs().maxCoeff(), 0, 1e-12) << score;
    }
}

TEST(Extreme, MasksGivenAsLargeNegativeNumbers) {
  graphs::Random random(135);
  for (double mask : {-1e9, -1e18, -1e30})
    for (Root root : graphs::kRoots)
      for (Method method : kSafe)
        for (int trial = 0; trial < 5; ++trial) {
          SCOPED_TRACE(testing::Message() << graphs::name(root) << ", " << graphs::name(method) << ", mask " << mask);
          const Matrix exact = graphs::masked_feasible(graphs::normal(4, 1, random), 0.5, random);
          const Matrix loose = exact.array().isInf().select(mask, exact);
          const TreeDistribution p(exact, root, graphs::forced(method)), q(loose, root, graphs::forced(method));
          EXPECT_NEAR(entropy(q), entropy(p), 1e-12);
          EXPECT_NEAR(kl(p, q), 0, 1e-12);
          EXPECT_NEAR(renyi(q, 2), renyi(p, 2), 1e-12);
          expect_same(entropy_gradient(q), entropy_gradient(p), {0, 1e-11}, "entropy_gradient");
        }
}

}  // namespace
}  // namespace kirchhoff
