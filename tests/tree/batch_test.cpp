// A batch gives, in order and bit for bit, what one-by-one calls give, whatever the number of threads.
#include "kirchhoff/tree_batch.hpp"
#include "kirchhoff/expectation.hpp"

#include "support/graphs.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>

namespace kirchhoff {
namespace {

using graphs::kInf;

/// Different sizes, mild and peaked; every seventh has no tree.
std::vector<Matrix> some_graphs(int count) {
  graphs::Random random(141);
  std::vector<Matrix> result;
  for (int k = 0; k < count; ++k) {
    const double s = k % 3 == 0 ? 1 : k % 3 == 1 ? 20 : 200;
    Matrix scores = graphs::masked_feasible(graphs::normal(1 + k * 7 % 23, s, random), 0.8, random);
    if (k % 7 == 3) scores.col(1).setConstant(-kInf);
    result.push_back(scores);
  }
  return result;
}

MatrixBatch batch_of(const std::vector<Matrix>& matrices) {
  MatrixBatch batch;
  for (const Matrix& m : matrices) batch.add(m);
  return batch;
}

bool has_tree(int k) { return k % 7 != 3; }

TEST(MatrixBatch, KeepsMatricesInOrder) {
  const auto matrices = some_graphs(20);
  MatrixBatch batch;
  batch.reserve(20, 1000);
  for (const Matrix& m : matrices) batch.add(m);
  ASSERT_EQ(batch.size(), 20u);
  for (std::size_t k = 0; k < 20; ++k) {
    EXPECT_EQ(batch.words(k), matrices[k].rows() - 1);
    EXPECT_EQ(Matrix(batch[k]), matrices[k]);
  }
  batch.data(3)[1] = 42;
  EXPECT_EQ(batch[3](0, 1), 42);
  EXPECT_EQ(Matrix(batch[4]), matrices[4]);
  const MatrixBatch zeros = batch.zeros_like();
  ASSERT_EQ(zeros.size(), 20u);
  for (std::size_t k = 0; k < 20; ++k)
    EXPECT_EQ(Matrix(zeros[k]), Matrix(Matrix::Zero(matrices[k].rows(), matrices[k].cols())));
  MatrixBatch unset = batch.unset_like();
  ASSERT_EQ(unset.size(), 20u);
  for (std::size_t k = 0; k < 20; ++k) std::copy_n(matrices[k].data(), matrices[k].size(), unset.data(k));
  for (std::size_t k = 0; k < 20; ++k) EXPECT_EQ(Matrix(unset[k]), matrices[k]);
}

TEST(MatrixBatch, RefusesWhatIsNoGraph) {
  MatrixBatch batch;
  EXPECT_THROW(batch.add(Matrix::Zero(3, 4)), InputError);
  EXPECT_THROW(batch.add(Matrix::Zero(1, 1)), InputError);
  EXPECT_THROW(batch.add(Matrix(0, 0)), InputError);
  EXPECT_EQ(batch.size(), 0u);
  Matrix big = Matrix::Zero(6, 6);
  big(2, 3) = 5;
  batch.add(big.block(1, 1, 4, 4));
  EXPECT_EQ(batch[0](1, 2), 5);
}

TEST(Batch, MarginalsAreBitIdenticalToOneByOne) {
  const auto matrices = some_graphs(60);
  const MatrixBatch batch = batch_of(matrices);
  for (Root root : graphs::kRoots)
    for (Method method : graphs::kMethods)
      for (int threads : {1, 2, 4, 0}) {
        SCOPED_TRACE(testing::Message() << graphs::name(root) << ", " << graphs::name(method) << ", " << threads
                                        << " threads");
        const BatchMarginals result = batch_marginals(batch, root, {threads, graphs::forced(method)});
        ASSERT_EQ(result.log_partition.size(), 60u);
        ASSERT_EQ(result.reports.size(), 60u);
        ASSERT_EQ(result.marginals.size(), 60u);
        for (int k = 0; k < 60; ++k) {
          if (!has_tree(k)) {
            EXPECT_EQ(result.log_partition[k], -kInf) << k;
            EXPECT_EQ(Matrix(result.marginals[k]), Matrix(Matrix::Zero(matrices[k].rows(), matrices[k].cols()))) << k;
            continue;
          }
          const TreeDistribution p(matrices[k], root, graphs::forced(method));
          // Bits, not numbers: the fast method may be forced where it gives NaN.
          EXPECT_EQ(std::memcmp(&result.log_partition[k], std::array{p.log_partition()}.data(), sizeof(double)), 0)
              << k;
          EXPECT_EQ(std::memcmp(result.marginals[k].data(), p.marginals().data(), sizeof(double) * matrices[k].size()),
                    0)
              << k;
          EXPECT_EQ(result.reports[k].method, p.report().method) << k;
          EXPECT_EQ(result.reports[k].extended, p.report().extended) << k;
        }
      }
}

TEST(Batch, EntropyIsBitIdenticalToOneByOne) {
  const auto matrices = some_graphs(40);
  const MatrixBatch batch = batch_of(matrices);
  for (Root root : graphs::kRoots)
    for (int threads : {1, 2, 4}) {
      const BatchEntropy result = batch_entropy(batch, root, {threads, {}});
      ASSERT_EQ(result.entropy.size(), 40u);
      ASSERT_EQ(result.gradient.size(), 40u);
      for (int k = 0; k < 40; ++k) {
        if (!has_tree(k)) {
          EXPECT_EQ(result.entropy[k], -kInf);
          EXPECT_EQ(Matrix(result.gradient[k]).cwiseAbs().maxCoeff(), 0.0);
          continue;
        }
        const TreeDistribution p(matrices[k], root);
        EXPECT_EQ(result.entropy[k], entropy(p)) << k;
        EXPECT_EQ(Matrix(result.gradient[k]), entropy_gradient(p)) << k;
      }
    }
}

TEST(Batch, ForEachTreeVisitsEveryGraphOnce) {
  const auto matrices = some_graphs(50);
  const MatrixBatch batch = batch_of(matrices);
  for (int threads : {1, 2, 4}) {
    std::mutex mutex;
    std::multiset<std::size_t> visited, failed;
    for_each_tree(
        batch, Root::multi, {threads, {}},
        [&](std::size_t k, const TreeDistribution& p) {
          const std::lock_guard lock(mutex);
          visited.insert(k);
          EXPECT_EQ(p.log_partition(), TreeDistribution(matrices[k], Root::multi).log_partition());
          EXPECT_EQ(p.log_marginals(), TreeDistribution(matrices[k], Root::multi).log_marginals());
        },
        [&](std::size_t k, const std::string& message) {
          const std::lock_guard lock(mutex);
          failed.insert(k);
          EXPECT_NE(message.find("word 1 cannot be reached from the root"), std::string::npos) << message;
        });
    for (std::size_t k = 0; k < 50; ++k) {
      EXPECT_EQ(visited.count(k), has_tree(static_cast<int>(k)) ? 1u : 0u) << k;
      EXPECT_EQ(failed.count(k), has_tree(static_cast<int>(k)) ? 0u : 1u) << k;
    }
  }
}

TEST(Batch, EmptyBatch) {
  const BatchMarginals result = batch_marginals(MatrixBatch(), Root::single);
  EXPECT_TRUE(result.log_partition.empty());
  EXPECT_EQ(result.marginals.size(), 0u);
}

TEST(Batch, InputErrorNamesTheGraph) {
  auto matrices = some_graphs(20);
  matrices[17] = Matrix::Zero(3, 3);
  matrices[17](1, 2) = std::nan("");
  for (int threads : {1, 4}) {
    try {
      batch_marginals(batch_of(matrices), Root::multi, {threads, {}});
      FAIL() << "NaN went through";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("17"), std::string::npos) << error.what();
    }
  }
}

TEST(ParallelFor, RunsEveryIndexOnce) {
  for (int threads : {0, 1, 2, 4})
    for (std::size_t count : {0u, 1u, 3u, 1000u}) {
      std::vector<std::atomic<int>> hits(count);
      parallel_for(count, threads, [&](std::size_t k) { ++hits[k]; });
      for (std::size_t k = 0; k < count; ++k) EXPECT_EQ(hits[k], 1) << k;
    }
}

TEST(ParallelFor, OneThreadRunsInOrder) {
  std::vector<std::size_t> order;
  parallel_for(100, 1, [&](std::size_t k) { order.push_back(k); });
  std::vector<std::size_t> expected(100);
  std::iota(expected.begin(), expected.end(), 0u);
  EXPECT_EQ(order, expected);
}

TEST(ParallelFor, RethrowsAnException) {
  for (int threads : {1, 2, 4}) {
    const auto body = [](std::size_t k) {
      if (k == 40) throw std::runtime_error("forty");
    };
    try {
      parallel_for(100, threads, body);
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "forty");
    }
    EXPECT_NO_THROW(parallel_for(10, threads, body));  // and is usable afterwards
  }
}

TEST(ParallelFor, MayBeNested) {
  std::atomic<int> sum = 0;
  parallel_for(8, 2, [&](std::size_t) { parallel_for(8, 2, [&](std::size_t) { ++sum; }); });
  EXPECT_EQ(sum, 64);
}

}  // namespace
}  // namespace kirchhoff
