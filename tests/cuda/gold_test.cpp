// Scores and gradients of given trees, against sums over their arcs; and what is no tree.
#include "cuda/executor.hpp"
#include "kirchhoff/cuda_gold.hpp"
#include "kirchhoff/decode.hpp"
#include "support/graphs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace kirchhoff::cuda {
namespace {

/// A padded batch of trees. The root and whatever is beyond a graph's words has heads that must not be looked at.
struct Batch {
  Root root;
  int words = 0, labels;
  std::vector<std::int32_t> lengths;
  std::vector<std::int64_t> heads, tree_labels;

  GoldTrees trees(TestArray<std::int32_t>& n, TestArray<std::int64_t>& h, TestArray<std::int64_t>& y) const {
    GoldTrees all{.root = root, .graphs = static_cast<std::int64_t>(lengths.size()), .words = words};
    all.labels = labels;
    all.lengths = n.get();
    all.heads = h.get();
    if (labels > 1) all.tree_labels = y.get();
    return all;
  }
};

Batch batch_of(const std::vector<Heads>& trees, int labels, Root root, graphs::Random& random) {
  Batch batch{root, 0, labels, {}, {}, {}};
  for (const Heads& heads : trees) batch.words = std::max(batch.words, static_cast<int>(heads.size()) - 1);
  for (const Heads& heads : trees) {
    batch.lengths.push_back(static_cast<std::int32_t>(heads.size()) - 1);
    for (std::size_t v = 0; v <= static_cast<std::size_t>(batch.words); ++v) {
      batch.heads.push_back(v > 0 && v < heads.size() ? heads[v] : 1 << 20);
      batch.tree_labels.push_back(std::uniform_int_distribution<int>(0, labels - 1)(random));
    }
  }
  return batch;
}

std::vector<double> normal_numbers(std::size_t count, graphs::Random& random) {
  std::normal_distribution<double> normal;
  std::vector<double> all(count);
  for (double& x : all) x = normal(random);
  return all;
}

std::vector<Heads> best_trees_of_random_graphs(Root root, graphs::Random& random) {
  std::vector<Heads> trees;
  for (const int n : {1, 2, 5, 31, 32, 33, 70}) trees.push_back(best_tree(graphs::normal(n, 1.0, random), root).heads);
  return trees;
}

TEST(CudaGold, ScoresAndGradientsOfTrees) {
  graphs::Random random(221);
  for (const int labels : {1, 3}) {
    for (Root root : graphs::kRoots) {
      const Batch batch = batch_of(best_trees_of_random_graphs(root, random), labels, root, random);
      const std::size_t graphs = batch.lengths.size(), nodes = static_cast<std::size_t>(batch.words) + 1;
      const std::vector<double> numbers = normal_numbers(graphs * nodes * nodes * labels, random);
      TestArray<std::int32_t> lengths(batch.lengths);
      TestArray<std::int64_t> heads(batch.heads), tree_labels(batch.tree_labels);
      TestArray<double> arcs(numbers), score(std::vector<double>(graphs, -1.0));
      TestArray<std::uint8_t> wrong(std::vector<std::uint8_t>(graphs, 7));
      const GoldTrees trees = batch.trees(lengths, heads, tree_labels);
      const ArcArray array = contiguous(arcs.get(), batch.words, labels);
      score_trees(trees, array, score.get(), wrong.get(), {.executor = test_executor()});
      const std::vector<double> factors = normal_numbers(graphs, random);
      TestArray<double> given(factors);
      subtract_from_trees(trees, given.get(), array, {.executor = test_executor()});
      const std::vector<double> differences = arcs.fetch();
      for (std::size_t g = 0; g < graphs; ++g) {
        std::vector<double> expected(nodes * nodes * labels);
        for (std::size_t i = 0; i < expected.size(); ++i) {
          expected[i] = -factors[g] * numbers[g * expected.size() + i];
        }
        double sum = 0.0;
        for (std::size_t v = 1; v <= static_cast<std::size_t>(batch.lengths[g]); ++v) {
          const std::size_t head = batch.heads[g * nodes + v], y = labels > 1 ? batch.tree_labels[g * nodes + v] : 0;
          const std::size_t arc = (head * nodes + v) * labels + y;
          sum += numbers[g * expected.size() + arc];
          expected[arc] = factors[g] * (1.0 - numbers[g * expected.size() + arc]);
        }
        EXPECT_NEAR(score.fetch()[g], sum, 1e-13) << g;
        EXPECT_EQ(wrong.fetch()[g], 0) << g;
        for (std::size_t i = 0; i < expected.size(); ++i) {
          ASSERT_DOUBLE_EQ(differences[g * expected.size() + i], expected[i]) << g;
        }
      }
    }
  }
}

TEST(CudaGold, WhatIsNoTreeIsWrong) {
  graphs::Random random(222);
  const std::vector<Heads> trees = {{-1, 0, 1, 1},  {-1, 0, 0, 1}, {-1, 2, 1, 0}, {-1, 0, 4, 1},
                                    {-1, 0, -1, 1}, {-1, 0, 2, 1}, {-1, 2, 3, 1}, {-1, 3, 1, 0}};
  for (Root root : graphs::kRoots) {
    const Batch batch = batch_of(trees, 1, root, random);
    TestArray<std::int32_t> lengths(batch.lengths);
    TestArray<std::int64_t> heads(batch.heads);
    TestArray<double> arcs(std::vector<double>(trees.size() * 16, 1.0)), score(std::vector<double>(trees.size(), -1.0));
    TestArray<std::uint8_t> wrong(std::vector<std::uint8_t>(trees.size(), 7));
    score_trees(batch.trees(lengths, heads, heads), contiguous(arcs.get(), 3), score.get(), wrong.get(),
                {.executor = test_executor()});
    const bool single = root == Root::single;
    const std::vector<std::uint8_t> expected = {0, single, 1, 1, 1, 1, 1, 0};
    EXPECT_EQ(wrong.fetch(), expected);
    for (std::size_t g = 0; g < trees.size(); ++g) EXPECT_EQ(score.fetch()[g], expected[g] != 0 ? 0.0 : 3.0) << g;
  }
}

TEST(CudaGold, LabelsAndLengthsOutOfRangeAreWrong) {
  TestArray<std::int32_t> lengths({2, 2, 3, 0});
  TestArray<std::int64_t> heads({-1, 0, 1, -1, 0, 1, -1, 0, 1, -1, 0, 1}), labels({0, 1, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0});
  TestArray<double> arcs(std::vector<double>(4 * 18, 1.0)), score(std::vector<double>(4, -1.0));
  TestArray<std::uint8_t> wrong(std::vector<std::uint8_t>(4, 7));
  GoldTrees trees{.root = Root::single, .graphs = 4, .words = 2, .labels = 2, .lengths = lengths.get()};
  trees.heads = heads.get();
  trees.tree_labels = labels.get();
  score_trees(trees, contiguous(arcs.get(), 2, 2), score.get(), wrong.get(), {.executor = test_executor()});
  EXPECT_EQ(wrong.fetch(), (std::vector<std::uint8_t>{0, 1, 1, 1}));
}

TEST(CudaGold, QuestionsThatMakeNoSense) {
  double number = 0.0;
  std::uint8_t flag = 0;
  const std::int64_t heads[] = {-1, 0};
  GoldTrees trees{.root = Root::multi, .graphs = 1, .words = 1, .heads = heads};
  const auto ask = [&](const GoldTrees& asked, const ArcArray& arcs, double* score) {
    score_trees(asked, arcs, score, &flag, {.executor = Executor::host});
  };
  const ArcArray arcs = contiguous(&number, 1);
  EXPECT_THROW(ask(trees, {}, &number), InputError);
  EXPECT_THROW(ask(trees, arcs, nullptr), InputError);
  EXPECT_THROW(subtract_from_trees(trees, nullptr, arcs, {.executor = Executor::host}), InputError);
  GoldTrees wrong = trees;
  for (int* const size : {&wrong.words, &wrong.labels}) {
    wrong = trees;
    *size = 0;
    EXPECT_THROW(ask(wrong, arcs, &number), InputError);
  }
  wrong = trees;
  wrong.graphs = -1;
  EXPECT_THROW(ask(wrong, arcs, &number), InputError);
  wrong.graphs = 0;
  EXPECT_NO_THROW(ask(wrong, {}, nullptr));
}

}  // namespace
}  // namespace kirchhoff::cuda
