// Wrong input gives an InputError with a message, never a wrong number; and what must be ignored is ignored.
#include "kirchhoff/tree.hpp"

#include "support/graphs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace kirchhoff {
namespace {

using graphs::kInf;
const double kNaN = std::nan("");

TEST(Input, ScoresOfAWrongShape) {
  for (Root root : graphs::kRoots) {
    EXPECT_THROW(TreeDistribution(Matrix::Zero(4, 5), root), InputError);
    EXPECT_THROW(TreeDistribution(Matrix::Zero(5, 4), root), InputError);
    EXPECT_THROW(TreeDistribution(Matrix(0, 0), root), InputError);
    EXPECT_THROW(TreeDistribution(Matrix::Zero(1, 1), root), InputError);  // a root and no word
    EXPECT_THROW(TreeDistribution(Matrix::Zero(3, 3), root).with_scores(Matrix::Zero(3, 4)), InputError);
  }
}

TEST(Input, ScoresThatAreNoNumbers) {
  for (Root root : graphs::kRoots)
    for (double bad : {kNaN, kInf, 1.1e100, -1.1e100, 1e308, -1e308})
      for (Arc arc : {Arc{0, 1}, Arc{2, 3}, Arc{3, 1}}) {
        Matrix scores = Matrix::Zero(4, 4);
        scores(arc.head, arc.dependent) = bad;
        EXPECT_THROW(TreeDistribution(scores, root), InputError) << bad << " at " << arc.head << "->" << arc.dependent;
      }
}

TEST(Input, MessageNamesThePlace) {
  Matrix scores = Matrix::Zero(4, 4);
  scores(2, 3) = kNaN;
  try {
    TreeDistribution p(scores, Root::single);
    FAIL() << "NaN went through";
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("scores"), std::string::npos) << message;
    EXPECT_NE(message.find('2'), std::string::npos) << message;
    EXPECT_NE(message.find('3'), std::string::npos) << message;
  }
}

TEST(Input, ABadScoreIsFoundAmongImpossibleOnes) {
  graphs::Random random(52);
  for (int n : {3, 9, 17, 24}) {
    const Matrix pruned = graphs::masked_feasible(graphs::normal(n, 1, random), 0.3, random);
    for (int head = 0; head <= n; ++head)
      for (int dependent = 1; dependent <= n; ++dependent) {
        if (head == dependent) continue;
        const std::string place = "scores(" + std::to_string(head) + ", " + std::to_string(dependent) + ")";
        for (double bad : {kNaN, kInf, -1.1e100, 1.1e100})
          for (Root root : graphs::kRoots) {
            Matrix scores = pruned;
            scores(head, dependent) = bad;
            try {
              TreeDistribution p(scores, root);
              ADD_FAILURE() << bad << " went through as " << place << " of " << n << " words";
            } catch (const InputError& error) {
              EXPECT_NE(std::string(error.what()).find(place), std::string::npos) << error.what();
            }
          }
      }
  }
}

TEST(Input, ColumnZeroAndDiagonalAreIgnored) {
  graphs::Random random(51);
  Matrix scores = graphs::normal(4, 1, random), spoilt = scores;
  spoilt.col(0).setConstant(kInf);
  spoilt.diagonal().setConstant(kNaN);
  for (Root root : graphs::kRoots)
    for (Method method : graphs::kMethods) {
      const TreeDistribution p(scores, root, graphs::forced(method)), q(spoilt, root, graphs::forced(method));
      EXPECT_EQ(p.log_partition(), q.log_partition());
      EXPECT_EQ(Matrix(p.marginals()), Matrix(q.marginals()));
      EXPECT_EQ(p.log_marginals(), q.log_marginals());
      EXPECT_EQ(p.log_count(), q.log_count());
      EXPECT_EQ(p.pair_marginals(), q.pair_marginals());
      EXPECT_EQ(Matrix(p.with_temperature(2).marginals()), Matrix(q.with_temperature(2).marginals()));
      EXPECT_EQ(p.marginals_along(scores), q.marginals_along(spoilt));
      EXPECT_EQ(Matrix(p.require({1, 2}).marginals()), Matrix(q.require({1, 2}).marginals()));
    }
}

TEST(Input, ScoresComeBackUnchanged) {
  graphs::Random random(52);
  const Matrix scores = graphs::masked_feasible(graphs::normal(5, 1, random), 0.6, random);
  const TreeDistribution p(scores, Root::multi);
  for (int i = 0; i <= 5; ++i)
    for (int j = 1; j <= 5; ++j) {
      if (i == j) continue;
      EXPECT_EQ(p.scores()(i, j), scores(i, j));
    }
}

TEST(Input, ABlockOfALargerMatrixWillDo) {
  graphs::Random random(53);
  const Matrix big = graphs::normal(9, 1, random);
  const Matrix copy = big.block(2, 3, 5, 5);
  const TreeDistribution p(big.block(2, 3, 5, 5), Root::single), q(copy, Root::single);
  EXPECT_EQ(Matrix(p.marginals()), Matrix(q.marginals()));
}

TEST(Input, TemperatureMustBePositive) {
  const TreeDistribution p(Matrix::Zero(3, 3), Root::multi);
  for (double bad : {0.0, -1.0, kNaN}) EXPECT_THROW(p.with_temperature(bad), InputError) << bad;
}

TEST(Input, DirectionOfAWrongShape) {
  const TreeDistribution p(Matrix::Zero(3, 3), Root::multi);
  EXPECT_THROW(p.marginals_along(Matrix::Zero(4, 4)), InputError);
  EXPECT_THROW(p.marginals_along(Matrix::Zero(3, 2)), InputError);
  Matrix direction = Matrix::Zero(3, 3);
  direction(1, 2) = kNaN;
  EXPECT_THROW(p.marginals_along(direction), InputError);
}

TEST(Input, PairTableOnlyForSmallGraphs) {
  const TreeDistribution p(Matrix::Zero(6, 6), Root::multi);
  EXPECT_THROW(p.pair_marginals(4), InputError);
  EXPECT_NO_THROW(p.pair_marginals(5));
}

}  // namespace
}  // namespace kirchhoff
