// Where numbers lie and what precision they have: ragged, padded and strided arrays, doubles and floats. A graph's
// answers have the same bits in all of them, and whatever other graphs are in the batch.
#include "cuda/ask.hpp"
#include "cuda/executor.hpp"

#include "support/compare.hpp"
#include "support/graphs.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kirchhoff::cuda {
namespace {

/// Graphs of many sizes in no order; every other one is peaked, so that some need numbers of extended range.
Asked mixed_batch(int labels, graphs::Random& random) {
  Asked asked;
  asked.score_share = -0.5;
  for (const int n : {3, 40, 1, 17, 33, 8, 70, 16, 2, 32, 9}) {
    const double s = asked.scores.size() % 2 == 0 ? 1.0 : 200.0;
    asked.scores.push_back(graphs::masked_feasible(graphs::normal(n, labels, s, random), 0.8, random));
    asked.directions.push_back(graphs::normal(n, labels, 1.0, random));
  }
  return asked;
}

bool same(const LabelledMatrix& a, const LabelledMatrix& b) {
  return a.size() == b.size() && std::equal(a.data(), a.data() + a.size(), b.data());
}

/// Answers about graph i of a batch and graph k of another are the same bits.
void expect_same_bits(const Answered& a, std::size_t i, const Answered& b, std::size_t k) {
  EXPECT_EQ(a.status[i], b.status[k]) << i;
  EXPECT_EQ(a.log_partition[i], b.log_partition[k]) << i;
  EXPECT_EQ(a.entropy[i], b.entropy[k]) << i;
  EXPECT_EQ(a.expectation[i], b.expectation[k]) << i;
  EXPECT_TRUE(same(a.marginals[i], b.marginals[k])) << i;
  EXPECT_TRUE(a.derivatives.empty() || same(a.derivatives[i], b.derivatives[k])) << i;
}

/// Those of some graphs of a batch, in this order.
Asked chosen(const Asked& asked, const std::vector<std::size_t>& graphs) {
  Asked some = asked;
  some.scores.clear();
  some.directions.clear();
  for (const std::size_t i : graphs) {
    some.scores.push_back(asked.scores[i]);
    some.directions.push_back(asked.directions[i]);
  }
  return some;
}

TEST(CudaLayout, AllHaveTheSameBits) {
  graphs::Random random(191);
  for (const int labels : {1, 3}) {
    Asked asked = mixed_batch(labels, random);
    for (Root root : graphs::kRoots) {
      for (const bool derivatives : {false, true}) {
        asked.derivatives = derivatives;
        asked.layout = Layout::ragged;
        const Answered ragged = ask(asked, root);
        const GraphStatus mild = derivatives ? GraphStatus::solved : GraphStatus::certified;
        EXPECT_GE(std::count(ragged.status.begin(), ragged.status.end(), mild), derivatives ? 6 : 2);
        for (const Layout layout : kLayouts) {
          asked.layout = layout;
          const Answered answered = ask(asked, root);
          for (std::size_t i = 0; i < asked.scores.size(); ++i) expect_same_bits(answered, i, ragged, i);
        }
      }
    }
  }
}

TEST(CudaLayout, TheSameBitsInEveryBatch) {
  graphs::Random random(192);
  Asked asked = mixed_batch(1, random);
  for (const Layout layout : kLayouts) {
    asked.layout = layout;
    for (Root root : graphs::kRoots) {
      const Answered together = ask(asked, root), again = ask(asked, root);
      std::vector<std::size_t> order(asked.scores.size());
      std::iota(order.begin(), order.end(), 0);
      for (const std::size_t i : order) {
        expect_same_bits(again, i, together, i);
        expect_same_bits(ask(chosen(asked, {i}), root), 0, together, i);
      }
      std::shuffle(order.begin(), order.end(), random);
      order.resize(7);
      const Answered some = ask(chosen(asked, order), root);
      for (std::size_t k = 0; k < order.size(); ++k) expect_same_bits(some, k, together, order[k]);
    }
  }
}

/// More graphs than a device holds at once, all the same, each alone in its room.
TEST(CudaLayout, ManyGraphs) {
  graphs::Random random(193);
  const Asked one = chosen(mixed_batch(1, random), {0});
  const Asked many = chosen(one, std::vector<std::size_t>(10000, 0));
  const Answered expected = ask(one, Root::single), answered = ask(many, Root::single);
  for (std::size_t i = 0; i < many.scores.size(); ++i) expect_same_bits(answered, i, expected, 0);
}

/// A batch without lengths: all graphs have as many words.
TEST(CudaLayout, WithoutLengths) {
  graphs::Random random(194);
  constexpr int kWords = 4, kGraphs = 9;
  std::vector<Matrix> graphs;
  std::vector<double> numbers;
  for (int i = 0; i < kGraphs; ++i) {
    graphs.push_back(graphs::normal(kWords, 1.0, random));
    numbers.insert(numbers.end(), graphs.back().data(), graphs.back().data() + graphs.back().size());
  }
  TestArray<double> scores(numbers), marginals(numbers), log_partition(std::vector<double>(kGraphs, 0.0));
  TestArray<GraphStatus> status{std::vector<GraphStatus>(kGraphs)};
  BatchQuestion question{.root = Root::single, .graphs = kGraphs, .words = kWords};
  question.scores = contiguous(scores.get(), kWords);
  question.marginals = contiguous(marginals.get(), kWords);
  question.log_partition = log_partition.get();
  question.status = status.get();
  answer(question, {.executor = test_executor()});
  for (int i = 0; i < kGraphs; ++i) {
    const oracle::Forest forest(graphs[i], Root::single);
    EXPECT_TRUE(close(log_partition.fetch()[i], forest.log_partition(), {1e-14, 1e-14}));
    const Matrix m = MatrixView(marginals.fetch().data() + i * graphs[i].size(), kWords + 1, kWords + 1);
    expect_arcs(m, oracle::marginals(forest), {1e-13, 0}, "marginals");
  }
}

/// Floats are computed with as doubles, and rounded at the end.
TEST(CudaLayout, SinglePrecisionIsRoundedAtTheEnd) {
  graphs::Random random(195);
  Asked asked = mixed_batch(2, random);
  for (auto* graphs : {&asked.scores, &asked.directions}) {
    for (LabelledMatrix& one : *graphs) {
      std::transform(one.data(), one.data() + one.size(), one.data(), [](double x) { return static_cast<float>(x); });
    }
  }
  for (const Layout layout : kLayouts) {
    asked.layout = layout;
    asked.single_precision = false;
    const Answered doubles = ask(asked, Root::single);
    asked.single_precision = true;
    const Answered floats = ask(asked, Root::single);
    for (std::size_t i = 0; i < asked.scores.size(); ++i) {
      EXPECT_EQ(floats.log_partition[i], doubles.log_partition[i]);
      EXPECT_EQ(floats.entropy[i], doubles.entropy[i]);
      EXPECT_EQ(floats.expectation[i], doubles.expectation[i]);
      for (std::size_t k = 0; k < asked.scores[i].size(); ++k) {
        EXPECT_EQ(floats.marginals[i].data()[k], static_cast<float>(doubles.marginals[i].data()[k]));
        EXPECT_EQ(floats.derivatives[i].data()[k], static_cast<float>(doubles.derivatives[i].data()[k]));
      }
    }
  }
}

/// Each array has its own precision and its own strides.
TEST(CudaLayout, ArraysMayDiffer) {
  graphs::Random random(196);
  constexpr int kWords = 3;
  const Matrix scores = graphs::normal(kWords, 1.0, random);
  std::vector<float> single(scores.size());
  for (Eigen::Index h = 0; h <= kWords; ++h) {
    for (Eigen::Index d = 0; d <= kWords; ++d) single[d * (kWords + 1) + h] = static_cast<float>(scores(h, d));
  }
  TestArray<float> given(single);
  TestArray<double> marginals{std::vector<double>(scores.size())};
  TestArray<GraphStatus> status{std::vector<GraphStatus>(1)};
  BatchQuestion question{.root = Root::multi, .graphs = 1, .words = kWords};
  question.scores = {given.get(), 0, 1, kWords + 1, 1};
  question.marginals = contiguous(marginals.get(), kWords);
  question.status = status.get();
  answer(question, {.executor = test_executor()});
  const oracle::Forest forest(Matrix(scores.cast<float>().cast<double>()), Root::multi);
  expect_arcs(Matrix(MatrixView(marginals.fetch().data(), kWords + 1, kWords + 1)), oracle::marginals(forest),
              {1e-13, 0}, "marginals");
}

}  // namespace
}  // namespace kirchhoff::cuda
