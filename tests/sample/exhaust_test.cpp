// Without replacement to the end: all trees and nothing else, each once, however improbable; and long ways towards it.
#include "sample/counting.hpp"

#include <set>

namespace kirchhoff {
namespace {

/// Every tree of the graph, one by one and at once.
template <class Distribution, class Scores>
void expect_all_trees(const Scores& scores, Root root, std::uint64_t seed) {
  constexpr bool kLabelled = std::is_same_v<Scores, LabelledMatrix>;
  const Trees trees(scores, root);
  const Distribution p(scores, root);
  std::set<std::size_t> seen;
  DistinctTrees source(p, seed);
  while (const std::optional<Tree> tree = source.next()) {
    const std::size_t number = trees.number(*tree);
    EXPECT_TRUE(seen.insert(number).second) << "again: " << testing::PrintToString(tree->heads);
    expect_described(*tree, trees[number], kLabelled);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_EQ(seen.size(), trees.size());
  EXPECT_FALSE(source.next().has_value()) << "still none";
  const int count = static_cast<int>(trees.size());
  for (int k : {count, count + 3, 10 * count}) {
    const PerturbedTrees all = sample_without_replacement(p, k, seeded(seed + 1));
    seen.clear();
    for (const Tree& tree : all.trees) seen.insert(trees.number(tree));
    EXPECT_EQ(all.trees.size(), trees.size());
    EXPECT_EQ(seen.size(), trees.size());
    EXPECT_EQ(all.threshold, -graphs::kInf);
    EXPECT_EQ(all.perturbed.size(), trees.size());
    EXPECT_TRUE(std::is_sorted(all.perturbed.rbegin(), all.perturbed.rend()));
    for (double x : all.perturbed) EXPECT_TRUE(std::isfinite(x));
  }
  EXPECT_GT(sample_without_replacement(p, count - 1, seeded(seed)).threshold, -graphs::kInf);
}

constexpr double kScales[] = {0.0, 1.0, 30.0, 300.0, 1e4, 1e7};

TEST(Exhaust, AllTreesOfDenseGraphs) {
  graphs::Random random(341);
  for (double s : kScales)
    for (int n = 1; n <= 4; ++n)
      for (Root root : graphs::kRoots) {
        SCOPED_TRACE(testing::Message() << graphs::name(root) << ", n = " << n << ", N(0, " << s << "^2)");
        expect_all_trees<TreeDistribution>(graphs::normal(n, s, random), root, 31);
      }
}

TEST(Exhaust, AllTreesOfSparseGraphs) {
  graphs::Random random(342);
  for (double s : kScales)
    for (int n = 2; n <= 5; ++n)
      for (int repeat = 0; repeat < 6; ++repeat)
        for (Root root : graphs::kRoots) {
          SCOPED_TRACE(testing::Message() << graphs::name(root) << ", n = " << n << ", N(0, " << s << "^2)");
          const double density = n == 5 ? 0.35 : 0.6;
          expect_all_trees<TreeDistribution>(graphs::masked_feasible(graphs::normal(n, s, random), density, random),
                                             root, 32);
        }
}

/// Scores between mild and steep: probabilities around the rounding errors of others.
TEST(Exhaust, AllTreesOfPeakedGraphs) {
  graphs::Random random(347);
  for (int repeat = 0; repeat < 150; ++repeat) {
    const int n = 3 + repeat % 3;
    const double s = std::uniform_real_distribution<double>(2, 12)(random);
    const Matrix scores = graphs::masked_feasible(graphs::normal(n, s, random), n == 5 ? 0.4 : 0.6, random);
    for (Root root : graphs::kRoots) {
      SCOPED_TRACE(testing::Message() << graphs::name(root) << ", n = " << n << ", N(0, " << s << "^2)");
      expect_all_trees<TreeDistribution>(scores, root, 38);
    }
  }
}

/// Below the root's child 4 and 2 -> 3, the arc 2 -> 1 is a dead end: 2 has no head left. Its probability came out as
/// 6e-11, said to be right to 2e-12.
TEST(Exhaust, DeadEndsBehindImprobableChoices) {
  constexpr double kNo = -graphs::kInf;
  Matrix scores(5, 5);
  scores << 0, -1, 4, kNo, -3,  //
      0, 0, -6, kNo, -5,        //
      0, 0, 0, 6, 5,            //
      0, kNo, 11, 0, -9,        //
      0, 2, kNo, -6, 0;
  expect_all_trees<TreeDistribution>(scores, Root::single, 39);
}

TEST(Exhaust, AllTreesOfLabelledGraphs) {
  graphs::Random random(343);
  for (double s : kScales)
    for (int n = 1; n <= 3; ++n)
      for (int labels : {1, 2, 3})
        for (Root root : graphs::kRoots) {
          SCOPED_TRACE(testing::Message() << graphs::name(root) << ", n = " << n << ", N(0, " << s << "^2)");
          LabelledMatrix scores = graphs::normal(n, labels, s, random);
          if (n == 3) scores = graphs::masked_feasible(scores, 0.6, random);
          expect_all_trees<LabelledTreeDistribution>(scores, root, 33);
        }
}

/// Cycles that are preferred so much that fast inverses lose all digits, and trees of probability e^-460, 1e-200.
TEST(Exhaust, AllTreesOfCyclesAndOfOneTreeAgainstAll) {
  graphs::Random random(344);
  for (double gap : {20.0, 40.0, 153.5, 460.0, 5000.0})
    for (int n = 2; n <= 4; ++n)
      for (Root root : graphs::kRoots) {
        SCOPED_TRACE(testing::Message() << graphs::name(root) << ", n = " << n << ", gap " << gap);
        for (int length = 2; length <= n; ++length)
          expect_all_trees<TreeDistribution>(graphs::strong_cycle(n, length, gap, random), root, 34);
        expect_all_trees<TreeDistribution>(around_a_tree(n, gap, random), root, 34);
      }
}

TEST(Exhaust, AllTreesOfFiveWords) {
  graphs::Random random(345);
  for (double s : {0.0, 300.0}) expect_all_trees<TreeDistribution>(graphs::normal(5, s, random), Root::single, 35);
}

TEST(Exhaust, OneTreeOnly) {
  for (int n : {1, 2, 30})
    for (Root root : graphs::kRoots)
      for (double score : {0.0, -1e5}) {
        for (const Matrix& scores : {graphs::chain(n, score), graphs::star(n, score)}) {
          const TreeDistribution p(scores, root);
          DistinctTrees trees(p);
          EXPECT_TRUE(trees.next().has_value());
          EXPECT_FALSE(trees.next().has_value());
          EXPECT_EQ(sample_without_replacement(p, 3).trees.size(), 1U);
        }
      }
}

/// 2^15 trees of which 15 words have two heads each: more than a handful of levels, all of them different.
TEST(Exhaust, ManyTreesOfAThinGraph) {
  constexpr int kWords = 10;
  Matrix scores = graphs::star(kWords, 0.0);
  for (int d = 3; d <= kWords; ++d) scores(2, d) = -40.0;  // e^-40 each, together e^-320
  for (Root root : graphs::kRoots) {
    const PerturbedTrees all = sample_without_replacement(TreeDistribution(scores, root), 1000, seeded(36));
    std::set<Heads> seen;
    for (const Tree& tree : all.trees) {
      check_tree(tree.heads, kWords, root, "all");
      seen.insert(tree.heads);
    }
    EXPECT_EQ(all.trees.size(), 256U);
    EXPECT_EQ(seen.size(), 256U);
  }
}

TEST(Exhaust, DistinctTreesOfLongSentences) {
  graphs::Random random(346);
  constexpr int kWords = 100, kTrees = 200;
  const Matrix uniform = Matrix::Zero(kWords + 1, kWords + 1), mild = graphs::normal(kWords, 1.0, random),
               peaked = around_a_tree(kWords, 12.0, random), steep = graphs::normal(kWords, 20.0, random),
               sparse = graphs::masked_feasible(graphs::normal(kWords, 5.0, random), 0.03, random);
  for (const Matrix* scores : {&uniform, &mild, &peaked, &steep, &sparse})
    for (Root root : graphs::kRoots) {
      const TreeDistribution p(*scores, root);
      const PerturbedTrees sample = sample_without_replacement(p, kTrees, seeded(37));
      ASSERT_EQ(sample.trees.size(), static_cast<std::size_t>(kTrees));
      std::set<Heads> seen;
      for (const Tree& tree : sample.trees) {
        check_tree(tree.heads, kWords, root, "without replacement");
        EXPECT_TRUE(seen.insert(tree.heads).second);
        EXPECT_NEAR(*tree.log_prob, p.log_prob(tree.heads), 1e-9 * std::abs(*tree.log_prob));
      }
      EXPECT_TRUE(std::is_sorted(sample.perturbed.rbegin(), sample.perturbed.rend()));
      EXPECT_GT(sample.perturbed.back(), sample.threshold);
    }
}

}  // namespace
}  // namespace kirchhoff
