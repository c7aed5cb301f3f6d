// Graphs made to break an elimination, small enough to enumerate or with answers in closed form: strong cycles with a
// weak root, masks as huge numbers, structural zeros, one tree only.
#include "cuda/ask.hpp"

#include "support/compare.hpp"
#include "support/graphs.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace kirchhoff::cuda {
namespace {

using graphs::kInf;

double largest_score(const Matrix& scores) {
  double largest = 0;
  for (int h = 0; h < scores.rows(); ++h) {
    for (int d = 1; d < scores.cols(); ++d) {
      if (h != d && std::isfinite(scores(h, d))) largest = std::max(largest, std::abs(scores(h, d)));
    }
  }
  return largest;
}

/// Marginals to 1e-11 relative, unless they are too small for doubles, where only their size is checked.
void expect_marginals(const LabelledMatrix& actual, const oracle::Forest& forest) {
  const oracle::ArcArray expected = oracle::marginals(forest);
  for (int h = 0; h <= actual.words(); ++h) {
    for (int d = 1; d <= actual.words(); ++d) {
      if (h == d) continue;
      const Tolerance t = {1e-11, expected(h, d) > 0 && expected(h, d) < 1e-300L ? 1e-300 : 0};
      EXPECT_TRUE(close(actual(h, d, 0), expected(h, d), t)) << "arc " << h << "->" << d;
    }
  }
}

/// All graphs as one batch, with derivatives and without.
void expect_exact(const std::vector<Matrix>& graphs) {
  graphs::Random random(70);
  Asked asked;
  asked.scores = labelled(graphs);
  for (const Matrix& scores : graphs)
    asked.directions.push_back(labelled(graphs::normal(static_cast<int>(scores.rows()) - 1, 1.0, random)));
  for (Root root : graphs::kRoots) {
    for (const bool derivatives : {false, true}) {
      asked.derivatives = derivatives;
      const Answered answered = ask(asked, root);
      for (std::size_t i = 0; i < graphs.size(); ++i) {
        SCOPED_TRACE(testing::Message() << graphs::name(root) << (derivatives ? ", derivatives\n" : "\n") << graphs[i]);
        const oracle::Forest forest(graphs[i], root);
        // log Z is a sum of scores, of which 4 ulp may be lost.
        const double floor = 4 * 2.2e-16 * forest.words() * largest_score(graphs[i]);
        EXPECT_TRUE(is_answered(answered.status[i]));
        EXPECT_TRUE(close(answered.log_partition[i], forest.log_partition(), {1e-13, floor}));
        // So is the entropy a difference of a scaled log Z and scaled scores.
        EXPECT_TRUE(close(answered.entropy[i], oracle::entropy(forest), {1e-11, 1e-13 + floor}));
        expect_marginals(answered.marginals[i], forest);
        if (!derivatives) continue;
        // Numbers of size n max|r|, with the roundings of some hundred operations.
        const oracle::ArcArray along = oracle::covariance_with_arcs(forest, direction_of(asked, i));
        expect_arcs(answered.derivatives[i], along, {1e-10, 1e-12}, "along");
      }
    }
  }
}

TEST(CudaHardCases, StrongCyclesWithAWeakRoot) {
  graphs::Random random(71);
  std::vector<Matrix> graphs;
  for (int length : {2, 3}) {
    for (double gap : {20.0, 50.0, 100.0, 200.0, 400.0}) {
      for (int words : {length, 4, 5}) graphs.push_back(graphs::strong_cycle(words, length, gap, random));
    }
  }
  expect_exact(graphs);
}

TEST(CudaHardCases, TwoStrongCyclesAndAVeryWeakRoot) {
  graphs::Random random(72);
  std::vector<Matrix> graphs;
  for (double gap : {20.0, 100.0, 400.0, 800.0}) {
    Matrix scores = graphs::strong_cycle(5, 2, gap, random);
    scores(3, 4) += gap, scores(4, 3) += 2 * gap;
    scores.row(0).array() -= gap;
    graphs.push_back(scores);
  }
  expect_exact(graphs);
}

TEST(CudaHardCases, ScoresOfTenThousand) {
  graphs::Random random(75);
  std::bernoulli_distribution coin;
  std::vector<Matrix> graphs;
  for (int trial = 0; trial < 10; ++trial) {
    Matrix scores = graphs::normal(5, 1, random);
    for (int k = 0; k < scores.size(); ++k) scores.data()[k] += coin(random) ? 1e4 : -1e4;
    graphs.push_back(scores);
  }
  expect_exact(graphs);
}

TEST(CudaHardCases, WordsWithoutOutgoingArcs) {
  graphs::Random random(76);
  std::vector<Matrix> graphs;
  for (double s : {1.0, 100.0}) {
    Matrix scores = graphs::normal(5, s, random);
    for (int j = 1; j <= 5; ++j) scores(2, j) = scores(4, j) = -kInf;
    graphs.push_back(scores);
  }
  expect_exact(graphs);
}

TEST(CudaHardCases, SparseGraphsWithExtremeScores) {
  graphs::Random random(77);
  std::vector<Matrix> graphs;
  for (int trial = 0; trial < 60; ++trial) {
    for (double s : {1.0, 30.0, 300.0})
      graphs.push_back(graphs::masked_feasible(graphs::normal(2 + trial % 4, s, random), 0.5, random));
  }
  expect_exact(graphs);
}

TEST(CudaHardCases, StructuralZerosAreZero) {
  // 3 can only be reached through 2, so 3->2 is in no tree although its score is finite and huge.
  Matrix scores = Matrix::Zero(4, 4);
  scores(0, 3) = scores(1, 3) = -kInf;
  scores(3, 2) = 700;
  expect_exact({scores});
}

/// A chain and a star have one tree each. Every size class has to find it.
TEST(CudaHardCases, OneTreeOnly) {
  for (const double score : {0.0, 1e4, -1e4, 1e9, -1e9}) {
    Asked asked;
    for (const int n : {1, 2, 6, 17, 33, 70, 130}) {
      asked.scores.push_back(labelled(graphs::chain(n, score)));
      asked.scores.push_back(labelled(graphs::star(n, score)));
    }
    for (Root root : graphs::kRoots) {
      const Answered answered = ask(asked, root);
      for (std::size_t i = 0; i < asked.scores.size(); ++i) {
        const LabelledMatrix &scores = asked.scores[i], &m = answered.marginals[i];
        SCOPED_TRACE(testing::Message() << graphs::name(root) << ", " << scores.words() << " words of " << score);
        EXPECT_TRUE(close(answered.log_partition[i], scores.words() * score, {1e-15, 1e-15}));
        EXPECT_TRUE(close(answered.entropy[i], 0, {0, 1e-13}));
        for (int h = 0; h <= scores.words(); ++h) {
          for (int d = 1; d <= scores.words(); ++d) {
            EXPECT_TRUE(close(m(h, d, 0), std::isfinite(scores(h, d, 0)), {1e-14, 0})) << h << "->" << d;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace kirchhoff::cuda
