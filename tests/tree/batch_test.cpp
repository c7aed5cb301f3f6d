// A batch gives, in order, what one-by-one calls give, and the same bits whatever else is in it and whatever the number
// of threads.
#include "kirchhoff/expectation.hpp"
#include "kirchhoff/tree_batch.hpp"

#include "tree/batches.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace kirchhoff {
namespace {

using batches::all_zero;
using batches::batch_of;
using batches::same_bits;
using batches::some_graphs;
using graphs::kInf;

bool has_tree(int k) { return k % 7 != 3; }

TEST(TreeBatch, MarginalsOfAForcedMethodAreBitIdenticalToOneByOne) {
  const auto matrices = some_graphs(60);
  const MatrixBatch scores = batch_of(matrices);
  for (Root root : graphs::kRoots)
    for (Method method : {Method::fast, Method::robust})
      for (int threads : {1, 2, 4, kAllCores}) {
        SCOPED_TRACE(testing::Message() << graphs::name(root) << ", " << graphs::name(method) << ", " << threads
                                        << " threads");
        const TreeBatch batch(scores, root, {.threads = threads, .accuracy = graphs::forced(method)});
        ASSERT_EQ(batch.log_partition().size(), 60u);
        ASSERT_EQ(batch.reports().size(), 60u);
        ASSERT_EQ(batch.marginals().size(), batch.array_size());
        for (int k = 0; k < 60; ++k) {
          if (!has_tree(k)) {
            EXPECT_EQ(batch.log_partition()[k], -kInf) << k;
            EXPECT_TRUE(all_zero(batch.marginals(k))) << k;
            continue;
          }
          const TreeDistribution p(matrices[k], root, graphs::forced(method));
          EXPECT_TRUE(same_bits(batch.log_partition().subspan(k, 1), std::array{p.log_partition()}.data())) << k;
          ASSERT_EQ(batch.marginals(k).size(), static_cast<std::size_t>(matrices[k].size()));
          EXPECT_TRUE(same_bits(batch.marginals(k), p.marginals().data())) << k;
          EXPECT_EQ(batch.reports()[k].method, p.report().method) << k;
          EXPECT_EQ(batch.reports()[k].extended, p.report().extended) << k;
        }
      }
}

TEST(TreeBatch, KeepsItsAnswers) {
  const TreeBatch batch(batch_of(some_graphs(9)), Root::single);
  const TreeBatch copy = batch;
  EXPECT_EQ(batch.marginals().data(), batch.marginals().data());
  EXPECT_EQ(batch.marginals().data(), copy.marginals().data());
  EXPECT_EQ(&batch[0], &copy[0]);
}

TEST(TreeBatch, NamesInfeasibleGraphsInOrder) {
  const TreeBatch batch(batch_of(some_graphs(40)), Root::multi);
  std::size_t next = 3;
  ASSERT_EQ(batch.infeasible().size(), 6u);
  for (const InfeasibleGraph& problem : batch.infeasible()) {
    EXPECT_EQ(problem.graph, next);
    EXPECT_NE(problem.message.find("word 1 cannot be reached from the root"), std::string::npos) << problem.message;
    next += 7;
  }
  EXPECT_THROW(batch[3], Infeasible);
  EXPECT_TRUE(TreeBatch(batch_of(some_graphs(3)), Root::multi).infeasible().empty());
}

TEST(TreeBatch, ReadsAndWritesPaddedArrays) {
  const auto matrices = some_graphs(30);
  constexpr int kNodes = 25;
  // In one array the batch is the last axis, so that neither rows nor columns are contiguous; in the other, the first.
  Matrix first = Matrix::Constant(30, kNodes * kNodes, std::nan("")), last;
  for (int k = 0; k < 30; ++k) {
    Eigen::Map<Matrix>(first.row(k).data(), kNodes, kNodes).topLeftCorner(matrices[k].rows(), matrices[k].cols()) =
        matrices[k];
  }
  last = first.transpose();
  std::vector<GraphView> rows, columns;
  for (int k = 0; k < 30; ++k) {
    const int words = static_cast<int>(matrices[k].rows()) - 1;
    rows.push_back({first.row(k).data(), words, kNodes});
    columns.push_back({last.data() + k, words, kNodes * 30, 30});
  }
  const TreeBatch ragged(batch_of(matrices), Root::single);
  for (const auto& views : {rows, columns}) {
    const TreeBatch padded(views, Root::single, {.padded_words = kNodes - 1});
    ASSERT_EQ(padded.array_size(), 30u * kNodes * kNodes);
    std::vector<double> gradients(padded.array_size(), std::nan("")), ragged_gradients(ragged.array_size());
    EXPECT_EQ(entropies(padded, gradients), entropies(ragged, ragged_gradients));
    EXPECT_TRUE(same_bits(padded.log_partition(), ragged.log_partition().data()));
    for (int k = 0; k < 30; ++k) {
      const Eigen::Index size = matrices[k].rows();
      for (const auto& [wide, narrow] :
           {std::pair(padded.marginals(k), ragged.marginals(k)),
            std::pair(padded.part(std::as_const(gradients), k), ragged.part(std::as_const(ragged_gradients), k))}) {
        Matrix expected = Matrix::Zero(kNodes, kNodes);
        expected.topLeftCorner(size, size) = MatrixView(narrow.data(), size, size);
        EXPECT_EQ(Matrix(MatrixView(wide.data(), kNodes, kNodes)), expected) << k;
      }
    }
  }
}

TEST(TreeBatch, RefusesWhatDoesNotFit) {
  const Matrix scores = Matrix::Zero(4, 4);
  EXPECT_THROW(TreeBatch({graph_view(scores)}, Root::single, {.padded_words = 2}), InputError);
  EXPECT_THROW(TreeBatch({GraphView{scores.data(), 0, 4}}, Root::single), InputError);
  EXPECT_THROW(TreeBatch({graph_view(LabelledMatrix(3, 2))}, Root::single), InputError);
  EXPECT_THROW(graph_view(Matrix::Zero(3, 4)), InputError);
  EXPECT_THROW(LabelledTreeBatch({graph_view(LabelledMatrix(3, 2)), graph_view(LabelledMatrix(3, 3))}, Root::multi),
               InputError);
  const TreeBatch batch({graph_view(scores)}, Root::single);
  std::vector<double> small(3);
  EXPECT_THROW(entropies(batch, small), InputError);
}

TEST(TreeBatch, EntropyOfAForcedMethodIsBitIdenticalToOneByOne) {
  const auto matrices = some_graphs(40);
  const MatrixBatch scores = batch_of(matrices);
  const Accuracy robust = graphs::forced(Method::robust);
  for (Root root : graphs::kRoots)
    for (int threads : {1, 2, 4}) {
      const TreeBatch batch(scores, root, {.threads = threads, .accuracy = robust});
      std::vector<double> gradients(batch.array_size());
      const std::vector<double> entropy_of = entropies(batch, gradients);
      ASSERT_EQ(entropy_of.size(), 40u);
      EXPECT_EQ(entropy_of, entropies(batch));
      for (int k = 0; k < 40; ++k) {
        const std::span<double> gradient = batch.part(gradients, k);
        if (!has_tree(k)) {
          EXPECT_EQ(entropy_of[k], -kInf);
          EXPECT_TRUE(all_zero(gradient));
          continue;
        }
        const TreeDistribution p(matrices[k], root, robust);
        EXPECT_EQ(entropy_of[k], entropy(p)) << k;
        const Eigen::Index size = matrices[k].rows();
        EXPECT_EQ(Matrix(MatrixView(gradient.data(), size, size)), entropy_gradient(p)) << k;
      }
    }
}

TEST(TreeBatch, VisitsEveryGraphOnce) {
  const auto matrices = some_graphs(50);
  for (int threads : {1, 2, 4}) {
    const TreeBatch batch(batch_of(matrices), Root::multi, {.threads = threads});
    std::mutex mutex;
    std::multiset<std::size_t> visited, failed;
    batch.visit(
        [&](std::size_t k, const TreeDistribution& p) {
          const std::lock_guard lock(mutex);
          visited.insert(k);
          EXPECT_EQ(p.log_partition(), TreeDistribution(matrices[k], Root::multi).log_partition());
          EXPECT_EQ(p.log_marginals(), TreeDistribution(matrices[k], Root::multi).log_marginals());
        },
        [&](std::size_t k, const Infeasible& problem) {
          const std::lock_guard lock(mutex);
          failed.insert(k);
          EXPECT_NE(std::string(problem.what()).find("word 1 cannot be reached from the root"), std::string::npos);
        });
    for (std::size_t k = 0; k < 50; ++k) {
      EXPECT_EQ(visited.count(k), has_tree(static_cast<int>(k)) ? 1u : 0u) << k;
      EXPECT_EQ(failed.count(k), has_tree(static_cast<int>(k)) ? 0u : 1u) << k;
    }
  }
}

TEST(TreeBatch, VisitedDistributionsMayBeKept) {
  const auto matrices = some_graphs(60);
  std::vector<std::optional<TreeDistribution>> kept(60);
  {
    const TreeBatch batch(batch_of(matrices), Root::multi, {.threads = 4});
    batch.visit([&](std::size_t k, const TreeDistribution& p) { kept[k] = p; });
  }
  for (int k = 0; k < 60; ++k) {
    ASSERT_EQ(kept[k].has_value(), has_tree(k));
    if (!kept[k]) continue;
    const TreeDistribution p(matrices[k], Root::multi);
    EXPECT_EQ(Matrix(kept[k]->marginals()), Matrix(p.marginals())) << k;
    EXPECT_EQ(Matrix(kept[k]->scores()), Matrix(p.scores())) << k;
  }
}

TEST(TreeBatch, OneGraphKeepsItsDistribution) {
  const Matrix scores = some_graphs(1)[0];
  const TreeBatch batch({graph_view(scores)}, Root::single);
  EXPECT_EQ(batch.marginals().data(), batch[0].marginals().data());
  EXPECT_EQ(batch.log_partition()[0], TreeDistribution(scores, Root::single).log_partition());
  const Matrix none = Matrix::Constant(3, 3, -kInf);
  const TreeBatch impossible({graph_view(none)}, Root::single);
  EXPECT_EQ(impossible.infeasible().size(), 1u);
  EXPECT_EQ(impossible.log_partition()[0], -kInf);
  EXPECT_TRUE(all_zero(impossible.marginals()));
}

TEST(TreeBatch, LabelledGraphsOfAForcedMethodAreBitIdenticalToOneByOne) {
  graphs::Random random(17);
  std::vector<LabelledMatrix> matrices;
  std::vector<GraphView> views;
  for (int k = 0; k < 12; ++k) {
    matrices.push_back(graphs::normal(2 + k % 5, 3, 2.0, random));
  }
  for (const LabelledMatrix& m : matrices) views.push_back(graph_view(m));
  for (int threads : {1, 3}) {
    const Accuracy robust = graphs::forced(Method::robust);
    const LabelledTreeBatch batch(views, Root::single, {.threads = threads, .accuracy = robust});
    std::vector<double> gradients(batch.array_size());
    const std::vector<double> entropy_of = entropies(batch, gradients);
    for (std::size_t k = 0; k < 12; ++k) {
      const LabelledTreeDistribution p(matrices[k], Root::single, robust);
      EXPECT_EQ(batch.log_partition()[k], p.log_partition());
      EXPECT_TRUE(same_bits(batch.marginals(k), p.marginals().data()));
      EXPECT_EQ(entropy_of[k], entropy(p));
      EXPECT_TRUE(same_bits(batch.part(std::as_const(gradients), k), entropy_gradient(p).data()));
    }
  }
}

TEST(TreeBatch, EmptyBatch) {
  const TreeBatch batch(MatrixBatch(), Root::single);
  EXPECT_TRUE(batch.log_partition().empty());
  EXPECT_TRUE(batch.marginals().empty());
  EXPECT_TRUE(entropies(batch).empty());
}

TEST(TreeBatch, InputErrorNamesTheGraph) {
  auto matrices = some_graphs(20);
  matrices[17] = Matrix::Zero(3, 3);
  matrices[17](1, 2) = std::nan("");
  for (int threads : {1, 4}) {
    const TreeBatch batch(batch_of(matrices), Root::multi, {.threads = threads});
    try {
      batch.solve();
      FAIL() << "NaN went through";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("17"), std::string::npos) << error.what();
    }
    EXPECT_THROW(batch.log_partition(), InputError);
    EXPECT_NO_THROW(batch[16]);
  }
}

TEST(TreeBatch, StopsWhenAsked) {
  const TreeBatch batch(batch_of(some_graphs(20)), Root::multi);
  EXPECT_THROW(batch.solve([] { return true; }), Stopped);
  EXPECT_THROW(entropies(batch, {}, [] { return true; }), Stopped);
  batch.solve([] { return false; });
  EXPECT_EQ(batch.log_partition().size(), 20u);
  const TreeBatch one(batch_of(some_graphs(1)), Root::multi);
  EXPECT_THROW(one.solve([] { return true; }), Stopped);
}

}  // namespace
}  // namespace kirchhoff
