// Graphs with impossible arcs, as a parser's are after pruning: the fast method, where it vouches for its answer,
// against the robust one, which does not subtract. Weights that are 0 by structure and weights lost by underflow must
// not be taken for one another.
#include "kirchhoff/tree.hpp"

#include "support/graphs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kirchhoff {
namespace {

using graphs::kInf;

/// How many graphs were judged, and how many of them the fast method answered.
struct Answers {
  int graphs = 0;
  int fast = 0;
};

/// The automatic answer must be within the accuracy asked for.
void judge(const Matrix& scores, Root root, const Accuracy& accuracy, const TreeDistribution& robust,
           Answers& answers) {
  const TreeDistribution p(scores, root, accuracy);
  ++answers.graphs;
  answers.fast += p.report().method == Method::fast;
  EXPECT_TRUE(p.report().certified);
  // Each word's best score is added to log Z: a few roundings of their size.
  double size = 1;
  for (int j = 1; j <= p.words(); ++j)
    for (int i = 0; i <= p.words(); ++i)
      if (i != j && scores(i, j) > -kInf) size = std::max(size, std::abs(scores(i, j)));
  EXPECT_NEAR(p.log_partition(), robust.log_partition(), 1e-13 * p.words() * size);
  for (int i = 0; i <= p.words(); ++i)
    for (int j = 1; j <= p.words(); ++j) {
      if (i == j) continue;
      const double right = robust.marginals()(i, j), actual = p.marginals()(i, j);
      // 1e-13: the robust method's own roundings. A double has no relative accuracy below 1e-308.
      const double allowed = (accuracy.tolerance + 1e-13) * std::max(right, accuracy.floor) + 1e-300;
      ASSERT_LE(std::abs(actual - right), allowed)
          << graphs::name(root) << ", tolerance " << accuracy.tolerance << ", floor " << accuracy.floor << ", arc " << i
          << "->" << j << ": " << actual << " instead of " << right << "\n"
          << scores;
      ASSERT_TRUE(scores(i, j) > -kInf || actual == 0.0);
    }
}

void judge_all(const Matrix& scores, Root root, Answers& relative, Answers& absolute) {
  const TreeDistribution robust(scores, root, graphs::forced(Method::robust));
  for (double tolerance : {1e-9, 1e-12}) {
    judge(scores, root, {Method::automatic, tolerance, 0}, robust, relative);
    judge(scores, root, {Method::automatic, tolerance, 1}, robust, absolute);
  }
}

TEST(Pruned, FastAnswersAreAsAccurateAsTheyClaim) {
  graphs::Random random(161);
  for (Root root : graphs::kRoots) {
    Answers relative, absolute;
    for (double s : {0.3, 1.0, 3.0, 10.0, 30.0, 100.0})
      for (double density : {0.05, 0.2, 0.5, 0.9})
        for (int n : {2, 3, 5, 9, 17, 30})
          for (int trial = 0; trial < 60; ++trial)
            judge_all(graphs::masked_feasible(graphs::normal(n, s, random), density, random), root, relative, absolute);
    EXPECT_GT(relative.fast, relative.graphs / 5) << graphs::name(root);
    EXPECT_LT(relative.fast, relative.graphs * 4 / 5) << graphs::name(root);  // and there was something to refuse
    EXPECT_GT(absolute.fast, absolute.graphs / 2) << graphs::name(root);
    EXPECT_LT(absolute.fast, absolute.graphs) << graphs::name(root);
  }
}

/// Words in a random order: arcs down the order are `gap` worse than arcs up, and the root leads to both ends. Walks
/// that go down have weights exp(-gap), exp(-2 gap), ..., of which doubles lose the last.
Matrix ladder(int words, double gap, double density, graphs::Random& random) {
  std::vector<int> order(words);
  std::iota(order.begin(), order.end(), 1);
  std::shuffle(order.begin(), order.end(), random);
  Matrix scores = Matrix::Constant(words + 1, words + 1, -kInf);
  const Matrix noise = graphs::normal(words, 1, random);
  std::uniform_real_distribution<> uniform;
  for (int k = 0; k < words; ++k)
    for (int l = 0; l < words; ++l) {
      const bool step = std::abs(k - l) == 1;
      if (!step && uniform(random) >= density) continue;
      scores(order[k], order[l]) = noise(order[k], order[l]) - (l > k ? (l - k) * gap : 0);
    }
  scores(0, order.front()) = noise(0, 1);
  if (uniform(random) < 0.5) scores(0, order.back()) = noise(0, 2);
  return scores;
}

TEST(Pruned, WhatUnderflowedIsNotTakenForAZero) {
  graphs::Random random(162);
  for (Root root : graphs::kRoots) {
    Answers relative, absolute;
    for (double gap : {1.0, 10.0, 30.0, 60.0, 100.0, 200.0, 400.0})
      for (double density : {0.0, 0.1, 0.4})
        for (int n : {3, 5, 8, 16})
          for (int trial = 0; trial < 60; ++trial) judge_all(ladder(n, gap, density, random), root, relative, absolute);
    EXPECT_GT(relative.fast + absolute.fast, 100) << graphs::name(root);
  }
}

/// Words 1 -> 2 -> ... -> c by arcs of weight exp(-gap), the last of weight 1; word c also leads to every other, with
/// weight 1. The root leads to 1, and more weakly to c: the tree under 1 is the chain, and those under c are nearly a
/// star. One more word leads nowhere, so that the root's arc to it, the best of all, is in no tree.
Matrix long_way_round(int c, double gap, double weak) {
  Matrix scores = Matrix::Constant(c + 2, c + 2, -kInf);
  for (int j = 1; j < c; ++j) {
    scores(c, j) = 0;
    scores(j, j + 1) = j + 1 == c ? 0 : -gap;
  }
  scores(0, 1) = 0;
  scores(0, c) = -weak;
  scores(c, c + 1) = 0;
  scores(0, c + 1) = 1;
  return scores;
}

TEST(Pruned, TinyMarginalsThatUnderflowOnTheWay) {
  // exp(-700) is about 1e-304: the product along the chain is lost, wholly or in its last digits, while the marginal is
  // exp(weak) times as large. Nothing cancels, so only the range of doubles can make the fast method doubt.
  Answers relative, absolute;
  for (double weak : {60.0, 190.0})
    for (int c : {4, 5, 9})
      for (double product = weak + 1; product < weak + 690; product += 4) {
        const double gap = product / (c - 2);
        const Matrix scores = long_way_round(c, gap, weak);
        judge_all(scores, Root::single, relative, absolute);
        const double star = (c - 2) * std::log1p(std::exp(-gap)) - weak;
        const double chain = 1 / (1 + std::exp(star + product));
        EXPECT_NEAR(TreeDistribution(scores, Root::single).marginals()(0, 1), chain, 1e-11 * chain)
            << c << " words, product " << product;
      }
  EXPECT_GT(relative.fast, relative.graphs / 20);
  EXPECT_LT(relative.fast, relative.graphs / 2);
}

TEST(Pruned, AWalkThatUnderflowsToZero) {
  // The walk 0->1->2 has a weight of exp(-a - gap), 0 as a double where all else is in range; but trees have to choose
  // between that and 0->3 of weight exp(-200), so that the marginal of 2->3 is about exp(200 - a - gap). The best arc
  // from the root, 0->4, is in no tree.
  Answers relative, absolute;
  for (double a = 100; a < 206; a += 5)
    for (double gap = 500; gap < 680; gap += 10) {
      Matrix scores = Matrix::Constant(5, 5, -kInf);
      scores(0, 4) = scores(2, 3) = scores(3, 1) = scores(3, 2) = scores(3, 4) = 0;
      scores(0, 1) = -a, scores(0, 3) = -200, scores(1, 2) = -gap, scores(1, 3) = -100;
      judge_all(scores, Root::single, relative, absolute);
      const double others = std::exp(-200) + std::exp(-a - 100), expected = std::exp(-a - gap) / others;
      const double log_expected = -a - gap - std::log(others);
      const TreeDistribution p(scores, Root::single);
      EXPECT_NEAR(p.log_marginals()(2, 3), log_expected, 1e-10) << "a " << a << ", gap " << gap << ", " << expected;
    }
  EXPECT_EQ(relative.fast, 0);  // as no pivot is small, only this walk's weight can have been doubted
}

TEST(Pruned, MildGraphsAreAnsweredByTheFastMethod) {
  // Every word keeps the root, its neighbours and a few others: words that do not reach each other, but no arc that no
  // tree has.
  graphs::Random random(163);
  for (Root root : graphs::kRoots)
    for (int n : {2, 10, 40}) {
      Matrix scores = graphs::normal(n, 0.5, random);
      for (int i = 1; i <= n; ++i)
        for (int j = 1; j <= n; ++j)
          if (i != j && (i > n / 2 || j == n / 2)) scores(i, j) = -kInf;  // leaves, and a word under the root only
      if (root == Root::single) scores(0, n) = -kInf;
      const TreeDistribution p(scores, root);
      EXPECT_EQ(p.report().method, Method::fast) << graphs::name(root) << ", " << n << " words";
    }
}

TEST(Pruned, DerivativesAndPairsOfFastAnswers) {
  graphs::Random random(164);
  int fast = 0;
  for (Root root : graphs::kRoots)
    for (int n : {2, 4, 7, 12})
      for (int trial = 0; trial < 25; ++trial) {
        const Matrix scores = graphs::masked_feasible(graphs::normal(n, 1, random), 0.4, random);
        const Matrix r = graphs::normal(n, 1, random);
        const TreeDistribution p(scores, root, {Method::automatic, 1e-9, 1});
        const TreeDistribution robust(scores, root, graphs::forced(Method::robust));
        fast += p.report().method == Method::fast;
        // Covariances of size n max|r| < 50, by differences of numbers that are right to 1e-9 or better.
        EXPECT_LE((p.marginals_along(r) - robust.marginals_along(r)).cwiseAbs().maxCoeff(), 1e-7);
        if (n > 7) continue;
        EXPECT_LE((p.pair_marginals() - robust.pair_marginals()).cwiseAbs().maxCoeff(), 1e-8);
      }
  EXPECT_GT(fast, 150);
}

}  // namespace
}  // namespace kirchhoff
