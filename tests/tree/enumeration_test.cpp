// TreeDistribution against the list of all trees: dense and sparse graphs of up to six words, both root modes, every
// method.
#include "kirchhoff/tree.hpp"

#include "support/compare.hpp"
#include "support/graphs.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace kirchhoff {
namespace {

using graphs::kInf;

/// Calls body(scores, root, method) for dense and sparse random graphs of 1..max_words words.
void for_each_case(int max_words, const std::function<void(const Matrix&, Root, Method)>& body) {
  graphs::Random random(20);
  for (int n = 1; n <= max_words; ++n)
    for (int trial = 0; trial < (n < 6 ? 4 : 1); ++trial)
      for (double density : {1.0, 0.5}) {
        const Matrix scores = graphs::masked_feasible(graphs::normal(n, 1.5, random), density, random);
        for (Root root : graphs::kRoots)
          for (Method method : graphs::kMethods) {
            SCOPED_TRACE(testing::Message() << graphs::name(root) << ", " << graphs::name(method) << "\n" << scores);
            body(scores, root, method);
          }
      }
}

TEST(Enumeration, LogPartitionAndMarginals) {
  for_each_case(6, [](const Matrix& scores, Root root, Method method) {
    const oracle::Forest expected(scores, root);
    const TreeDistribution p(scores, root, graphs::forced(method));
    EXPECT_EQ(p.words(), expected.words());
    EXPECT_EQ(p.root(), root);
    // log Z is a sum of at most 7 numbers below 10.
    EXPECT_TRUE(close(p.log_partition(), expected.log_partition(), {1e-14, 1e-14}));
    expect_arcs(p.marginals(), oracle::marginals(expected), mild(method), "marginals");
    if (method == Method::fast) return;  // may give 1e-17 where p is 0 by structure, and its logarithm is -39
    const Tolerance t = {1e-15, mild(method).relative};  // d log p = dp / p
    expect_arcs(p.log_marginals(), oracle::log_marginals(expected), t, "log_marginals", -kInf);
  });
}

TEST(Enumeration, LogProbOfEveryTree) {
  for_each_case(5, [](const Matrix& scores, Root root, Method method) {
    const oracle::Forest expected(scores, root);
    const TreeDistribution p(scores, root, graphs::forced(method));
    for (const oracle::Tree& tree : expected.trees())
      EXPECT_TRUE(close(p.log_prob(tree.heads), tree.log_prob, {1e-14, 1e-14}));
  });
}

TEST(Enumeration, PairMarginals) {
  for_each_case(5, [](const Matrix& scores, Root root, Method method) {
    const oracle::Forest forest(scores, root);
    const auto expected = oracle::pair_marginals(forest);
    const TreeDistribution p(scores, root, graphs::forced(method));
    const Matrix table = p.pair_marginals();
    const int size = (p.words() + 1) * (p.words() + 1);
    ASSERT_EQ(table.rows(), size);
    ASSERT_EQ(table.cols(), size);
    for (int a = 0; a < size; ++a)
      for (int b = 0; b < size; ++b)
        // The product formula subtracts numbers of size p(a) p(b): absolute, a few eps times the condition.
        EXPECT_TRUE(close(table(a, b), expected[a * size + b], {1e-11, 1e-13})) << "arcs " << a << ", " << b;
  });
}

TEST(Enumeration, OnePairMarginalIsTheTablesEntry) {
  for_each_case(4, [](const Matrix& scores, Root root, Method method) {
    const oracle::Forest forest(scores, root);
    const oracle::ArcArray at(scores);
    const TreeDistribution p(scores, root, graphs::forced(method));
    std::vector<Arc> arcs;
    for (int i = 0; i <= p.words(); ++i)
      for (int j = 1; j <= p.words(); ++j)
        if (i != j) arcs.push_back({i, j});
    for (Arc a : arcs)
      for (Arc b : arcs) {
        const auto expected =
            oracle::pair_marginal(forest, at.index(a.head, a.dependent), at.index(b.head, b.dependent));
        EXPECT_TRUE(close(p.pair_marginal(a, b), expected, {1e-11, 1e-13}));
      }
  });
}

TEST(Enumeration, LogCount) {
  for_each_case(6, [](const Matrix& scores, Root root, Method method) {
    const TreeDistribution p(scores, root, graphs::forced(method));
    const auto expected = std::log(static_cast<long double>(oracle::Forest(scores, root).count()));
    EXPECT_TRUE(close(p.log_count(), expected, {1e-14, 1e-14}));
  });
}

TEST(Enumeration, MarginalsAlongADirection) {
  graphs::Random random(21);
  for_each_case(5, [&](const Matrix& scores, Root root, Method method) {
    const Matrix direction = graphs::normal(static_cast<int>(scores.rows()) - 1, 1, random);
    const oracle::Forest forest(scores, root);
    const auto expected = oracle::covariance_with_arcs(forest, oracle::ArcArray(direction));
    const TreeDistribution p(scores, root, graphs::forced(method));
    // A covariance of numbers of size n: absolute. Robust keeps 1e-13 of n max|r| = 20; fast loses the condition, 1e2.
    expect_arcs(p.marginals_along(direction), expected, {0, method == Method::robust ? 1e-12 : 1e-11}, "along");
  });
}

TEST(Enumeration, TemperatureDividesTheScores) {
  for_each_case(4, [](const Matrix& scores, Root root, Method method) {
    const TreeDistribution p = TreeDistribution(scores, root, graphs::forced(method)).with_temperature(2.5);
    const oracle::Forest expected(Matrix(scores / 2.5), root);
    EXPECT_TRUE(close(p.log_partition(), expected.log_partition(), {1e-14, 1e-14}));
    expect_arcs(p.marginals(), oracle::marginals(expected), mild(method), "marginals");
  });
}

TEST(Enumeration, OtherScoresKeepRootAndAccuracy) {
  graphs::Random random(22);
  for_each_case(4, [&](const Matrix& scores, Root root, Method method) {
    const Matrix other = graphs::normal(static_cast<int>(scores.rows()) - 1, 1, random);
    const TreeDistribution p = TreeDistribution(scores, root, graphs::forced(method)).with_scores(other);
    EXPECT_EQ(p.root(), root);
    EXPECT_EQ(p.accuracy().method, method);
    expect_arcs(p.marginals(), oracle::marginals(oracle::Forest(other, root)), mild(method), "marginals");
  });
}

}  // namespace
}  // namespace kirchhoff
