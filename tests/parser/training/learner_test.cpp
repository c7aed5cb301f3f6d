// Steps and averages against their definitions.
#include "parser/training/learner.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

namespace kirchhoff::parser {
namespace {

struct Step {
  std::vector<std::vector<std::uint32_t>> features;
  std::vector<float> amounts;
  double loss = 0.0;

  std::vector<Update> updates() const {
    std::vector<Update> all;
    for (std::size_t i = 0; i < features.size(); ++i) all.push_back({features[i], amounts[i]});
    return all;
  }
};

std::vector<Step> random_steps(int count, std::uint32_t size) {
  std::mt19937 random(13);
  std::vector<Step> steps(static_cast<std::size_t>(count));
  for (Step& step : steps) {
    for (int u = 0; u < 6; ++u) {
      step.features.emplace_back();
      for (int f = 0; f < 5; ++f) step.features.back().push_back(random() % size);
      step.amounts.push_back(static_cast<float>(random() % 9) / 4.0F - 1.0F);
    }
    step.loss = static_cast<double>(random() % 100) / 50.0;
  }
  return steps;
}

TEST(Learner, TakesTheAggressiveStepAndAveragesIterates) {
  constexpr std::uint32_t kSize = 40;
  const StepRule rule{.kind = StepRule::Kind::aggressive, .cap = 0.05};
  base::Crew crew(1);
  Learner learner(kSize, rule);
  std::vector<double> weights(kSize, 0.0), sum(kSize, 0.0);
  const auto steps = random_steps(200, kSize);
  for (const Step& step : steps) {
    std::vector<double> g(kSize, 0.0);
    for (std::size_t u = 0; u < step.features.size(); ++u) {
      for (const std::uint32_t f : step.features[u]) g[f] += step.amounts[u];
    }
    double norm = 0.0;
    for (const double x : g) norm += x * x;
    const double eta = norm > 0.0 && step.loss > 0.0 ? std::min(rule.cap, step.loss / norm) : rule.cap;
    for (std::size_t f = 0; f < kSize; ++f) {
      weights[f] -= eta * g[f];
      sum[f] += weights[f];
    }
    learner.step(std::array{Gradient{step.updates(), step.loss}}, crew, crew.threads());
  }
  const auto average = learner.averaged();
  for (std::size_t f = 0; f < kSize; ++f) {
    EXPECT_NEAR(learner.weights()[f], weights[f], 1e-5);
    EXPECT_NEAR(average[f], sum[f] / static_cast<double>(steps.size() + 1), 1e-5);
  }
}

TEST(Learner, TakesAdaGradsStep) {
  constexpr std::uint32_t kSize = 40;
  base::Crew crew(1);
  Learner learner(kSize, {.kind = StepRule::Kind::adagrad, .rate = 0.1});
  std::vector<double> weights(kSize, 0.0), squares(kSize, 0.0);
  for (const Step& step : random_steps(200, kSize)) {
    std::vector<double> g(kSize, 0.0);
    for (std::size_t u = 0; u < step.features.size(); ++u) {
      for (const std::uint32_t f : step.features[u]) g[f] += step.amounts[u];
    }
    for (std::size_t f = 0; f < kSize; ++f) {
      squares[f] += g[f] * g[f];
      if (g[f] != 0.0) weights[f] -= 0.1 * g[f] / std::sqrt(squares[f] + 1e-6);
    }
    learner.step(std::array{Gradient{step.updates(), step.loss}}, crew, crew.threads());
  }
  for (std::size_t f = 0; f < kSize; ++f) EXPECT_NEAR(learner.weights()[f], weights[f], 1e-4);
}

TEST(Learner, IsTheSameOnAnyNumberOfThreads) {
  constexpr std::uint32_t kSize = 3000;
  for (const auto kind : {StepRule::Kind::aggressive, StepRule::Kind::adagrad}) {
    std::vector<std::vector<float>> results;
    for (const int threads : {1, 2, 3, 8}) {
      base::Crew crew(threads);
      Learner learner(kSize, {.kind = kind});
      std::vector<Gradient> gradients;
      const std::vector<Step> steps = random_steps(50, kSize);
      for (const Step& step : steps) gradients.push_back({step.updates(), step.loss});
      // One step after the other, or many at once: the updates are the same.
      if (threads == 3) {
        for (const Gradient& gradient : gradients) learner.step({&gradient, 1}, crew, threads);
      } else {
        learner.step(gradients, crew, threads);
      }
      EXPECT_EQ(learner.steps(), 50);
      results.push_back(learner.averaged());
    }
    for (const auto& result : results) EXPECT_EQ(result, results.front());
  }
}

}  // namespace
}  // namespace kirchhoff::parser
