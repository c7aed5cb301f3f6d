// The oracle itself: Cayley's formulas, and graphs small enough to work out on paper.
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kirchhoff {
namespace {

using oracle::Forest;
using oracle::Real;

constexpr double kInf = std::numeric_limits<double>::infinity();
// Long double keeps 19 digits; the hand-worked sums have fewer than 100 terms.
constexpr double kTolerance = 1e-16;

/// Logarithms in long double, so that the scores are not the least exact part of the sum.
oracle::ArcArray log_of(const Matrix& weights) {
  oracle::ArcArray scores(weights);
  for (std::size_t arc = 0; arc < scores.size(); ++arc) scores[arc] = std::log(scores[arc]);
  return scores;
}

TEST(Oracle, CountsTreesAsCayleySays) {
  for (int n = 1; n <= 6; ++n) {
    const Matrix scores = Matrix::Zero(n + 1, n + 1);
    // (n+1)^(n-1) trees with a free root, n^(n-1) with one root child (docs/methods/trees.md).
    EXPECT_EQ(Forest(scores, Root::multi).count(), static_cast<std::size_t>(std::lround(std::pow(n + 1, n - 1))));
    EXPECT_EQ(Forest(scores, Root::single).count(), static_cast<std::size_t>(std::lround(std::pow(n, n - 1))));
  }
}

TEST(Oracle, LabelsMultiplyTheCountByLabelsToTheWords) {
  const oracle::ArcArray scores(3, 2);
  EXPECT_EQ(Forest(scores, Root::multi).count(), 16u * 8u);
  EXPECT_EQ(Forest(scores, Root::single).count(), 9u * 8u);
}

TEST(Oracle, OneWordHasOneTree) {
  Matrix scores = Matrix::Zero(2, 2);
  scores(0, 1) = -3.5;
  for (Root root : {Root::single, Root::multi}) {
    const Forest p(scores, root);
    EXPECT_EQ(p.count(), 1u);
    EXPECT_EQ(p.log_partition(), Real(-3.5));
    EXPECT_EQ(oracle::marginals(p)(0, 1), Real(1));
    EXPECT_EQ(oracle::entropy(p), Real(0));
  }
}

// Trees of two words: {01,02}, {01,12}, {02,21}. With w01 = 2, w02 = 3, w12 = 5, w21 = 7 they weigh 6, 10, 21.
oracle::ArcArray two_words() {
  Matrix weights(3, 3);
  weights << 0, 2, 3,  //
      0, 0, 5,         //
      0, 7, 0;
  return log_of(weights);
}

TEST(Oracle, TwoWordsByHandMultiRoot) {
  const Forest p(two_words(), Root::multi);  // Z = 6 + 10 + 21 = 37
  EXPECT_NEAR(static_cast<double>(p.log_partition() - std::log(Real(37))), 0, kTolerance);
  const auto m = oracle::marginals(p);
  EXPECT_NEAR(static_cast<double>(m(0, 1) - Real(16) / 37), 0, kTolerance);
  EXPECT_NEAR(static_cast<double>(m(0, 2) - Real(27) / 37), 0, kTolerance);
  EXPECT_NEAR(static_cast<double>(m(1, 2) - Real(10) / 37), 0, kTolerance);
  EXPECT_NEAR(static_cast<double>(m(2, 1) - Real(21) / 37), 0, kTolerance);
  EXPECT_NEAR(static_cast<double>(oracle::pair_marginal(p, m.index(0, 1), m.index(0, 2)) - Real(6) / 37), 0,
              kTolerance);
  EXPECT_EQ(oracle::pair_marginal(p, m.index(0, 1), m.index(2, 1)), Real(0));
}

TEST(Oracle, TwoWordsByHandSingleRoot) {
  const Forest p(two_words(), Root::single);  // Z = 10 + 21 = 31: {01,02} is out
  EXPECT_NEAR(static_cast<double>(p.log_partition() - std::log(Real(31))), 0, kTolerance);
  EXPECT_NEAR(static_cast<double>(oracle::marginals(p)(0, 1) - Real(10) / 31), 0, kTolerance);
  EXPECT_NEAR(static_cast<double>(oracle::log_marginals(p)(2, 1) - std::log(Real(21) / 31)), 0, kTolerance);
  // Two outcomes: H = -(10/31) log(10/31) - (21/31) log(21/31).
  const Real a = Real(10) / 31, b = Real(21) / 31;
  EXPECT_NEAR(static_cast<double>(oracle::entropy(p) + a * std::log(a) + b * std::log(b)), 0, kTolerance);
  EXPECT_NEAR(static_cast<double>(oracle::renyi(p, 2) + std::log(a * a + b * b)), 0, kTolerance);
  EXPECT_NEAR(static_cast<double>(oracle::norm(p, 2) - std::sqrt(a * a + b * b)), 0, kTolerance);
}

// Words 2 and 3 may head each other; word 1 hangs from the root. Multi-root: 2 is entered from {0,1} with weight
// 2 + 3 = 5, 3 with 0 + 4 = 4, and w23 = 5, w32 = 6: Z = 5*4 + 5*5 + 4*6 = 69. Single-root: 3*4 + 3*5 + 4*6 = 51.
oracle::ArcArray three_words() {
  Matrix weights(4, 4);
  weights << 0, 1, 2, 0,  //
      0, 0, 3, 4,         //
      0, 0, 0, 5,         //
      0, 0, 6, 0;
  return log_of(weights);
}

TEST(Oracle, ThreeWordsByHand) {
  const Forest multi(three_words(), Root::multi);
  EXPECT_NEAR(static_cast<double>(multi.log_partition() - std::log(Real(69))), 0, kTolerance);
  const auto m = oracle::marginals(multi);
  const Real z = 69;
  EXPECT_NEAR(static_cast<double>(m(0, 1) - 1), 0, kTolerance);
  EXPECT_NEAR(static_cast<double>(m(0, 2) - 2 * (4 + 5) / z), 0, kTolerance);
  EXPECT_NEAR(static_cast<double>(m(1, 2) - 3 * (4 + 5) / z), 0, kTolerance);
  EXPECT_NEAR(static_cast<double>(m(3, 2) - 6 * 4 / z), 0, kTolerance);
  EXPECT_NEAR(static_cast<double>(m(1, 3) - 4 * (5 + 6) / z), 0, kTolerance);
  EXPECT_NEAR(static_cast<double>(m(2, 3) - 5 * 5 / z), 0, kTolerance);
  EXPECT_NEAR(static_cast<double>(oracle::pair_marginal(multi, m.index(1, 2), m.index(2, 3)) - 15 / z), 0, kTolerance);
  const Forest single(three_words(), Root::single);
  EXPECT_NEAR(static_cast<double>(single.log_partition() - std::log(Real(51))), 0, kTolerance);
  EXPECT_EQ(oracle::marginals(single)(0, 2), Real(0));
}

TEST(Oracle, MomentsByHand) {
  // Two words, single-root, tree A = {01,12} with 10/31 and B = {02,21} with 21/31. r(A) = 1 + 4, r(B) = 2.
  const Forest p(two_words(), Root::single);
  oracle::ArcArray r(2, 1), s(2, 1);
  r(0, 1) = 1, r(1, 2) = 4, r(0, 2) = 2;
  s(2, 1) = 3;  // s(A) = 0, s(B) = 3
  const Real a = Real(10) / 31, b = Real(21) / 31;
  EXPECT_NEAR(static_cast<double>(oracle::expectation(p, {r})[0] - (5 * a + 2 * b)), 0, kTolerance);
  EXPECT_NEAR(static_cast<double>(oracle::second_order(p, {r}, {s})[0] - 6 * b), 0, kTolerance);
  EXPECT_NEAR(static_cast<double>(oracle::covariance(p, {r}, {s})[0] - (6 * b - (5 * a + 2 * b) * 3 * b)), 0,
              kTolerance);
  EXPECT_NEAR(static_cast<double>(oracle::risk(p, {r.index(0, 1), r.index(2, 1)}) - Real(0.5)), 0, kTolerance);
  EXPECT_NEAR(static_cast<double>(oracle::covariance_with_arcs(p, r)(0, 1) - (5 * a - (5 * a + 2 * b) * a)), 0,
              kTolerance);
  const Vector target = Vector::Constant(1, 1.0);
  const Real gap = 5 * a + 2 * b - 1;
  EXPECT_NEAR(static_cast<double>(oracle::generalized_expectation(p, {r}, target) - gap * gap / 2), 0, kTolerance);
}

TEST(Oracle, TwoDistributionsByHand) {
  const Forest p(two_words(), Root::single), q(Matrix(Matrix::Zero(3, 3)), Root::single);  // q is uniform on {A, B}
  const Real a = Real(10) / 31, b = Real(21) / 31;
  EXPECT_NEAR(static_cast<double>(oracle::cross_entropy(p, q) - std::log(Real(2))), 0, kTolerance);
  EXPECT_NEAR(static_cast<double>(oracle::kl(p, q) - (a * std::log(2 * a) + b * std::log(2 * b))), 0, kTolerance);
  oracle::ArcArray log_q(2, 1);
  log_q(0, 1) = std::log(Real(3));  // E[product] = 3a + b
  EXPECT_NEAR(static_cast<double>(oracle::log_multiplicative_expectation(p, log_q) - std::log(3 * a + b)), 0,
              kTolerance);
  Matrix forbids = Matrix::Zero(3, 3);
  forbids(2, 1) = -kInf;
  EXPECT_EQ(oracle::kl(p, Forest(forbids, Root::single)), std::numeric_limits<Real>::infinity());
  EXPECT_TRUE(std::isfinite(oracle::kl(Forest(forbids, Root::single), p)));
}

TEST(Oracle, SeesThatThereIsNoTree) {
  Matrix scores = Matrix::Zero(3, 3);
  scores(0, 1) = scores(2, 1) = -kInf;
  EXPECT_EQ(Forest(scores, Root::multi).count(), 0u);
  EXPECT_EQ(Forest(scores, Root::multi).log_partition(), -std::numeric_limits<Real>::infinity());
}

}  // namespace
}  // namespace kirchhoff
