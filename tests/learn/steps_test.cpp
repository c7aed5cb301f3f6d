// Steps over dense weights against their definitions.
#include "kirchhoff/learn.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace kirchhoff {
namespace {

struct Seen {
  double loss;
  Vector gradient;
};

std::vector<Seen> random_gradients(int count, Eigen::Index size) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal(0.0, 1.0);
  std::vector<Seen> all;
  for (int t = 0; t < count; ++t) {
    Vector g(size);
    for (double& x : g) x = normal(random);
    if (t % 17 == 5) g.setZero();
    all.push_back({t % 7 == 3 ? 0.0 : normal(random) + 1.0, g});
  }
  return all;
}

TEST(AggressiveStep, IsThatOfAlgorithmOne) {
  EXPECT_EQ(aggressive_step(1.0, 4.0, 10.0), 0.25);
  EXPECT_EQ(aggressive_step(1.0, 4.0, 0.1), 0.1);
  EXPECT_EQ(aggressive_step(-1e-300, 4.0, 0.1), 0.0);
  EXPECT_EQ(aggressive_step(0.0, 4.0, 0.1), 0.1) << "a tie";
  EXPECT_EQ(aggressive_step(0.0, 0.0, 0.1), 0.0) << "gold is the best";
  EXPECT_EQ(aggressive_step(1.0, 0.0, 0.1), 0.0);
}

TEST(DenseLearner, TakesAggressiveStepsAndAveragesThem) {
  constexpr Eigen::Index kSize = 6;
  DenseLearner learner(kSize, {.kind = StepRule::Kind::aggressive, .cap = 0.2});
  Vector weights = Vector::Zero(kSize), sum = Vector::Zero(kSize);
  const std::vector<Seen> all = random_gradients(200, kSize);
  for (const Seen& seen : all) {
    sum += weights;  // theta_1 ... theta_T
    const double norm = seen.gradient.squaredNorm();
    double eta = 0.0;
    if (norm > 0.0 && seen.loss > 0.0) eta = std::min(0.2, seen.loss / norm);
    if (norm > 0.0 && seen.loss == 0.0) eta = 0.2;
    weights -= eta * seen.gradient;
    learner.step(seen.loss, seen.gradient);
  }
  EXPECT_EQ(learner.steps(), 200);
  EXPECT_LT((learner.weights() - weights).norm(), 1e-12);
  EXPECT_LT((learner.averaged() - sum / 200.0).norm(), 1e-12);
}

TEST(DenseLearner, TakesAdaGradsSteps) {
  constexpr Eigen::Index kSize = 6;
  DenseLearner learner(kSize, {.kind = StepRule::Kind::adagrad, .rate = 0.1});
  Vector weights = Vector::Zero(kSize), squares = weights, sum = weights;
  const std::vector<Seen> all = random_gradients(200, kSize);
  for (const Seen& seen : all) {
    for (Eigen::Index i = 0; i < kSize; ++i) {
      squares[i] += seen.gradient[i] * seen.gradient[i];
      weights[i] -= 0.1 * seen.gradient[i] / std::sqrt(squares[i] + 1e-6);
    }
    sum += weights;
    learner.step(seen.loss, seen.gradient);
  }
  EXPECT_LT((learner.weights() - weights).norm(), 1e-12);
  EXPECT_LT((learner.averaged() - sum / 201.0).norm(), 1e-12) << "with the weights of 0 that it begins with";
}

TEST(DenseLearner, RefusesBadArguments) {
  EXPECT_THROW(DenseLearner(3, {.rate = 0.0}), InputError);
  EXPECT_THROW(DenseLearner(3, {.cap = std::nan("")}), InputError);
  DenseLearner learner(3, {});
  EXPECT_THROW(learner.step(1.0, Vector::Zero(2)), InputError);
  EXPECT_THROW(learner.step(std::nan(""), Vector::Zero(3)), InputError);
  EXPECT_THROW(learner.step(1.0, Vector::Constant(3, HUGE_VAL)), InputError);
  EXPECT_EQ(learner.steps(), 0);
}

}  // namespace
}  // namespace kirchhoff
