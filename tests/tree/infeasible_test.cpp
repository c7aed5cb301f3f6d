// Whether a graph has a tree: compared with enumeration on graphs of which about half have none.
#include "kirchhoff/tree.hpp"

#include "support/graphs.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <string>

namespace kirchhoff {
namespace {

using graphs::kInf;

/// Word reached from the root by any path of possible arcs?
bool reached(const Matrix& scores, int word) {
  const int n = static_cast<int>(scores.rows()) - 1;
  std::vector<bool> seen(n + 1, false);
  seen[0] = true;
  for (int round = 0; round < n; ++round)
    for (int i = 0; i <= n; ++i)
      for (int j = 1; j <= n; ++j)
        if (seen[i] && i != j && scores(i, j) > -kInf) seen[j] = true;
  return seen[word];
}

/// "... word 3 cannot be reached ..." -> 3; 0 when the message says nothing of the kind.
int word_in(const std::string& message) {
  const auto at = message.find("word ");
  const bool number = at != std::string::npos && at + 5 < message.size() && std::isdigit(message[at + 5]);
  return number ? std::stoi(message.substr(at + 5)) : 0;
}

std::string message_of(const Matrix& scores, Root root, Method method = Method::automatic) {
  try {
    TreeDistribution(scores, root, graphs::forced(method));
  } catch (const Infeasible& error) {
    return error.what();
  }
  return "";
}

TEST(Infeasible, DecidedAsEnumerationDoes) {
  graphs::Random random(41);
  int infeasible[2] = {0, 0}, cases = 0;
  for (int trial = 0; trial < 300; ++trial)
    for (int n = 1; n <= 5; ++n, ++cases) {
      const double density = n == 1 ? 0.5 : 1.1 / n + 0.15;
      const Matrix scores = graphs::masked(graphs::normal(n, 3, random), density, random);
      for (Root root : graphs::kRoots) {
        const bool expected = oracle::Forest(scores, root).count() == 0;
        infeasible[root == Root::multi] += expected;
        for (Method method : graphs::kMethods)
          EXPECT_EQ(!message_of(scores, root, method).empty(), expected)
              << graphs::name(root) << ", " << graphs::name(method) << "\n"
              << scores;
      }
    }
  for (int count : infeasible) {  // the test is about both answers
    EXPECT_GT(count, cases / 4);
    EXPECT_LT(count, 3 * cases / 4);
  }
}

TEST(Infeasible, NamesAWordThatCannotBeReached) {
  graphs::Random random(42);
  for (int trial = 0; trial < 300; ++trial) {
    const Matrix scores = graphs::masked(graphs::normal(4, 1, random), 0.3, random);
    for (Root root : graphs::kRoots) {
      bool all = true;
      for (int j = 1; j <= 4; ++j) all = all && reached(scores, j);
      if (all) continue;
      const std::string message = message_of(scores, root);
      const int word = word_in(message);
      ASSERT_TRUE(word >= 1 && word <= 4) << message;
      EXPECT_NE(message.find("word " + std::to_string(word) + " cannot be reached from the root"), std::string::npos)
          << message;
      EXPECT_FALSE(reached(scores, word)) << message << "\n" << scores;
    }
  }
}

TEST(Infeasible, SaysWhichWordIsCutOff) {
  Matrix scores = Matrix::Zero(5, 5);
  for (int i : {0, 1, 2, 4}) scores(i, 3) = -kInf;
  for (Root root : graphs::kRoots)
    EXPECT_NE(message_of(scores, root).find("word 3 cannot be reached from the root"), std::string::npos)
        << message_of(scores, root);
}

TEST(Infeasible, SingleRootNeedsOneChildThatReachesAll) {
  // Two islands, each with its own root arc: a tree with two root children, none with one.
  Matrix scores = Matrix::Constant(5, 5, -kInf);
  scores(0, 1) = scores(1, 2) = scores(0, 3) = scores(3, 4) = 0;
  EXPECT_NO_THROW(TreeDistribution(scores, Root::multi));
  EXPECT_THROW(TreeDistribution(scores, Root::single), Infeasible);
  EXPECT_FALSE(message_of(scores, Root::single).empty());
}

TEST(Infeasible, TinyWeightsAreNotZeroWeights) {
  // exp(-1e6) is 0 in doubles; the tree exists all the same.
  for (Root root : graphs::kRoots) {
    const TreeDistribution p(graphs::chain(4, -1e6), root);
    EXPECT_EQ(p.log_partition(), -4e6);
    EXPECT_THROW(TreeDistribution(graphs::chain(4, -kInf), root), Infeasible);
  }
}

TEST(Infeasible, IsNotAnInputError) {
  const Matrix scores = graphs::chain(3, -kInf);
  EXPECT_THROW(TreeDistribution(scores, Root::multi), std::runtime_error);
  const TreeDistribution p(Matrix::Zero(4, 4), Root::multi);
  EXPECT_THROW(p.with_scores(scores), Infeasible);
}

}  // namespace
}  // namespace kirchhoff
