// Whether a graph has a tree: compared with enumeration on graphs of which about half have none.
#include "kirchhoff/tree.hpp"

#include "support/graphs.hpp"
#include "support/oracle.hpp"

#include "tree/feasible.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace kirchhoff {
namespace {

using graphs::kInf;

/// The nodes that `start` reaches by any path of possible arcs.
std::vector<bool> reached_from(const Matrix& scores, int start) {
  const int n = static_cast<int>(scores.rows()) - 1;
  std::vector<bool> seen(n + 1, false);
  seen[start] = true;
  for (bool grows = true; grows;) {
    grows = false;
    for (int i = 0; i <= n; ++i)
      for (int j = 1; j <= n; ++j)
        if (seen[i] && !seen[j] && i != j && scores(i, j) > -kInf) grows = seen[j] = true;
  }
  return seen;
}
bool reached(const Matrix& scores, int word) { return reached_from(scores, 0)[word]; }
bool reaches_all(const Matrix& scores, int start) {
  const std::vector<bool> seen = reached_from(scores, start);
  return std::count(seen.begin() + 1, seen.end(), false) == 0;
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

/// A graph of which each word keeps a few heads, in blocks whose words prefer their own: often without a tree, and with
/// several searches before that is known.
Matrix in_blocks(int words, double heads, graphs::Random& random) {
  Matrix scores = Matrix::Constant(words + 1, words + 1, -kInf);
  std::uniform_real_distribution<> uniform;
  const int block = 1 + static_cast<int>(uniform(random) * words);
  for (int i = 0; i <= words; ++i)
    for (int j = 0; j <= words; ++j) {
      const bool near = i > 0 && (i - 1) / block == (j - 1) / block;
      const double density = i == 0 ? 0.3 : heads / (near ? block : 40 * words);
      if (i == j || j == 0 || uniform(random) < density) scores(i, j) = 0;  // cells without an arc must not count
    }
  return scores;
}

TEST(Infeasible, GraphsOfAnySizeAreSearchedAlike) {
  // Sets of up to four words of 64 bits, and the words at their edges.
  graphs::Random random(43);
  int cut_off = 0, several_children = 0, feasible = 0, moved = 0;
  for (int n : {1, 2, 7, 8, 9, 31, 62, 63, 64, 65, 100, 127, 128, 129, 200})
    for (int trial = 0; trial < 60; ++trial) {
      const Matrix scores = in_blocks(n, 2 + trial % 8, random);
      const std::vector<bool> seen = reached_from(scores, 0);
      const auto missing = std::find(seen.begin() + 1, seen.end(), false);
      std::string expected;
      int last = n;
      if (missing != seen.end()) {
        expected = "word " + std::to_string(missing - seen.begin()) + " cannot be reached from the root";
        ++cut_off;
      }
      const auto answer = [&](Root root) -> std::string {
        try {
          return std::to_string(tree::require_feasible(scores, root));
        } catch (const Infeasible& error) {
          return error.what();
        }
      };
      EXPECT_EQ(answer(Root::multi), expected.empty() ? std::to_string(n) : expected) << n << " words";
      if (expected.empty()) {
        while (last > 0 && !(scores(0, last) > -kInf && reaches_all(scores, last))) --last;
        expected = last > 0 ? std::to_string(last)
                            : "no child of the root can reach every other word, so the root needs several children";
        ++(last > 0 ? feasible : several_children);
        moved += last > 0 && last < n;
      }
      EXPECT_EQ(answer(Root::single), expected) << n << " words";
      if (last < n && last > 0 && missing == seen.end()) {
        for (int word = 1; word <= n; ++word) {
          const bool may = scores(0, word) > -kInf && reaches_all(scores, word);
          EXPECT_EQ(tree::require_feasible(scores, Root::single, word), may ? word : last) << n << " words";
        }
      }
    }
  for (int count : {cut_off, several_children, feasible, moved}) EXPECT_GT(count, 50);
}

TEST(Infeasible, WhatIsNotANumberIsNotImpossible) {
  // Whoever checks scores says so; that there is no tree would be the wrong complaint.
  for (int n : {3, 20}) {
    const Matrix scores = Matrix::Constant(n + 1, n + 1, std::nan(""));
    for (Root root : graphs::kRoots) EXPECT_EQ(tree::require_feasible(scores, root), n);
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
