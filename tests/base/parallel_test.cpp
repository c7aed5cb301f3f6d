// Parallel loops run every iteration once, in order on one thread, and pass on what the iterations throw.
#include "kirchhoff/parallel.hpp"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

namespace kirchhoff {
namespace {

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

/// The lower of two iterations that fail is the slower one here, so that it is not the first to fail.
TEST(ParallelFor, RethrowsTheLowestException) {
  for (int threads : {1, 2, 4}) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::atomic<bool> higher_failed = false;
      const auto body = [&](std::size_t k) {
        if (k == 0) {
          const auto begin = std::chrono::steady_clock::now();
          while (!higher_failed && std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(20)) {
            std::this_thread::yield();
          }
          throw std::runtime_error("zero");
        }
        higher_failed = true;
        throw std::runtime_error("another");
      };
      try {
        parallel_for(2, threads, body);
        FAIL() << "nothing was thrown";
      } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "zero") << threads;
      }
    }
  }
}

TEST(ParallelFor, MayBeNested) {
  std::atomic<int> sum = 0;
  parallel_for(8, 2, [&](std::size_t) { parallel_for(8, 2, [&](std::size_t) { ++sum; }); });
  EXPECT_EQ(sum, 64);
}

/// Loops of different numbers of threads inside each other used to wait for each other's threads forever.
TEST(ParallelFor, LoopsOfOtherSizesMayBeNested) {
  const tbb::global_control more_threads(tbb::global_control::max_allowed_parallelism, 8);
  std::atomic<int> sum = 0;
  for (int repeat = 0; repeat < 100; ++repeat) {
    parallel_for(16, 4, [&](std::size_t) {
      parallel_for(8, 2, [&](std::size_t) { parallel_for(4, 4, [&](std::size_t) { ++sum; }); });
    });
  }
  EXPECT_EQ(sum, 100 * 16 * 8 * 4);
}

}  // namespace
}  // namespace kirchhoff
