// Trees on a device: more graphs than it holds at once, on streams of threads that share it. Like device_test.cpp these
// tests are run by scripts/test-gpu alone.
#include "cuda/launch.hpp"
#include "kirchhoff/cuda_trees.hpp"

#include "support/graphs.hpp"

#include <gtest/gtest.h>

#include <cuda_runtime_api.h>

#include <thread>
#include <vector>

namespace kirchhoff::cuda {
namespace {

using Numbers = std::vector<std::int32_t>;
constexpr int kSamples = 3;

/// Graphs of one size on the host and on a device, and trees of each.
class TreesOfBoth {
 public:
  TreesOfBoth(int words, int graphs) : words_(words), graphs_(graphs) {
    graphs::Random random(static_cast<unsigned>(words));
    for (int i = 0; i < graphs; ++i) {
      const Matrix scores = graphs::normal(words, 0.5, random);
      scores_.insert(scores_.end(), scores.data(), scores.data() + scores.size());
    }
  }

  /// The heads of best trees and of samples, for both root modes.
  Numbers on_host() { return find(Executor::host, nullptr); }
  Numbers on_device() {
    cudaStream_t stream = nullptr;
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    const Numbers found = find(Executor::device, stream);
    EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
    return found;
  }

 private:
  Numbers find(Executor executor, CUstream_st* stream) const {
    Numbers all;
    for (const Root root : graphs::kRoots) {
      for (const int trees : {1, kSamples}) {
        const Numbers found = executor == Executor::host ? here(root, trees) : there(root, trees, stream);
        all.insert(all.end(), found.begin(), found.end());
      }
    }
    return all;
  }
  std::size_t numbers(int trees) const { return static_cast<std::size_t>(graphs_) * trees * (words_ + 1); }

  void ask(TreeQuestion question, int trees, const Execution& execution) const {
    trees == 1 ? best_trees(question, execution) : sample_trees(question, {.count = trees, .seed = 4}, execution);
  }
  Numbers here(Root root, int trees) const {
    std::vector<double> scores = scores_;
    Numbers heads(numbers(trees));
    std::vector<GraphStatus> status(static_cast<std::size_t>(graphs_));
    TreeQuestion question{.root = root, .graphs = graphs_, .words = words_};
    question.scores = contiguous(scores.data(), words_);
    question.heads = heads.data();
    question.status = status.data();
    ask(question, trees, {.executor = Executor::host});
    return heads;
  }
  Numbers there(Root root, int trees, CUstream_st* stream) const {
    Numbers heads(numbers(trees));
    const std::size_t graphs = static_cast<std::size_t>(graphs_), bytes = heads.size() * sizeof(std::int32_t);
    const DeviceMemory scores(scores_.size() * sizeof(double), stream), found(bytes, stream), status(graphs, stream);
    scores.copy_from_host(scores_.data(), scores_.size() * sizeof(double));
    TreeQuestion question{.root = root, .graphs = graphs_, .words = words_};
    question.scores = contiguous(static_cast<double*>(scores.get()), words_);
    question.heads = static_cast<std::int32_t*>(found.get());
    question.status = static_cast<GraphStatus*>(status.get());
    ask(question, trees, {.executor = Executor::device, .stream = stream});
    found.copy_to_host(heads.data(), bytes);
    return heads;
  }

  int words_, graphs_;
  std::vector<double> scores_;
};

TEST(CudaDeviceTrees, OfMoreGraphsThanItHoldsAtOnce) {
  for (const int words : {3, 12, 30}) {
    TreesOfBoth trees(words, 12000);
    EXPECT_EQ(trees.on_device(), trees.on_host()) << words;
  }
}

/// Sizes for which tables and columns lie in shared memory, and others.
TEST(CudaDeviceTrees, OfThreadsThatShareIt) {
  std::vector<std::thread> threads;
  std::vector<int> different(6, 0);
  for (std::size_t i = 0; i < different.size(); ++i) {
    threads.emplace_back([&different, i] {
      TreesOfBoth trees(std::vector<int>{10, 25, 45, 80, 105, 130}[i], 60);
      const Numbers expected = trees.on_host();
      for (int repeat = 0; repeat < 10; ++repeat) different[i] += trees.on_device() == expected ? 0 : 1;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(different, std::vector<int>(6, 0));
}

}  // namespace
}  // namespace kirchhoff::cuda
