// Questions that make no sense are refused, and a device that is not there is missed with a clear error.
#include "cuda/ask.hpp"
#include "cuda/executor.hpp"

#include "support/graphs.hpp"
#include "support/message_of.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

namespace kirchhoff::cuda {
namespace {

/// Two words, all weights 1: three trees.
struct TwoWords {
  TestArray<double> scores{std::vector<double>(9, 0.0)}, log_partition{std::vector<double>(1, 0.0)};
  TestArray<GraphStatus> status{std::vector<GraphStatus>(1)};

  BatchQuestion question() {
    BatchQuestion question{.root = Root::multi, .graphs = 1, .words = 2};
    question.scores = contiguous(scores.get(), 2);
    question.log_partition = log_partition.get();
    question.status = status.get();
    return question;
  }
};

TEST(CudaQuestion, IsRefusedWhenItMakesNoSense) {
  TwoWords two;
  const auto message = [&](const std::function<void(BatchQuestion&)>& spoil) {
    BatchQuestion question = two.question();
    spoil(question);
    return message_of<InputError>([&] { answer(question, {.executor = test_executor()}); });
  };
  EXPECT_EQ(message([](BatchQuestion&) {}), "no error");
  EXPECT_EQ(message([](BatchQuestion& q) { q.graphs = -1; }), "[cuda::answer] -1 graphs");
  EXPECT_EQ(message([](BatchQuestion& q) { q.words = 0; }), "[cuda::answer] 0 words, expected 1 or more");
  EXPECT_EQ(message([](BatchQuestion& q) { q.labels = 0; }), "[cuda::answer] 0 labels, expected 1 or more");
  constexpr const char* kBadAccuracy =
      "[cuda::answer] an accuracy needs a tolerance above 0, and a floor that is not below 0";
  for (const double bad : {0.0, -1.0, std::nan("")}) {
    EXPECT_EQ(message([=](BatchQuestion& q) { q.accuracy.tolerance = bad; }), kBadAccuracy);
  }
  EXPECT_EQ(message([](BatchQuestion& q) { q.accuracy.floor = -1e-9; }), kBadAccuracy);
  EXPECT_EQ(message([](BatchQuestion& q) { q.status = nullptr; }), "[cuda::answer] no room for the status of graphs");
  EXPECT_EQ(message([](BatchQuestion& q) { q.scores.values = {}; }), "[cuda::answer] no scores");
  EXPECT_EQ(message([](BatchQuestion& q) { q.scores.values = static_cast<float*>(nullptr); }),
            "[cuda::answer] no scores");
}

TEST(CudaQuestion, AfterARefusalTheNextIsAnswered) {
  TwoWords two;
  BatchQuestion question = two.question();
  question.words = 0;
  EXPECT_THROW(answer(question, {.executor = test_executor()}), InputError);
  answer(two.question(), {.executor = test_executor()});
  EXPECT_DOUBLE_EQ(two.log_partition.fetch()[0], std::log(3.0));
}

/// Nobody has to ask for anything but the status.
TEST(CudaQuestion, MayAskForTheStatusAlone) {
  TwoWords two;
  BatchQuestion question = two.question();
  question.log_partition = nullptr;
  answer(question, {.executor = test_executor()});
  EXPECT_EQ(two.status.fetch()[0], GraphStatus::certified);
  EXPECT_EQ(two.log_partition.fetch()[0], 0.0);
}

TEST(CudaQuestion, AboutNoGraphs) {
  BatchQuestion question = TwoWords().question();
  question.graphs = 0;
  EXPECT_NO_THROW(answer(question, {.executor = test_executor()}));
  EXPECT_TRUE(solve({}, Root::single, test_executor()).marginals.empty());
}

TEST(CudaDevice, IsThereOrSaysWhyNot) {
  MatrixBatch graphs;
  graphs.add(Matrix::Zero(3, 3));
  const auto solve_there = [&] { return solve(graphs, Root::multi, Executor::device); };
  if (available()) {
    EXPECT_DOUBLE_EQ(solve_there().log_partition[0], std::log(3.0));
    EXPECT_NE(description().find("compute capability"), std::string::npos) << description();
    return;
  }
  EXPECT_EQ(test_executor(), Executor::host) << description();
  // A library without CUDA says how to get one with it; a library with CUDA says that there is no device.
  const std::string why = description();
  EXPECT_TRUE(why.starts_with("[cuda] this library was built without CUDA") || why.starts_with("[cuda] no device: "))
      << why;
  EXPECT_EQ(message_of<std::runtime_error>(solve_there), why);
  TwoWords two;
  EXPECT_EQ(message_of<std::runtime_error>([&] { answer(two.question()); }), why);
}

TEST(CudaDevice, ExecutorsAndStatusesHaveNames) {
  EXPECT_EQ(all_names<Executor>(), "device, host");
  EXPECT_EQ(all_names<GraphStatus>(), "certified, solved, extended, infeasible, invalid");
}

}  // namespace
}  // namespace kirchhoff::cuda
