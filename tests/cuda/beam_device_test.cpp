// Beam search where only a device can be wrong: against the same kernels on the host, at all sizes, and by many threads
// and streams at once. Compiled with CUDA and run by scripts/test-gpu alone.
#include "cuda/launch.hpp"
#include "kirchhoff/cuda_beam.hpp"
#include "support/graphs.hpp"

#include <gtest/gtest.h>

#include <cuda_runtime_api.h>

#include <cmath>
#include <thread>
#include <vector>

namespace kirchhoff::cuda {
namespace {

void expect_same(const PerturbedTrees& device, const PerturbedTrees& host) {
  ASSERT_EQ(device.trees.size(), host.trees.size());
  for (std::size_t t = 0; t < host.trees.size(); ++t) {
    const double exact = *host.trees[t].log_prob;
    EXPECT_EQ(device.trees[t].heads, host.trees[t].heads) << "tree " << t;
    EXPECT_NEAR(*device.trees[t].log_prob, exact, 1e-11 + 1e-13 * std::abs(exact));
    EXPECT_NEAR(device.perturbed[t], host.perturbed[t], 1e-11 + 1e-13 * std::abs(exact));
  }
}

/// Desks lie in shared memory, or are too large for it: when graphs are prepared from about 157 words on, and when they
/// are searched from about 315 (chains) or far beyond (all of it). With numbers of extended range that is earlier.
TEST(CudaBeamDevice, TreesAreTheHosts) {
  graphs::Random random(921);
  for (int n : {1, 2, 7, 31, 32, 63, 64, 100, 129, 170, 330})
    for (double s : {1.0, 200.0})
      for (Root root : graphs::kRoots) {
        SCOPED_TRACE(testing::Message() << graphs::name(root) << ", n = " << n << ", N(0, " << s << "^2)");
        MatrixBatch batch;
        batch.add(graphs::normal(n, s, random));
        const int k = n > 150 ? 5 : 60;
        expect_same(beam_sample(batch, root, k, 9, Executor::device)[0],
                    beam_sample(batch, root, k, 9, Executor::host)[0]);
      }
}

/// More graphs than can be searched at once, and more trees than blocks of threads.
TEST(CudaBeamDevice, ManyGraphsAndManyTrees) {
  graphs::Random random(922);
  MatrixBatch many, one;
  for (int i = 0; i < 3000; ++i) many.add(graphs::normal(1 + i % 13, i % 50 == 0 ? 200.0 : 1.0, random));
  one.add(graphs::normal(40, 1.0, random));
  const auto device = beam_sample(many, Root::single, 4, 0, Executor::device);
  const auto host = beam_sample(many, Root::single, 4, 0, Executor::host);
  for (std::size_t i = 0; i < host.size(); ++i) expect_same(device[i], host[i]);
  expect_same(beam_sample(one, Root::multi, 3000, 0, Executor::device)[0],
              beam_sample(one, Root::multi, 3000, 0, Executor::host)[0]);
}

/// A search on a stream of its own.
std::vector<std::int32_t> heads_on_a_stream(const Matrix& scores, int k) {
  cudaStream_t stream = nullptr;
  EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  const int n = static_cast<int>(scores.rows()) - 1;
  std::vector<std::int32_t> found(static_cast<std::size_t>(k) * (n + 1));
  {
    const DeviceMemory given(scores.size() * sizeof(double), stream), status(1, stream);
    const DeviceMemory heads(found.size() * sizeof(std::int32_t), stream);
    given.copy_from_host(scores.data(), scores.size() * sizeof(double));
    BeamQuestion question{.root = Root::single, .graphs = 1, .words = n};
    question.scores = contiguous(static_cast<double*>(given.get()), n);
    question.trees = k;
    question.heads = static_cast<std::int32_t*>(heads.get());
    question.status = static_cast<GraphStatus*>(status.get());
    beam_sample(question, {.stream = stream});
    heads.copy_to_host(found.data(), found.size() * sizeof(std::int32_t));
  }
  cudaStreamDestroy(stream);
  return found;
}

TEST(CudaBeamDevice, StreamsAndThreadsDoNotMeet) {
  graphs::Random random(923);
  std::vector<Matrix> graphs;
  for (int n : {20, 50, 90, 30}) graphs.push_back(graphs::normal(n, 1.0, random));
  std::vector<std::vector<std::int32_t>> alone;
  for (const Matrix& scores : graphs) alone.push_back(heads_on_a_stream(scores, 70));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int repeat = 0; repeat < 20; ++repeat) EXPECT_EQ(heads_on_a_stream(graphs[i], 70), alone[i]);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace kirchhoff::cuda
