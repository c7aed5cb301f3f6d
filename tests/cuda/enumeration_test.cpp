// All that can be asked about a batch, against the enumeration of all trees: small graphs, dense and pruned, with one
// label and with several, one root child or any number.
#include "cuda/ask.hpp"
#include "cuda/executor.hpp"

#include "support/compare.hpp"
#include "support/graphs.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

namespace kirchhoff::cuda {
namespace {

// Nothing is subtracted: the roundings of some hundred operations.
const Tolerance kExact = mild(Method::robust);
// Derivatives and entropies are differences of numbers of size 10.
constexpr Tolerance kDifference = {1e-12, 1e-13};

/// Graphs of 1 to `most` words, ten of each size.
Asked random_batch(int most, int labels, double density, graphs::Random& random) {
  Asked asked;
  for (int words = 1; words <= most; ++words) {
    for (int i = 0; i < 10; ++i) {
      const LabelledMatrix scores = graphs::normal(words, labels, 1.0, random);
      asked.scores.push_back(graphs::masked_feasible(scores, density, random));
      asked.directions.push_back(graphs::normal(words, labels, 1.0, random));
    }
  }
  return asked;
}

void compare(const Asked& asked, Root root) {
  const Answered answered = ask(asked, root);
  for (std::size_t i = 0; i < asked.scores.size(); ++i) {
    SCOPED_TRACE(testing::Message() << graphs::name(root) << ", graph " << i);
    const oracle::Forest forest(asked.scores[i], root);
    const oracle::ArcArray r = direction_of(asked, i);
    EXPECT_TRUE(is_answered(answered.status[i]));
    EXPECT_TRUE(close(answered.log_partition[i], forest.log_partition(), {1e-14, 1e-14}));
    EXPECT_TRUE(close(answered.entropy[i], oracle::entropy(forest), kDifference));
    EXPECT_TRUE(close(answered.expectation[i], oracle::expectation(forest, {r})[0], kDifference));
    expect_arcs(answered.marginals[i], oracle::marginals(forest), kExact, "marginals");
    if (!asked.derivatives) continue;
    expect_arcs(answered.derivatives[i], oracle::covariance_with_arcs(forest, r), kDifference, "derivatives");
  }
}

struct Kind {
  int most, labels;
  double density;
};
constexpr Kind kKinds[] = {{5, 1, 1.0}, {5, 1, 0.5}, {4, 2, 1.0}, {3, 3, 0.4}};

TEST(CudaEnumeration, WithoutDerivatives) {
  graphs::Random random(171);
  for (const Kind& kind : kKinds) {
    Asked asked = random_batch(kind.most, kind.labels, kind.density, random);
    asked.derivatives = false;
    for (Root root : graphs::kRoots) compare(asked, root);
  }
}

TEST(CudaEnumeration, AlongADirection) {
  graphs::Random random(172);
  for (const Kind& kind : kKinds) {
    const Asked asked = random_batch(kind.most, kind.labels, kind.density, random);
    for (Root root : graphs::kRoots) compare(asked, root);
  }
}

TEST(CudaEnumeration, AlongTheScoresThemselves) {
  graphs::Random random(173);
  for (const Kind& kind : kKinds) {
    Asked asked = random_batch(kind.most, kind.labels, kind.density, random);
    asked.score_share = 0.5;
    for (Root root : graphs::kRoots) compare(asked, root);
    asked.directions.clear();
    asked.score_share = -1.0;
    for (Root root : graphs::kRoots) compare(asked, root);
  }
}

/// solve() brings matrices to the executor itself.
TEST(CudaEnumeration, MatricesOfTheHost) {
  graphs::Random random(174);
  MatrixBatch batch;
  for (int i = 0; i < 40; ++i) batch.add(graphs::masked_feasible(graphs::normal(1 + i % 5, 1.0, random), 0.7, random));
  for (Root root : graphs::kRoots) {
    const BatchAnswers answers = solve(batch, root, test_executor());
    ASSERT_EQ(answers.marginals.size(), batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const oracle::Forest forest(Matrix(batch[i]), root);
      EXPECT_TRUE(is_answered(answers.status[i]));
      EXPECT_TRUE(close(answers.log_partition[i], forest.log_partition(), {1e-14, 1e-14}));
      EXPECT_TRUE(close(answers.entropy[i], oracle::entropy(forest), kDifference));
      expect_arcs(answers.marginals[i], oracle::marginals(forest), kExact, "marginals");
    }
  }
}

}  // namespace
}  // namespace kirchhoff::cuda
