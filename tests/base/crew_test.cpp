// Loops of a crew: every task once, within and beside each other, ahead of time, and with errors.
#include "base/crew.hpp"

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <stdexcept>

namespace kirchhoff::base {
namespace {

class CrewTest : public testing::TestWithParam<int> {
 protected:
  Crew crew{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Threads, CrewTest, testing::Values(1, 2, 5));

TEST_P(CrewTest, DoesEveryTaskOnceTheFirstByTheCaller) {
  for (const std::size_t count : {0U, 1U, 2U, 1000U}) {
    std::vector<int> times(count, 0);
    std::thread::id first;
    crew.loop(count, [&](std::size_t i) {
      ++times[i];
      if (i == 0) first = std::this_thread::get_id();
    });
    EXPECT_EQ(times, std::vector<int>(count, 1));
    if (count > 0) {
      EXPECT_EQ(first, std::this_thread::get_id());
    }
  }
  std::vector<int> seen(200, 0);
  crew.chunks(seen.size(), [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) ++seen[i];
  });
  EXPECT_EQ(seen, std::vector<int>(200, 1));
}

TEST_P(CrewTest, RunsSequencesOfLoopsSideBySide) {
  // Two sequences, each loop of which needs all of the one before; one of them has its numbers made ahead.
  constexpr std::size_t kSteps = 500, kTasks = 7;
  std::array<std::size_t, 2> sums{};
  crew.loop(2, [&](std::size_t sequence) {
    std::deque<std::vector<std::size_t>> made;
    std::deque<Crew::Loop> ahead;
    const auto open = [&] {
      made.emplace_back(kTasks);
      ahead.emplace_back(crew, kTasks, [&numbers = made.back()](std::size_t i) { numbers[i] = i; });
    };
    if (sequence == 1) open();
    for (std::size_t step = 0; step < kSteps; ++step) {
      std::vector<std::size_t> results(kTasks);
      if (sequence == 1) {
        open();
        ahead.front().finish();
        results = made.front();
        ahead.pop_front();
        made.pop_front();
      }
      crew.loop(kTasks, [&](std::size_t i) { results[i] += sums[sequence] % 3 + (sequence == 1 ? 0 : i); });
      for (const std::size_t r : results) sums[sequence] += r;
    }
  });
  std::size_t expected = 0;
  for (std::size_t step = 0; step < kSteps; ++step) expected += kTasks * (expected % 3) + kTasks * (kTasks - 1) / 2;
  EXPECT_EQ(sums[0], expected);
  EXPECT_EQ(sums[1], expected);
}

TEST_P(CrewTest, LeavesTheBackgroundToThreadsThatNobodyWaitsFor) {
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> finishes{false};
  std::atomic<int> done{0};
  const auto task = [&](std::size_t) {
    EXPECT_TRUE(finishes || std::this_thread::get_id() != caller);
    ++done;
  };
  Crew::Loop background(
      crew, 3,
      [&](std::size_t i) {
        task(i);
        for (int k = 0; k < 20; ++k) crew.loop(10, task);  // in the background as well
      },
      Crew::Kind::background);
  std::atomic<int> others{0};
  for (int k = 0; k < 300; ++k) crew.loop(5, [&](std::size_t) { ++others; });
  EXPECT_EQ(others, 1500);
  finishes = true;
  background.finish();
  EXPECT_EQ(done, 3 * 201);
  Crew::Loop fails(
      crew, 2, [](std::size_t) { throw std::runtime_error("behind"); }, Crew::Kind::background);
  EXPECT_THROW(fails.finish(), std::runtime_error);
  done = 0;
  {
    const Crew::Loop dropped(
        crew, 1000, [&](std::size_t) { ++done; }, Crew::Kind::background);
  }
  EXPECT_LE(done, 1000);
}

TEST_P(CrewTest, RethrowsAndGoesOn) {
  std::atomic<int> done{0};
  const auto fails = [&](std::size_t i) {
    if (i == 3) throw std::runtime_error("three");
    ++done;
  };
  EXPECT_THROW(crew.loop(10000, fails), std::runtime_error);
  EXPECT_LT(done, 10000);
  EXPECT_THROW(crew.loop(2, [&](std::size_t) { crew.loop(5, fails); }), std::runtime_error);
  { const Crew::Loop never(crew, 5, fails); }  // whose errors nobody asks for
  done = 0;
  crew.loop(3, fails);
  EXPECT_EQ(done, 3);
}

}  // namespace
}  // namespace kirchhoff::base
