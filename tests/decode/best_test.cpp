// The best tree against all trees of small graphs, against the textbook for larger ones, and on graphs made to be hard.
#include "decode/graph_kinds.hpp"
#include "support/chu_liu_edmonds.hpp"

namespace kirchhoff {
namespace {

using graphs::kInf;

std::string best_message(const Matrix& scores, Root root) {
  try {
    best_tree(scores, root);
  } catch (const Infeasible& e) {
    return e.what();
  }
  return {};
}

std::string distribution_message(const Matrix& scores, Root root) {
  try {
    TreeDistribution p(scores, root);
  } catch (const Infeasible& e) {
    return e.what();
  }
  return {};
}

void expect_best(const Matrix& scores, Root root) {
  const std::vector<oracle::Tree> trees = sorted_trees(oracle::Forest(scores, root));
  if (trees.empty()) {
    EXPECT_FALSE(best_message(scores, root).empty());
    EXPECT_EQ(best_message(scores, root), distribution_message(scores, root));
    return;
  }
  const Tree best = best_tree(scores, root);
  EXPECT_NO_THROW(check_tree(best.heads, static_cast<int>(scores.rows()) - 1, root, "best_tree"));
  EXPECT_TRUE(best.labels.empty());
  EXPECT_FALSE(best.log_prob.has_value());
  expect_score(best.score, trees[0].score);
  expect_score(best.score, sum_of(best, scores));
}

TEST(BestTree, AgreesWithEnumeration) {
  graphs::Random random(1);
  for (int n = 1; n <= 6; ++n)
    for (int kind = 0; kind < kKindCount; ++kind)
      for (int repeat = 0; repeat < (n <= 4 ? 150 : n == 5 ? 40 : 6); ++repeat) {
        const Matrix scores = make_graph(kind, n, random);
        for (Root root : graphs::kRoots) {
          SCOPED_TRACE(testing::Message() << kKinds[kind] << ", n = " << n << ", " << graphs::name(root));
          expect_best(scores, root);
        }
      }
}

TEST(BestTree, LabelledAgreesWithEnumeration) {
  graphs::Random random(2);
  for (int n = 1; n <= 4; ++n)
    for (int labels = 1; labels <= 3; ++labels)
      for (int kind = 0; kind < kKindCount; ++kind)
        for (int repeat = 0; repeat < (n <= 3 ? 20 : 3); ++repeat) {
          const LabelledMatrix scores = make_labelled(kind, n, labels, random);
          for (Root root : graphs::kRoots) {
            const std::vector<oracle::Tree> trees = sorted_trees(oracle::Forest(scores, root));
            if (trees.empty()) {
              EXPECT_THROW(best_tree(scores, root), Infeasible);
              continue;
            }
            const Tree best = best_tree(scores, root);
            EXPECT_NO_THROW(check_tree(best.heads, n, root, "best_tree"));
            expect_score(best.score, trees[0].score);
            expect_score(best.score, sum_of(best, scores));
          }
        }
}

TEST(BestTree, AgreesWithTheTextbook) {
  graphs::Random random(3);
  for (int n : {7, 10, 20, 40, 100})
    for (int kind = 0; kind < kKindCount; ++kind)
      for (int repeat = 0; repeat < (n <= 20 ? 20 : n <= 40 ? 4 : 1); ++repeat) {
        const Matrix scores = make_graph(kind, n, random);
        for (Root root : graphs::kRoots) {
          SCOPED_TRACE(testing::Message() << kKinds[kind] << ", n = " << n << ", " << graphs::name(root));
          const long double expected = textbook_best_score(scores, root);
          if (expected == -kInf) {
            EXPECT_EQ(best_message(scores, root), distribution_message(scores, root));
            continue;
          }
          const Tree best = best_tree(scores, root);
          EXPECT_NO_THROW(check_tree(best.heads, n, root, "best_tree"));
          expect_score(best.score, expected);
          expect_score(best.score, sum_of(best, scores));
        }
      }
}

TEST(BestTree, TiesTakeTheLowestHeadAndLabel) {
  for (int n : {1, 2, 5, 30}) {
    Heads star(n + 1, 0);
    star[0] = -1;
    EXPECT_EQ(best_tree(Matrix::Zero(n + 1, n + 1), Root::multi).heads, star);
    const Tree labelled = best_tree(LabelledMatrix(n, 3), Root::multi);
    EXPECT_EQ(labelled.heads, star);
    EXPECT_EQ(labelled.labels, std::vector<int>(n + 1, 0));
    EXPECT_EQ(best_tree(Matrix::Zero(n + 1, n + 1), Root::single).heads,
              best_tree(Matrix::Constant(n + 1, n + 1, 7.0), Root::single).heads);
  }
}

TEST(BestTree, SingleRootIsExactForHugeAndTinyScores) {
  // Root arcs beat all others by 1e90; the difference that decides is 1e-3.
  Matrix scores = Matrix::Constant(4, 4, 0.0);
  scores.row(0).setConstant(1e90);
  scores(1, 2) = scores(2, 3) = 1e-3;
  const Tree best = best_tree(scores, Root::single);
  EXPECT_EQ(best.heads, (Heads{-1, 0, 1, 2}));
  EXPECT_EQ(best_tree(scores, Root::multi).heads, (Heads{-1, 0, 0, 0}));
}

TEST(BestTree, LargeGraphs) {
  graphs::Random random(4);
  for (Root root : graphs::kRoots) {
    const Tree best = best_tree(graphs::normal(1000, 1.0, random), root);
    EXPECT_NO_THROW(check_tree(best.heads, 1000, root, "best_tree"));
    // Nested cycles, each around the one before: word d prefers d - 1 and 1 prefers each in turn.
    const int n = 2000;
    Matrix nested = Matrix::Constant(n + 1, n + 1, -1e4);
    for (int d = 2; d <= n; ++d) nested(d - 1, d) = 10;
    for (int d = 2; d <= n; ++d) nested(d, 1) = -d;
    const Tree chain = best_tree(nested, root);
    EXPECT_NO_THROW(check_tree(chain.heads, n, root, "best_tree"));
    EXPECT_EQ(chain.score, -1e4 + 10.0 * (n - 1));
    EXPECT_EQ(best_tree(graphs::chain(n, -1.0), root).score, -n);
  }
}

TEST(BestTree, OneWord) {
  Matrix scores = Matrix::Constant(2, 2, std::nan(""));
  scores(0, 1) = -3.5;
  for (Root root : graphs::kRoots) {
    EXPECT_EQ(best_tree(scores, root).heads, (Heads{-1, 0}));
    EXPECT_EQ(best_tree(scores, root).score, -3.5);
  }
}

TEST(BestTree, IgnoresColumnZeroAndTheDiagonal) {
  graphs::Random random(5);
  for (int n : {2, 3, 4, 7, 8, 9, 16, 33}) {
    const Matrix scores = graphs::normal(n, 1.0, random);
    for (double junk : {std::nan(""), kInf, -kInf, 1e300}) {
      Matrix noisy = scores;
      noisy.col(0).setConstant(junk);
      noisy.diagonal().setConstant(junk);
      for (Root root : graphs::kRoots) {
        EXPECT_EQ(best_tree(noisy, root).heads, best_tree(scores, root).heads);
        EXPECT_EQ(k_best_trees(noisy, root, 3).back().heads, k_best_trees(scores, root, 3).back().heads);
      }
    }
  }
}

TEST(BestTree, RefusesBadScores) {
  for (Root root : graphs::kRoots) {
    EXPECT_THROW(best_tree(Matrix::Zero(3, 4), root), InputError);
    EXPECT_THROW(best_tree(Matrix::Zero(1, 1), root), InputError);
    EXPECT_THROW(best_tree(Matrix(), root), InputError);
    EXPECT_THROW(best_tree(LabelledMatrix(), root), InputError);
    for (double bad : {std::nan(""), kInf, 1e101, -1e101})
      for (int head : {0, 2, 5})
        for (int dependent : {1, 4}) {
          Matrix scores = Matrix::Zero(6, 6);
          scores(head, dependent) = bad;
          EXPECT_THROW(best_tree(scores, root), InputError) << bad << " at " << head << ", " << dependent;
          EXPECT_THROW(KBestTrees(scores, root), InputError);
          LabelledMatrix labelled(5, 2);
          labelled(head, dependent, 1) = bad;
          EXPECT_THROW(best_tree(labelled, root), InputError);
          EXPECT_THROW(KBestTrees(labelled, root), InputError);
        }
  }
}

TEST(BestTree, RefusesBadScoresAmongImpossibleOnes) {
  graphs::Random random(7);
  for (int n : {3, 9, 20}) {
    const Matrix pruned = graphs::masked_feasible(graphs::normal(n, 1, random), 0.3, random);
    for (Root root : graphs::kRoots)
      for (double bad : {std::nan(""), kInf, 1e101, -1e101})
        for (int head = 0; head <= n; ++head)
          for (int dependent = 1; dependent <= n; ++dependent) {
            if (head == dependent) continue;
            Matrix scores = pruned;
            scores(head, dependent) = bad;
            EXPECT_THROW(best_tree(scores, root), InputError) << bad << " at " << head << ", " << dependent;
          }
  }
}

TEST(BestTree, OfABlockOfALargerMatrix) {
  graphs::Random random(6);
  const Matrix large = graphs::normal(30, 1.0, random);
  const Matrix copy = large.topLeftCorner(12, 12);
  for (Root root : graphs::kRoots)
    EXPECT_EQ(best_tree(large.topLeftCorner(12, 12), root).heads, best_tree(copy, root).heads);
}

}  // namespace
}  // namespace kirchhoff
