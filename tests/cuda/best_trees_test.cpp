// Best trees against the list of all trees, the textbook recursion, and the CPU's best_tree, whose tree they must be.
#include "cuda/ask_trees.hpp"

#include "cuda/executor.hpp"
#include "kirchhoff/decode.hpp"
#include "support/chu_liu_edmonds.hpp"
#include "support/graphs.hpp"
#include "support/message_of.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace kirchhoff::cuda {
namespace {

using graphs::kInf;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// The same heads, labels and score as the CPU finds, which tells equally good trees apart in the same way.
void expect_cpu_s_trees(const Asked& asked, Root root) {
  const AnsweredTrees answered = ask_best(asked, root);
  for (std::size_t i = 0; i < asked.scores.size(); ++i) {
    SCOPED_TRACE(testing::Message() << graphs::name(root) << ", graph " << i << ", n = " << asked.scores[i].words());
    try {
      const Tree expected = best_tree(asked.scores[i], root);
      ASSERT_EQ(answered.status[i], GraphStatus::solved);
      EXPECT_EQ(answered.trees[i][0].heads, expected.heads);
      EXPECT_EQ(answered.trees[i][0].labels, expected.labels);
      EXPECT_DOUBLE_EQ(answered.trees[i][0].score, expected.score);
    } catch (const Infeasible&) {
      EXPECT_EQ(answered.status[i], GraphStatus::infeasible);
    }
  }
}

/// Every tree is listed: the score is the highest, and the tree has it.
TEST(CudaBestTrees, AreTheBestOfAllTrees) {
  graphs::Random random(71);
  Asked asked;
  for (int trial = 0; trial < 400; ++trial) {
    const int n = 1 + trial % 5;
    LabelledMatrix scores = graphs::normal(n, 2, trial % 3 == 0 ? 30.0 : 1.0, random);
    asked.scores.push_back(trial % 2 == 0 ? scores : graphs::masked(scores, n == 1 ? 0.5 : 1.0 / n + 0.1, random));
  }
  for (Root root : graphs::kRoots) {
    const AnsweredTrees answered = ask_best(asked, root);
    int infeasible = 0;
    for (std::size_t i = 0; i < asked.scores.size(); ++i) {
      SCOPED_TRACE(testing::Message() << graphs::name(root) << ", graph " << i);
      const oracle::Forest forest(asked.scores[i], root);
      ASSERT_EQ(answered.status[i], forest.count() == 0 ? GraphStatus::infeasible : GraphStatus::solved);
      infeasible += forest.count() == 0 ? 1 : 0;
      const oracle::Tree* best = nullptr;
      for (const oracle::Tree& tree : forest.trees()) {
        if (best == nullptr || tree.score > best->score) best = &tree;
      }
      if (forest.count() == 0) continue;
      EXPECT_EQ(answered.trees[i][0].heads, best->heads);
      EXPECT_EQ(answered.trees[i][0].labels, best->labels);
      EXPECT_DOUBLE_EQ(answered.trees[i][0].score, static_cast<double>(best->score));
    }
    EXPECT_GT(infeasible, 20);
    EXPECT_LT(infeasible, 150);
  }
}

TEST(CudaBestTrees, HaveTheTextbookScore) {
  graphs::Random random(72);
  for (const int n : {8, 31, 32, 33, 40, 70}) {
    std::vector<Matrix> scores = {graphs::normal(n, 1.0, random), graphs::strong_cycle(n, n, 20.0, random),
                                  graphs::strong_cycle(n, n / 2, 5.0, random),
                                  graphs::masked_feasible(graphs::normal(n, 3.0, random), 0.2, random)};
    Asked asked;
    asked.scores = labelled(scores);
    for (Root root : graphs::kRoots) {
      const AnsweredTrees answered = ask_best(asked, root);
      for (std::size_t i = 0; i < scores.size(); ++i) {
        const long double expected = textbook_best_score(scores[i], root);
        ASSERT_EQ(answered.status[i] == GraphStatus::infeasible, std::isinf(expected)) << n << ", graph " << i;
        if (std::isinf(expected)) continue;
        EXPECT_NEAR(answered.trees[i][0].score, static_cast<double>(expected), 1e-11) << n << ", graph " << i;
      }
    }
  }
}

/// Small integers: many trees are equally good.
TEST(CudaBestTrees, AreThoseOfTheCpuAlsoWhereSeveralAreBest) {
  graphs::Random random(73);
  std::uniform_int_distribution<int> small(0, 2);
  for (const int labels : {1, 2}) {
    Asked asked;
    for (int trial = 0; trial < 200; ++trial) {
      LabelledMatrix scores(1 + trial % 40, labels);
      for (std::size_t i = 0; i < scores.size(); ++i) scores.data()[i] = small(random);
      asked.scores.push_back(trial % 3 == 0 ? graphs::masked(scores, 0.3, random) : scores);
    }
    for (Root root : graphs::kRoots) expect_cpu_s_trees(asked, root);
  }
}

TEST(CudaBestTrees, OfGraphsOfManySizesAndScales) {
  graphs::Random random(74);
  for (const int labels : {1, 3}) {
    Asked asked;
    for (const int n : {1, 2, 3, 15, 31, 32, 33, 63, 64, 65, 100, 128, 200}) {
      for (const double s : {1e-3, 1.0, 300.0, 1e30}) asked.scores.push_back(graphs::normal(n, labels, s, random));
      asked.scores.push_back(graphs::masked_feasible(graphs::normal(n, labels, 1.0, random), 2.0 / n, random));
    }
    for (Root root : graphs::kRoots) expect_cpu_s_trees(asked, root);
  }
}

TEST(CudaBestTrees, OfHardGraphs) {
  graphs::Random random(75);
  Asked asked;
  for (const int n : {2, 10, 40, 90}) {
    for (const double gap : {1.0, 30.0, 700.0}) {
      asked.scores.push_back(labelled(graphs::strong_cycle(n, n, gap, random)));
      asked.scores.push_back(labelled(graphs::strong_cycle(n, n / 2 + 1, gap, random)));
    }
    asked.scores.push_back(labelled(graphs::chain(n, -3.0)));
    asked.scores.push_back(labelled(graphs::star(n, 1e5)));
    Matrix nested = Matrix::Zero(n + 1, n + 1);  // the smaller the distance the better: cycles of cycles of cycles
    for (int h = 0; h <= n; ++h) {
      for (int d = 1; d <= n; ++d) nested(h, d) = h == 0 ? -1e4 - d : -static_cast<double>((h ^ d) * (h ^ d));
    }
    asked.scores.push_back(labelled(nested));
  }
  for (Root root : graphs::kRoots) expect_cpu_s_trees(asked, root);
}

TEST(CudaBestTrees, InAllLayoutsAndPrecisions) {
  graphs::Random random(76);
  for (const int labels : {1, 3}) {
    Asked asked;
    for (const int n : {5, 1, 34, 12, 20}) {
      LabelledMatrix scores = graphs::normal(n, labels, 1.0, random);
      for (std::size_t i = 0; i < scores.size(); ++i) scores.data()[i] = static_cast<float>(scores.data()[i]);
      asked.scores.push_back(graphs::masked_feasible(scores, 0.7, random));
    }
    for (const Layout layout : kLayouts) {
      for (const bool single_precision : {false, true}) {
        asked.layout = layout;
        asked.single_precision = single_precision;
        for (Root root : graphs::kRoots) expect_cpu_s_trees(asked, root);
      }
    }
  }
}

TEST(CudaBestTrees, ScoresThatAreNoneAreInvalid) {
  graphs::Random random(77);
  Asked asked;
  for (const int n : {1, 5, 33, 60}) {
    for (const double bad : {kNaN, kInf, 1.01e100, -1.01e100}) {
      asked.scores.push_back(graphs::normal(n, 2, 1.0, random));
      asked.scores.push_back(asked.scores.back());
      asked.scores.back()(n - 1, n, 1) = bad;
    }
  }
  for (Root root : graphs::kRoots) {
    const AnsweredTrees answered = ask_best(asked, root);
    for (std::size_t i = 0; i < asked.scores.size(); ++i) {
      EXPECT_EQ(answered.status[i], i % 2 == 1 ? GraphStatus::invalid : GraphStatus::solved) << i;
    }
  }
}

/// Two words with weights of 1, and arrays for one tree.
struct TwoWords {
  TestArray<double> scores{std::vector<double>(9, 0.0)};
  TestArray<std::int32_t> heads{{7, 7, 7}};
  TestArray<GraphStatus> status{{GraphStatus::invalid}};
  TreeQuestion question() {
    TreeQuestion question{.root = Root::multi, .graphs = 1, .words = 2};
    question.scores = contiguous(scores.get(), 2);
    question.heads = heads.get();
    question.status = status.get();
    return question;
  }
};

TEST(CudaBestTrees, OfAQuestionThatMakesNoSense) {
  TwoWords two;
  const auto message = [&](const std::function<void(TreeQuestion&)>& spoil) {
    TreeQuestion question = two.question();
    spoil(question);
    return message_of<InputError>([&] { best_trees(question, {.executor = test_executor()}); });
  };
  EXPECT_EQ(message([](TreeQuestion&) {}), "no error");
  EXPECT_EQ(two.heads.fetch(), (std::vector<std::int32_t>{-1, 0, 0}));
  EXPECT_EQ(message([](TreeQuestion& q) { q.graphs = -1; }), "[cuda::best_trees] -1 graphs");
  EXPECT_EQ(message([](TreeQuestion& q) { q.words = 0; }), "[cuda::best_trees] 0 words, expected 1 or more");
  EXPECT_EQ(message([](TreeQuestion& q) { q.labels = 0; }), "[cuda::best_trees] 0 labels, expected 1 or more");
  EXPECT_EQ(message([](TreeQuestion& q) { q.heads = nullptr; }), "[cuda::best_trees] no room for heads");
  EXPECT_EQ(message([](TreeQuestion& q) { q.status = nullptr; }),
            "[cuda::best_trees] no room for the status of graphs");
  EXPECT_EQ(message([](TreeQuestion& q) { q.scores.values = {}; }), "[cuda::best_trees] no scores");
  EXPECT_EQ(message([](TreeQuestion& q) { q.graphs = 0; }), "no error");
}

/// Lengths that are no length: such graphs are invalid, and the others are answered.
TEST(CudaBestTrees, OfGraphsOfImpossibleLength) {
  constexpr int kWords = 40, kGraphs = 5;
  TestArray<std::int32_t> lengths{{kWords, 0, 7, kWords + 1, -3}};
  TestArray<double> scores{std::vector<double>(kGraphs * (kWords + 1) * (kWords + 1), 0.0)};
  TestArray<std::int32_t> heads{std::vector<std::int32_t>(kGraphs * (kWords + 1), 7)};
  TestArray<GraphStatus> status{std::vector<GraphStatus>(kGraphs, GraphStatus::extended)};
  TreeQuestion question{.root = Root::multi, .graphs = kGraphs, .words = kWords};
  question.lengths = lengths.get();
  question.scores = contiguous(scores.get(), kWords);
  question.heads = heads.get();
  question.status = status.get();
  best_trees(question, {.executor = test_executor()});
  using enum GraphStatus;
  EXPECT_EQ(status.fetch(), (std::vector<GraphStatus>{solved, invalid, solved, invalid, invalid}));
  for (int i = 0; i < kGraphs; ++i) {
    for (int word = 0; word <= kWords; ++word) {
      const bool is_word = word > 0 && (i == 0 || (i == 2 && word <= 7));
      EXPECT_EQ(heads.fetch()[i * (kWords + 1) + word], is_word ? 0 : -1) << "graph " << i << ", word " << word;
    }
  }
}

}  // namespace
}  // namespace kirchhoff::cuda
