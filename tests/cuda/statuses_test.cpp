// Graphs without a tree and graphs that are none are reported by index, and the rest of the batch is answered.
#include "cuda/ask.hpp"
#include "cuda/executor.hpp"

#include "support/compare.hpp"
#include "support/graphs.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace kirchhoff::cuda {
namespace {

using graphs::kInf;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

bool all_zero(const LabelledMatrix& numbers) {
  return std::all_of(numbers.data(), numbers.data() + numbers.size(), [](double x) { return x == 0.0; });
}

void expect_nothing(const Answered& answered, std::size_t i) {
  EXPECT_EQ(answered.log_partition[i], -kInf);
  EXPECT_EQ(answered.entropy[i], 0.0);
  EXPECT_EQ(answered.expectation[i], 0.0);
  EXPECT_TRUE(all_zero(answered.marginals[i]));
  EXPECT_TRUE(answered.derivatives.empty() || all_zero(answered.derivatives[i]));
}

TEST(CudaStatuses, InfeasibleAsEnumerationSays) {
  graphs::Random random(41);
  Asked asked;
  for (int trial = 0; trial < 300; ++trial) {
    const int n = 1 + trial % 5;
    const double density = n == 1 ? 0.5 : 1.1 / n + 0.15;
    asked.scores.push_back(labelled(graphs::masked(graphs::normal(n, 3, random), density, random)));
  }
  for (Root root : graphs::kRoots) {
    for (const bool derivatives : {false, true}) {
      asked.derivatives = derivatives;
      const Answered answered = ask(asked, root);
      int infeasible = 0;
      for (std::size_t i = 0; i < asked.scores.size(); ++i) {
        SCOPED_TRACE(testing::Message() << graphs::name(root) << ", graph " << i);
        const oracle::Forest forest(asked.scores[i], root);
        EXPECT_EQ(answered.status[i] == GraphStatus::infeasible, forest.count() == 0);
        if (forest.count() == 0) {
          ++infeasible;
          expect_nothing(answered, i);
        } else {
          expect_arcs(answered.marginals[i], oracle::marginals(forest), {1e-12, 0}, "marginals");
        }
      }
      EXPECT_GT(infeasible, 60);
      EXPECT_LT(infeasible, 240);
    }
  }
}

/// Reasons for there being no tree that show at different steps of an elimination.
std::vector<Matrix> without_trees(int n, double s, graphs::Random& random) {
  const Matrix scores = graphs::normal(n, s, random);
  Matrix no_head = scores, no_root = scores, two_islands = scores;
  no_head.col(n).setConstant(-kInf);
  no_root.row(0).setConstant(-kInf);
  for (int h = 0; h <= n; ++h) {
    for (int d = 1; d <= n; ++d) {
      if ((h > n / 2) != (d > n / 2)) two_islands(h, d) = -kInf;  // the second half has heads, but not the root's
    }
  }
  return {no_head, no_root, two_islands};
}

TEST(CudaStatuses, InfeasibleGraphsOfAllSizes) {
  graphs::Random random(42);
  Asked asked;
  for (const double s : {1.0, 300.0}) {
    for (const int n : {3, 16, 17, 32, 33, 57, 65, 113, 129, 150}) {
      for (const Matrix& scores : without_trees(n, s, random)) asked.scores.push_back(labelled(scores));
      asked.scores.push_back(labelled(graphs::normal(n, s, random)));
    }
  }
  for (Root root : graphs::kRoots) {
    const Answered answered = ask(asked, root);
    for (std::size_t i = 0; i < asked.scores.size(); ++i) {
      SCOPED_TRACE(testing::Message() << graphs::name(root) << ", graph " << i << ", n = " << asked.scores[i].words());
      EXPECT_EQ(answered.status[i] == GraphStatus::infeasible, i % 4 != 3);
      if (i % 4 != 3) expect_nothing(answered, i);
    }
  }
}

/// The root must have two children, which a single root may not have.
TEST(CudaStatuses, SingleRootNeedsOneChild) {
  for (const int n : {2, 10, 40, 140}) {
    graphs::Random random(43);
    Matrix scores = graphs::normal(n, 1.0, random);
    for (int h = 0; h <= n; ++h) {
      for (int d = 1; d <= n; ++d) {
        if (h > 0 && (h > n / 2) != (d > n / 2)) scores(h, d) = -kInf;
      }
    }
    Asked asked;
    asked.scores = {labelled(scores)};
    EXPECT_EQ(ask(asked, Root::single).status[0], GraphStatus::infeasible) << n;
    EXPECT_EQ(ask(asked, Root::multi).status[0], GraphStatus::solved) << n;
  }
}

TEST(CudaStatuses, ScoresThatAreNoneAreInvalid) {
  graphs::Random random(44);
  for (const int labels : {1, 3}) {
    Asked asked;
    for (const int n : {1, 5, 20, 33, 60, 140}) {
      for (const double bad : {kNaN, kInf, 1.01e9, -1.01e9}) {
        asked.scores.push_back(graphs::normal(n, labels, 1.0, random));
        asked.scores.push_back(asked.scores.back());
        asked.scores.back()(n - 1, n, labels - 1) = bad;
      }
    }
    for (const bool single_precision : {false, true}) {
      asked.single_precision = single_precision;
      for (Root root : graphs::kRoots) {
        const Answered answered = ask(asked, root);
        for (std::size_t i = 0; i < asked.scores.size(); ++i) {
          SCOPED_TRACE(testing::Message() << graphs::name(root) << ", graph " << i << ", " << labels << " labels");
          EXPECT_EQ(answered.status[i], i % 2 == 1 ? GraphStatus::invalid : GraphStatus::solved);
          if (i % 2 == 1) expect_nothing(answered, i);
        }
      }
    }
  }
}

TEST(CudaStatuses, DirectionsThatAreNotFiniteAreInvalid) {
  graphs::Random random(46);
  for (const double bad : {kNaN, kInf, -kInf}) {
    Asked asked;
    for (const int n : {2, 9, 40}) {
      for (int k = 0; k < 3; ++k) {
        asked.scores.push_back(graphs::normal(n, 2, 1.0, random));
        asked.directions.push_back(graphs::normal(n, 2, 1.0, random));
      }
      (asked.directions.end() - 2)[0](1, 2, 1) = bad;
      asked.directions.back()(1, 2, 1) = bad;
      asked.scores.back()(1, 2, 1) = -kInf;  // where there is no arc, there is no direction
    }
    for (const bool derivatives : {false, true}) {
      asked.derivatives = derivatives;
      const Answered answered = ask(asked, Root::single);
      for (std::size_t i = 0; i < asked.scores.size(); ++i) {
        SCOPED_TRACE(testing::Message() << bad << ", graph " << i);
        const GraphStatus fine = derivatives ? GraphStatus::solved : GraphStatus::certified;
        EXPECT_EQ(answered.status[i], i % 3 == 1 ? GraphStatus::invalid : fine);
        EXPECT_TRUE(std::isfinite(answered.expectation[i]));
        if (i % 3 == 1) expect_nothing(answered, i);
      }
    }
  }
}

constexpr int kWords = 40, kGraphs = 6;
constexpr std::size_t kNumbers = (kWords + 1) * (kWords + 1);

/// A batch of graphs with weights 1, some of whose lengths are no length. Each has room for the largest graph.
struct OddLengths {
  TestArray<std::int32_t> lengths{{kWords, 0, 7, kWords + 1, -3, 1 << 30}};
  TestArray<std::int64_t> offsets{{0, kNumbers, 2 * kNumbers, 3 * kNumbers, 4 * kNumbers, 5 * kNumbers}};
  TestArray<double> scores{std::vector<double>(kGraphs * kNumbers, 0.0)};
  TestArray<double> marginals{std::vector<double>(kGraphs * kNumbers, -7.0)};
  TestArray<double> log_partition{std::vector<double>(kGraphs, kNaN)};
  TestArray<GraphStatus> status{std::vector<GraphStatus>(kGraphs)};

  void ask(bool ragged) {
    BatchQuestion question{.root = Root::multi, .graphs = kGraphs, .words = kWords};
    question.lengths = lengths.get();
    if (ragged) question.offsets = offsets.get();
    question.scores = contiguous(scores.get(), kWords);
    question.marginals = contiguous(marginals.get(), kWords);
    question.log_partition = log_partition.get();
    question.status = status.get();
    answer(question, {.executor = test_executor()});
  }
  double sum_of_marginals(std::size_t graph) {
    const auto begin = marginals.fetch().begin() + static_cast<std::ptrdiff_t>(graph * kNumbers);
    return std::accumulate(begin, begin + kNumbers, 0.0);
  }
};

TEST(CudaStatuses, LengthsOutOfRangeAreInvalid) {
  for (const bool ragged : {false, true}) {
    OddLengths batch;
    batch.ask(ragged);
    for (std::size_t i = 0; i < kGraphs; ++i) {
      SCOPED_TRACE(testing::Message() << (ragged ? "ragged, graph " : "padded, graph ") << i);
      const double n = batch.lengths.fetch()[i], log_z = batch.log_partition.fetch()[i];
      if (i == 0 || i == 2) {
        const double unwritten = ragged ? -7.0 * (kNumbers - (n + 1) * (n + 1)) : 0.0;
        EXPECT_TRUE(is_answered(batch.status.fetch()[i]));
        EXPECT_TRUE(close(log_z, (n - 1) * std::log(n + 1), {1e-13, 0}));
        EXPECT_NEAR(batch.sum_of_marginals(i), n + unwritten, 1e-12 * kWords);  // every word has a head
      } else {
        EXPECT_EQ(batch.status.fetch()[i], GraphStatus::invalid);
        EXPECT_EQ(log_z, -kInf);
        // Where arrays are ragged, nobody knows how much room such a graph has: none of it is written.
        EXPECT_EQ(batch.sum_of_marginals(i), ragged ? -7.0 * kNumbers : 0.0);
      }
    }
  }
}

}  // namespace
}  // namespace kirchhoff::cuda
