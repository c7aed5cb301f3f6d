// The k best trees: all of them, in order, each once.
#include "decode/graph_kinds.hpp"

namespace kirchhoff {
namespace {

/// Every tree that the graph has, or the first `limit`, compared with the sorted list of the oracle.
template <class Scores>
void expect_k_best(const Scores& scores, Root root, std::size_t limit) {
  const std::vector<oracle::Tree> expected = sorted_trees(oracle::Forest(scores, root));
  if (expected.empty()) {
    EXPECT_THROW(KBestTrees(scores, root), Infeasible);
    return;
  }
  KBestTrees trees(scores, root);
  std::set<std::pair<Heads, std::vector<int>>> seen;
  const std::size_t count = std::min(limit, expected.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::optional<Tree> tree = trees.next();
    ASSERT_TRUE(tree.has_value()) << i << " trees instead of " << expected.size();
    check_tree(tree->heads, static_cast<int>(tree->heads.size()) - 1, root, "k_best");
    EXPECT_TRUE(seen.emplace(tree->heads, tree->labels).second) << "tree " << i << " again";
    expect_score(tree->score, expected[i].score);
    expect_score(tree->score, sum_of(*tree, scores));
    if (testing::Test::HasFailure()) return;
  }
  if (count < expected.size()) return;
  EXPECT_FALSE(trees.next().has_value());
  EXPECT_FALSE(trees.next().has_value()) << "still none";
}

TEST(KBest, AllTreesInOrder) {
  graphs::Random random(11);
  for (int n = 1; n <= 5; ++n)
    for (int kind = 0; kind < kKindCount; ++kind)
      for (int repeat = 0; repeat < (n <= 3 ? 150 : n == 4 ? 40 : 3); ++repeat) {
        const Matrix scores = make_graph(kind, n, random);
        for (Root root : graphs::kRoots) {
          SCOPED_TRACE(testing::Message() << kKinds[kind] << ", n = " << n << ", " << graphs::name(root));
          expect_k_best(scores, root, SIZE_MAX);
        }
        if (testing::Test::HasFailure()) return;
      }
}

TEST(KBest, FirstHundredOfSixWords) {
  graphs::Random random(12);
  for (int kind = 0; kind < kKindCount; ++kind)
    for (int repeat = 0; repeat < 4; ++repeat) {
      const Matrix scores = make_graph(kind, 6, random);
      for (Root root : graphs::kRoots) {
        SCOPED_TRACE(testing::Message() << kKinds[kind] << ", " << graphs::name(root));
        expect_k_best(scores, root, 100);
      }
    }
}

TEST(KBest, LabelledTreesInOrder) {
  graphs::Random random(13);
  for (int n = 1; n <= 4; ++n)
    for (int labels = 1; labels <= 3; ++labels)
      for (int kind = 0; kind < kKindCount; ++kind)
        for (int repeat = 0; repeat < (n <= 2 ? 20 : n == 3 ? 4 : 1); ++repeat) {
          const LabelledMatrix scores = make_labelled(kind, n, labels, random);
          for (Root root : graphs::kRoots) {
            SCOPED_TRACE(testing::Message()
                         << kKinds[kind] << ", n = " << n << ", " << labels << " labels, " << graphs::name(root));
            expect_k_best(scores, root, n <= 3 ? SIZE_MAX : 1000);
          }
          if (testing::Test::HasFailure()) return;
        }
}

TEST(KBest, AskingForFewerGivesTheSameFirstOnes) {
  graphs::Random random(14);
  for (int kind = 0; kind < kKindCount; ++kind) {
    const Matrix scores = graphs::masked_feasible(make_graph(kind, 12, random), 1.0, random);
    for (Root root : graphs::kRoots) {
      if (kind == 1 || kind == 3) continue;  // may have no tree
      const std::vector<Tree> many = k_best_trees(scores, root, 60);
      ASSERT_EQ(many.size(), 60U);
      for (int k : {0, 1, 2, 17, 59}) {
        const std::vector<Tree> few = k_best_trees(scores, root, k);
        ASSERT_EQ(few.size(), static_cast<std::size_t>(k));
        for (int i = 0; i < k; ++i) {
          EXPECT_EQ(few[i].heads, many[i].heads);
          EXPECT_EQ(few[i].score, many[i].score);
        }
      }
    }
  }
}

TEST(KBest, LargerGraphsAreSortedAndWithoutRepetition) {
  graphs::Random random(15);
  for (int n : {20, 60, 150})
    for (int kind : {0, 2, 4, 5})
      for (Root root : graphs::kRoots) {
        SCOPED_TRACE(testing::Message() << kKinds[kind] << ", n = " << n << ", " << graphs::name(root));
        const Matrix scores = make_graph(kind, n, random);
        const std::vector<Tree> trees = k_best_trees(scores, root, 300);
        ASSERT_EQ(trees.size(), 300U);
        std::set<Heads> seen;
        for (std::size_t i = 0; i < trees.size(); ++i) {
          check_tree(trees[i].heads, n, root, "k_best");
          EXPECT_TRUE(seen.insert(trees[i].heads).second);
          expect_score(trees[i].score, sum_of(trees[i], scores));
          const double before = trees[i == 0 ? 0 : i - 1].score;
          EXPECT_LE(trees[i].score, before + 1e-15 * std::abs(before));
        }
        EXPECT_EQ(trees[0].score, best_tree(scores, root).score);
      }
}

/// The second best tree is the best of those that lack one arc of the best.
TEST(KBest, SecondBestOfLargerGraphs) {
  graphs::Random random(16);
  for (int n : {8, 15, 30})
    for (int kind = 0; kind < kKindCount; ++kind)
      for (Root root : graphs::kRoots) {
        const Matrix scores = graphs::masked_feasible(make_graph(kind == 1 || kind == 3 ? 0 : kind, n, random),
                                                      kind == 1 || kind == 3 ? 0.3 : 1.0, random);
        SCOPED_TRACE(testing::Message() << kKinds[kind] << ", n = " << n << ", " << graphs::name(root));
        const std::vector<Tree> two = k_best_trees(scores, root, 2);
        ASSERT_EQ(two.size(), 2U);
        double expected = -graphs::kInf;
        for (int d = 1; d <= n; ++d) {
          Matrix without = scores;
          without(two[0].heads[d], d) = -graphs::kInf;
          try {
            expected = std::max(expected, best_tree(without, root).score);
          } catch (const Infeasible&) {
          }
        }
        expect_score(two[1].score, expected);
      }
}

TEST(KBest, CanBeMoved) {
  KBestTrees trees(Matrix::Zero(3, 3), Root::multi);
  EXPECT_TRUE(trees.next().has_value());
  KBestTrees moved = std::move(trees);
  EXPECT_TRUE(moved.next().has_value());
  EXPECT_TRUE(moved.next().has_value());
  EXPECT_FALSE(moved.next().has_value());
}

TEST(KBest, EndsWhenItIsStopped) {
  const TreeDistribution p(Matrix::Random(6, 6), Root::single);
  int asked = 0;
  const auto after_three = [&] { return ++asked == 3; };
  const std::vector<Tree> first = k_best_trees(p, 10, after_three), all = k_best_trees(p, 10);
  ASSERT_EQ(first.size(), 3U);
  ASSERT_EQ(all.size(), 10U);
  for (std::size_t t = 0; t < first.size(); ++t) {
    EXPECT_EQ(first[t].heads, all[t].heads);
    EXPECT_EQ(first[t].log_prob, all[t].log_prob);
  }
}

TEST(KBest, RefusesNegativeK) { EXPECT_THROW(k_best_trees(Matrix::Zero(3, 3), Root::multi, -1), InputError); }

}  // namespace
}  // namespace kirchhoff
