// What an adversarial reading of the library found, kept as tests.
#include "kirchhoff/expectation.hpp"

#include "support/compare.hpp"
#include "support/graphs.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>

namespace kirchhoff {
namespace {

using graphs::kInf;

TEST(Review, KlToADistributionWithAHugePenalty) {
  // Three trees of probability 1/3; one of them has the arc 1->2, whose score under q is the penalty.
  Matrix p_scores = Matrix::Zero(3, 3), q_scores = Matrix::Zero(3, 3);
  for (double penalty : {1e4, 1e16, 1e30}) {
    q_scores(1, 2) = -penalty;
    const TreeDistribution p(p_scores, Root::multi), q(q_scores, Root::multi);
    // KL = -log 3 + log Z_q + penalty / 3, Z_q = 2.
    EXPECT_TRUE(close(kl(p, q), std::log(2.0L / 3.0L) + penalty / 3.0L, {1e-14, 0}));
    EXPECT_TRUE(close(kl_gradient(p, q).p(1, 2), penalty * 2.0L / 9.0L, {1e-12, 0}));
  }
}

TEST(Review, AnArcInNoTreeDoesNotMakeKlInfinite) {
  // Word 2's only head is word 1, so 2->1 would close a cycle: q may forbid it.
  graphs::Random random(7);
  for (int trial = 0; trial < 50; ++trial) {
    Matrix scores = graphs::normal(5, 1, random);
    for (int head : {0, 3, 4, 5}) scores(head, 2) = -kInf;
    for (Accuracy accuracy :
         {Accuracy{}, Accuracy{Method::automatic, 1e-12, 1.0}, Accuracy{Method::fast, 1e-12, 0.0}}) {
      const TreeDistribution p(scores, Root::multi, accuracy);
      EXPECT_LT(kl(p, p.forbid({2, 1})), 1e-12);
    }
  }
}

TEST(Review, LabelSharesUnderLargeScores) {
  for (double size : {1e6, 1e9, 1e17}) {
    const LabelledTreeDistribution p(LabelledMatrix(1, 3, size), Root::multi);
    EXPECT_TRUE(close(p.marginals()(0, 1, 1), 1.0L / 3.0L, {1e-15, 0}));
    EXPECT_TRUE(close(entropy(p), std::log(3.0L), {1e-15, 0}));
    EXPECT_TRUE(close(p.log_prob({-1, 0}, {0, 2}), -std::log(3.0L), {1e-15, 0}));
  }
}

TEST(Review, LogProbOfTheOnlyTreeIsZero) {
  Matrix scores = Matrix::Constant(4, 4, -kInf);
  scores(0, 1) = 1.2345678e13;
  scores(1, 2) = -7.7e13;
  scores(2, 3) = 0.3;
  for (Root root : graphs::kRoots) EXPECT_EQ(TreeDistribution(scores, root).log_prob({-1, 0, 1, 2}), 0.0);
}

TEST(Review, RenyiAroundOne) {
  graphs::Random random(8);
  const Matrix scores = graphs::normal(5, 2, random);
  const oracle::Forest forest(scores, Root::single);
  const TreeDistribution p(scores, Root::single);
  const Matrix far = renyi_gradient(p, 1.0 + 2e-5);
  for (double gap : {-1e-5, -2e-8, 2e-8, 9e-6, 1.1e-5}) {
    EXPECT_TRUE(close(renyi(p, 1.0 + gap), oracle::renyi(forest, 1.0 + gap), {1e-9, 0})) << gap;
    // The gradient is smooth in alpha: between the entropy's and that at 1 + 2e-5, linear to second order in 2e-5.
    const Matrix expected = entropy_gradient(p) + gap / 2e-5 * (far - entropy_gradient(p));
    EXPECT_LT((renyi_gradient(p, 1.0 + gap) - expected).cwiseAbs().maxCoeff(), 1e-9) << gap;
  }
}

TEST(Review, ViewsOfTemporariesAreCopies) {
  graphs::Random random(9);
  const TreeDistribution p(graphs::normal(4, 1, random), Root::multi);
  const auto given = p.require({0, 1}).marginals();
  const TreeDistribution other(graphs::normal(4, 1, random), Root::multi);  // would reuse the storage
  EXPECT_EQ(given(0, 1), 1.0);
}

TEST(Review, PairMarginalsWhenForcedFastBreaksDown) {
  Matrix scores = Matrix::Constant(4, 4, -600.0);
  scores(1, 2) = scores(2, 1) = scores(2, 3) = scores(3, 2) = 0.0;
  const TreeDistribution p(scores, Root::multi, {Method::fast, 1e-12, 0.0});
  const Matrix pairs = p.pair_marginals();
  EXPECT_GE(pairs.minCoeff(), 0.0);
  EXPECT_LE(pairs.maxCoeff(), 1.0);
}

TEST(Review, MultiplicativeFunctionOfAnotherShape) {
  const TreeDistribution p(Matrix::Zero(4, 4), Root::multi);
  EXPECT_THROW(log_multiplicative_expectation(p, Matrix(Matrix::Zero(2, 8))), InputError);
}

TEST(Review, FloatingPointFlagsAreTheCallers) {
  Matrix scores = Matrix::Zero(4, 4);
  std::feraiseexcept(FE_OVERFLOW);
  const TreeDistribution p(scores, Root::multi, {Method::robust, 1e-12, 0.0});
  EXPECT_NE(std::fetestexcept(FE_OVERFLOW), 0);
  std::feclearexcept(FE_ALL_EXCEPT);
}

}  // namespace
}  // namespace kirchhoff
