// What only a device has: streams, threads that share it, memory that ends, and a host to be compared with. These tests
// are compiled with CUDA and run by scripts/test-gpu alone.
#include "cuda/executor.hpp"
#include "cuda/launch.hpp"
#include "kirchhoff/cuda.hpp"

#include "support/compare.hpp"
#include "support/graphs.hpp"
#include "support/message_of.hpp"

#include <gtest/gtest.h>

#include <cuda_runtime_api.h>

#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace kirchhoff::cuda {
namespace {

class Stream {
 public:
  Stream() { EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  CUstream_st* get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Graphs of one size on a stream of their own, which nobody waits for until the answers are fetched.
class StreamedBatch {
 public:
  StreamedBatch(int words, int graphs, unsigned seed)
      : words_(words), graphs_(graphs), numbers_(static_cast<std::size_t>(graphs) * (words + 1) * (words + 1)) {
    graphs::Random random(seed);
    for (int i = 0; i < graphs; ++i) {
      const Matrix scores = graphs::normal(words, i % 3 == 0 ? 200.0 : 1.0, random);  // some of extended range
      given_.insert(given_.end(), scores.data(), scores.data() + scores.size());
    }
    scores_.copy_from_host(given_.data(), given_.size() * sizeof(double));
  }
  void ask() {
    BatchQuestion question{.root = Root::single, .graphs = graphs_, .words = words_};
    question.scores = contiguous(static_cast<double*>(scores_.get()), words_);
    question.marginals = contiguous(static_cast<double*>(marginals_.get()), words_);
    question.log_partition = static_cast<double*>(log_partition_.get());
    question.status = static_cast<GraphStatus*>(status_.get());
    answer(question, {.executor = Executor::device, .stream = stream_.get()});
  }
  /// All marginals, then log Z of all graphs.
  std::vector<double> fetch() const {
    std::vector<double> numbers(numbers_ + graphs_);
    marginals_.copy_to_host(numbers.data(), numbers_ * sizeof(double));
    log_partition_.copy_to_host(numbers.data() + numbers_, graphs_ * sizeof(double));
    return numbers;
  }
  MatrixBatch matrices() const {
    MatrixBatch batch;
    for (int i = 0; i < graphs_; ++i)
      batch.add(MatrixView(given_.data() + i * (words_ + 1) * (words_ + 1), words_ + 1, words_ + 1));
    return batch;
  }

 private:
  int words_, graphs_;
  std::size_t numbers_;
  std::vector<double> given_;
  Stream stream_;
  DeviceMemory scores_{numbers_ * sizeof(double), stream_.get()}, marginals_{numbers_ * sizeof(double), stream_.get()};
  DeviceMemory log_partition_{graphs_ * sizeof(double), stream_.get()};
  DeviceMemory status_{graphs_ * sizeof(GraphStatus), stream_.get()};
};

constexpr int kSizes[] = {12, 25, 33, 50, 70, 100, 128, 140};

TEST(CudaDeviceAlone, BatchesOnSeveralStreams) {
  std::vector<std::unique_ptr<StreamedBatch>> batches;
  std::vector<std::vector<double>> alone;
  for (const int words : kSizes) {
    batches.push_back(std::make_unique<StreamedBatch>(words, 100, words));
    batches.back()->ask();
    alone.push_back(batches.back()->fetch());
  }
  for (int repeat = 0; repeat < 10; ++repeat) {
    for (const auto& batch : batches) batch->ask();
    for (std::size_t i = 0; i < batches.size(); ++i) EXPECT_EQ(batches[i]->fetch(), alone[i]) << kSizes[i];
  }
}

TEST(CudaDeviceAlone, ThreadsThatShareIt) {
  std::vector<std::thread> threads;
  std::vector<int> different(std::size(kSizes), 0);
  for (std::size_t i = 0; i < std::size(kSizes); ++i) {
    threads.emplace_back([&different, i] {
      StreamedBatch batch(kSizes[i], 100, kSizes[i]);
      batch.ask();
      const std::vector<double> first = batch.fetch();
      for (int repeat = 0; repeat < 20; ++repeat) {
        batch.ask();
        different[i] += batch.fetch() == first ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(different, std::vector<int>(std::size(kSizes), 0));
}

/// The exponentials of host and device differ in the last bit, so that answers do in the last few.
TEST(CudaDeviceAlone, AgreesWithTheHost) {
  for (const int words : kSizes) {
    const MatrixBatch batch = StreamedBatch(words, 30, words).matrices();
    const BatchAnswers there = solve(batch, Root::single, Executor::device);
    const BatchAnswers here = solve(batch, Root::single, Executor::host);
    EXPECT_EQ(there.status, here.status) << words;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      EXPECT_TRUE(close(there.log_partition[i], here.log_partition[i], {1e-13, 1e-13})) << words;
      EXPECT_TRUE(close(there.entropy[i], here.entropy[i], {1e-12, 1e-12})) << words;
      expect_same(there.marginals[i], here.marginals[i], {1e-12, 1e-300}, "marginals");
    }
  }
}

TEST(CudaDeviceAlone, AfterMemoryHasEndedTheNextCallWorks) {
  const auto too_much = [] { DeviceMemory(std::numeric_limits<std::size_t>::max() / 4, nullptr); };
  const std::string message = message_of<std::runtime_error>(too_much);
  EXPECT_TRUE(message.starts_with("[cuda] memory of the device: ")) << message;
  MatrixBatch graphs;
  graphs.add(Matrix::Zero(3, 3));
  EXPECT_DOUBLE_EQ(solve(graphs, Root::multi).log_partition[0], std::log(3.0));
}

}  // namespace
}  // namespace kirchhoff::cuda
