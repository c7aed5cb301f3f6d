// Scores of up to 1e9, which is as far as kernels go; beyond that a graph is invalid.
#include "cuda/ask.hpp"

#include "support/compare.hpp"
#include "support/graphs.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kirchhoff::cuda {
namespace {

using graphs::kInf;

TEST(CudaHugeScores, MaskGivenAsALargeNegativeNumber) {
  graphs::Random random(81);
  std::vector<Matrix> masked;
  for (int trial = 0; trial < 20; ++trial)
    masked.push_back(graphs::masked_feasible(graphs::normal(5, 2, random), 0.5, random));
  for (const double mask : {-1e4, -1e6, -1e9}) {
    Asked asked;
    asked.scores = labelled(masked);
    for (LabelledMatrix& scores : asked.scores) std::replace(scores.data(), scores.data() + scores.size(), -kInf, mask);
    for (Root root : graphs::kRoots) {
      const Answered answered = ask(asked, root);
      for (std::size_t i = 0; i < masked.size(); ++i) {
        const oracle::Forest forest(masked[i], root);
        EXPECT_EQ(answered.status[i], GraphStatus::extended);
        EXPECT_TRUE(close(answered.log_partition[i], forest.log_partition(), {1e-13, 1e-14}));
        expect_arcs(answered.marginals[i], oracle::marginals(forest), {1e-11, 0}, "marginals");
      }
    }
  }
}

/// Every root arc costs so much that trees with one of them outweigh all others: multi-root equals single-root.
TEST(CudaHugeScores, AWeakRootHasOneChild) {
  graphs::Random random(82);
  const Matrix scores = graphs::normal(5, 2, random);
  Matrix free = scores;
  free.row(0).setZero();
  const oracle::Forest expected(free, Root::single);
  for (const double cost : {1e4, 1e9}) {
    Matrix weak = scores;
    weak.row(0).setConstant(-cost);
    Asked asked;
    asked.scores = {labelled(weak)};
    const Answered answered = ask(asked, Root::multi);
    EXPECT_TRUE(close(answered.log_partition[0], expected.log_partition() - cost, {1e-13, 0}));
    // The weights depend on cost + O(1), which doubles round by half an ulp of the cost.
    expect_arcs(answered.marginals[0], oracle::marginals(expected), {1e-11 + 2e-16 * cost, 0}, "marginals");
  }
}

TEST(CudaHugeScores, AllEqualScoresGiveTheUniformDistribution) {
  for (const double score : {1e9, -1e9, 1e4}) {
    Asked asked;
    asked.scores = {LabelledMatrix(5, 1, score)};
    for (Root root : graphs::kRoots) {
      const Answered answered = ask(asked, root);
      const oracle::Forest uniform(Matrix(Matrix::Zero(6, 6)), root);
      EXPECT_EQ(answered.status[0], GraphStatus::solved);
      EXPECT_TRUE(close(answered.log_partition[0], 5.0L * score + uniform.log_partition(), {1e-15, 0}));
      EXPECT_TRUE(close(answered.entropy[0], uniform.log_partition(), {1e-13, 0}));
      expect_arcs(answered.marginals[0], oracle::marginals(uniform), {1e-13, 0}, "marginals");
    }
  }
}

/// Scores are scaled by each word's best, and so are directions: the very same differences, the very same marginals and
/// gradients of the entropy.
TEST(CudaHugeScores, ColumnShiftsLeaveMarginalsAlone) {
  graphs::Random random(83);
  for (const int n : {5, 20, 40}) {
    for (const double size : {1e6, -1e6, 2e7}) {
      Matrix scores = (graphs::normal(n, 3, random) * 1024).array().round() / 1024;  // adding the shift is exact then
      Matrix shifted = scores;
      double total = 0;
      for (int j = 1; j <= n; ++j) shifted.col(j).array() += j * size, total += j * size;
      Asked asked;
      asked.scores = {labelled(scores), labelled(shifted)};
      asked.score_share = -1.0;
      for (Root root : graphs::kRoots) {
        const Answered answered = ask(asked, root);
        EXPECT_EQ(unlabelled(answered.marginals[1]), unlabelled(answered.marginals[0])) << n << ' ' << size;
        EXPECT_EQ(unlabelled(answered.derivatives[1]), unlabelled(answered.derivatives[0])) << n << ' ' << size;
        EXPECT_EQ(answered.entropy[1], answered.entropy[0]) << n << ' ' << size;
        EXPECT_TRUE(close(answered.log_partition[1], answered.log_partition[0] + total, {1e-15, 0}));
      }
    }
  }
}

TEST(CudaHugeScores, BeyondOneBillionTheyAreInvalid) {
  const double beyond = std::nextafter(1e9, 2e9);
  Asked asked;
  for (const double score : {1e9, -1e9, beyond, -beyond, 1e30, -1e30, 1e100}) {
    Matrix scores = Matrix::Zero(4, 4);
    scores(2, 1) = score;
    asked.scores.push_back(labelled(scores));
  }
  for (Root root : graphs::kRoots) {
    const Answered answered = ask(asked, root);
    for (std::size_t i = 0; i < asked.scores.size(); ++i) {
      EXPECT_EQ(answered.status[i] == GraphStatus::invalid, i >= 2) << asked.scores[i](2, 1, 0);
    }
  }
}

}  // namespace
}  // namespace kirchhoff::cuda
