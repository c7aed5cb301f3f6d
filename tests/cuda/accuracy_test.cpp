// The fast method of the kernels: when it answers, how wrong it is then, and when the robust method does.
#include "cuda/ask.hpp"
#include "support/graphs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace kirchhoff::cuda {
namespace {

Answered ask_about(const std::vector<Matrix>& scores, Root root, const Accuracy& accuracy) {
  Asked asked;
  asked.scores = labelled(scores);
  asked.derivatives = false;
  asked.accuracy = accuracy;
  return ask(asked, root);
}

/// The largest error of a marginal, relative to the larger one of the marginal and the floor.
double largest_error(const Matrix& found, const Matrix& exact, double floor) {
  double largest = 0.0;
  for (Eigen::Index i = 0; i < exact.size(); ++i) {
    const double p = exact.data()[i];
    if (p >= 1e-300) largest = std::max(largest, std::abs(found.data()[i] - p) / std::max(p, floor));
  }
  return largest;
}

std::vector<Matrix> graphs_of_all_spreads(graphs::Random& random) {
  std::vector<Matrix> all;
  for (const int n : {2, 3, 7, 11, 12, 19, 25, 26, 32, 33, 50, 64, 65, 90, 103, 104, 128}) {
    for (const double s : {0.3, 1.0, 2.0, 4.0, 8.0}) all.push_back(graphs::normal(n, s, random));
  }
  return all;
}

/// How many graphs the fast method answers. Their errors, and those of the others, are within what was asked for.
int count_certified(const std::vector<Matrix>& scores, Root root, const Accuracy& accuracy) {
  const Answered answered = ask_about(scores, root, accuracy);
  int certified = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const TreeDistribution p(scores[i], root, graphs::forced(Method::robust));
    EXPECT_TRUE(is_answered(answered.status[i]));
    certified += answered.status[i] == GraphStatus::certified ? 1 : 0;
    const double error = largest_error(unlabelled(answered.marginals[i]), p.marginals(), accuracy.floor);
    EXPECT_LE(error, accuracy.tolerance) << graphs::name(root) << ", n = " << p.words() << ", graph " << i;
    EXPECT_NEAR(answered.log_partition[i], p.log_partition(), 1e-13 * std::abs(p.log_partition()) + 1e-13);
  }
  return certified;
}

TEST(CudaAccuracy, WhatIsCertifiedIsRight) {
  graphs::Random random(211);
  const std::vector<Matrix> all = graphs_of_all_spreads(random);
  const int count = static_cast<int>(all.size());
  for (Root root : graphs::kRoots) {
    const int usual = count_certified(all, root, {.tolerance = 1e-11});
    EXPECT_GT(usual, count / 4);  // mild graphs, at the least
    EXPECT_LT(usual, count);      // and not those with s = 8
    EXPECT_LT(count_certified(all, root, {.tolerance = 3e-14}), usual);
    EXPECT_GT(count_certified(all, root, {.tolerance = 1e-7}), usual);
    EXPECT_GT(count_certified(all, root, {.tolerance = 1e-9, .floor = 1.0}), usual);
  }
}

TEST(CudaAccuracy, MethodsCanBeForced) {
  graphs::Random random(212);
  const std::vector<Matrix> graphs = {graphs::normal(9, 1.0, random), graphs::normal(40, 0.5, random),
                                      graphs::strong_cycle(5, 2, 30.0, random)};
  for (Root root : graphs::kRoots) {
    const Answered robust = ask_about(graphs, root, graphs::forced(Method::robust));
    const Answered fast = ask_about(graphs, root, graphs::forced(Method::fast));
    const Answered automatic = ask_about(graphs, root, {.tolerance = 1e-11});
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      EXPECT_EQ(robust.status[i], GraphStatus::solved);
      EXPECT_EQ(fast.status[i], GraphStatus::certified);
      EXPECT_EQ(automatic.status[i], i < 2 ? GraphStatus::certified : GraphStatus::solved);
      // Whatever its digits are worth, it is a probability.
      const Matrix p = unlabelled(fast.marginals[i]);
      EXPECT_TRUE((p.array() >= 0.0).all() && (p.array() <= 1.0).all());
    }
    EXPECT_LE(largest_error(unlabelled(fast.marginals[1]), unlabelled(robust.marginals[1]), 0.0), 1e-12);
  }
}

/// Words of which each has one head alone: all marginals are 0 or 1, and most walks have no weight.
TEST(CudaAccuracy, GraphsOfOneTreeAreLeftToTheRobustMethod) {
  for (const int n : {2, 10, 40}) {
    Matrix scores = Matrix::Constant(n + 1, n + 1, -HUGE_VAL);
    for (int v = 1; v <= n; ++v) scores(v - 1, v) = 0.1 * v;
    for (Root root : graphs::kRoots) {
      const Answered answered = ask_about({scores}, root, {.tolerance = 1e-11});
      EXPECT_TRUE(is_answered(answered.status[0]));
      for (int v = 1; v <= n; ++v) EXPECT_DOUBLE_EQ(answered.marginals[0](v - 1, v, 0), 1.0);
    }
  }
}

}  // namespace
}  // namespace kirchhoff::cuda
