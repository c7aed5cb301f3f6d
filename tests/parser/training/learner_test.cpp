// Steps and averages against their definitions.
#include "parser/training/learner.hpp"
#include "support/oracle.hpp"

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

  Contribution contribution() const {
    Contribution all;
    for (std::size_t i = 0; i < features.size(); ++i) all.add(features[i], amounts[i]);
    all.sort();
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
    step.loss = static_cast<double>(random() % 100) / 50.0 - 0.2;
  }
  return steps;
}

TEST(Learner, TakesTheAggressiveStepAndAveragesIterates) {
  constexpr std::uint32_t kSize = 40;
  const StepRule rule{.kind = StepRule::Kind::aggressive, .cap = 0.05};
  base::Crew crew(1);
  Learner learner(kSize, rule);
  std::vector<double> weights(kSize, 0.0), sum(kSize, 0.0);
  const auto steps = random_steps(400, kSize);
  int negative = 0, ties = 0, others = 0;
  for (const Step& step : steps) {
    std::vector<double> g(kSize, 0.0);
    for (std::size_t u = 0; u < step.features.size(); ++u) {
      for (const std::uint32_t f : step.features[u]) g[f] += step.amounts[u];
    }
    double norm = 0.0;
    for (const double x : g) norm += x * x;
    double eta = norm > 0.0 && step.loss > 0.0 ? std::min(rule.cap, step.loss / norm) : 0.0;
    if (step.loss == 0.0) eta = rule.cap;  // a tie
    (step.loss < 0.0 ? negative : step.loss == 0.0 ? ties : others) += 1;
    for (std::size_t f = 0; f < kSize; ++f) {
      sum[f] += weights[f];  // the paper's average has theta_1 ... theta_T, not the last
      weights[f] -= eta * g[f];
    }
    const Contribution contribution = step.contribution();
    learner.step(std::array{Gradient{{&contribution}, step.loss}}, crew);
  }
  EXPECT_GT(std::min({negative, ties, others}), 0);
  const auto average = learner.averaged(crew);
  for (std::size_t f = 0; f < kSize; ++f) {
    EXPECT_NEAR(learner.weights()[f], weights[f], 1e-5);
    EXPECT_NEAR(average[f], sum[f] / static_cast<double>(steps.size()), 1e-5);
  }
}

/// A word can have features of its own in the arcs that lead to it.
struct Instance {
  std::vector<std::vector<std::uint32_t>> features;  ///< of arc (h, d) at h * (n + 1) + d
  Heads gold;
};

/// 1-best MIRA with the tree of the highest cost-augmented score, found by listing all trees [Crammer06]: the nearest
/// weights by which gold is better by the cost, unless that would be a step longer than C.
void mira(const Instance& x, Root root, double c, std::vector<double>& w) {
  const auto nodes = x.gold.size();
  const auto features_of = [&](const Heads& heads) {
    std::vector<double> sum(w.size(), 0.0);
    for (std::size_t d = 1; d < nodes; ++d) {
      for (const std::uint32_t f : x.features[static_cast<std::size_t>(heads[d]) * nodes + d]) sum[f] += 1.0;
    }
    return sum;
  };
  const std::vector<double> gold = features_of(x.gold);
  double worst = -HUGE_VAL, norm = 0.0;
  std::vector<double> difference;
  const Matrix zero = Matrix::Zero(static_cast<Eigen::Index>(nodes), static_cast<Eigen::Index>(nodes));
  const oracle::Forest forest(zero, root);
  for (const oracle::Tree& tree : forest.trees()) {
    double violation = 0.0;
    for (std::size_t d = 1; d < nodes; ++d) violation += tree.heads[d] != x.gold[d] ? 1.0 : 0.0;
    std::vector<double> phi = features_of(tree.heads);
    for (std::size_t f = 0; f < w.size(); ++f) violation += w[f] * (phi[f] -= gold[f]);
    if (violation > worst) {
      worst = violation;
      difference = phi;
    }
  }
  for (const double x_f : difference) norm += x_f * x_f;
  if (norm == 0.0 || worst <= 0.0) return;
  const double tau = std::min(c, worst / norm);
  for (std::size_t f = 0; f < w.size(); ++f) w[f] -= tau * difference[f];
}

TEST(Learner, IsMiraForTheHinge) {
  constexpr std::uint32_t kSize = 60;
  constexpr int kWords = 4, kNodes = kWords + 1;
  std::mt19937 random(5);
  for (const double cap : {0.02, 10.0}) {
    std::vector<Instance> instances(30);
    for (Instance& x : instances) {
      x.features.resize(kNodes * kNodes);
      for (auto& features : x.features) {
        for (int k = 0; k < 3; ++k) features.push_back(random() % kSize);
      }
      const oracle::Forest forest(Matrix::Zero(kNodes, kNodes), Root::single);
      x.gold = forest.trees()[random() % forest.trees().size()].heads;
    }
    // Random weights to begin with: with weights of 0 many trees would be the worst.
    std::vector<float> start;
    for (std::uint32_t f = 0; f < kSize; ++f) start.push_back(static_cast<float>(random() % 1000) / 1000.0F);
    std::vector<double> expected(start.begin(), start.end());
    base::Crew crew(1);
    Learner learner(kSize, {.kind = StepRule::Kind::aggressive, .cap = cap});
    learner.restore(start, std::vector<Learner::State>(kSize), 0);
    int capped = 0, free = 0;
    for (int epoch = 0; epoch < 3; ++epoch) {
      for (const Instance& x : instances) {
        Matrix scores = Matrix::Zero(kNodes, kNodes);
        for (int a = 0; a < kNodes * kNodes; ++a) {
          for (const std::uint32_t f : x.features[static_cast<std::size_t>(a)])
            scores(a / kNodes, a % kNodes) += learner.weights()[f];
        }
        const ArcObjective loss = structured_loss(scores, x.gold, Root::single, kSvmLoss);
        Contribution contribution;
        for (int a = 0; a < kNodes * kNodes; ++a) {
          const double g = loss.gradient(a / kNodes, a % kNodes);
          if (g != 0.0) contribution.add(x.features[static_cast<std::size_t>(a)], static_cast<float>(g));
        }
        contribution.sort();
        learner.step(std::array{Gradient{{&contribution}, loss.value}}, crew);
        const std::vector<double> before = expected;
        mira(x, Root::single, cap, expected);
        double moved = 0.0;
        for (std::size_t f = 0; f < kSize; ++f) moved = std::max(moved, std::abs(expected[f] - before[f]));
        if (moved > 0.0) (std::fmod(moved, cap) < 1e-9 ? capped : free) += 1;
        for (std::size_t f = 0; f < kSize; ++f) ASSERT_NEAR(learner.weights()[f], expected[f], 2e-5);
      }
    }
    EXPECT_GT(cap < 1.0 ? capped : free, 10);
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
    const Contribution contribution = step.contribution();
    learner.step(std::array{Gradient{{&contribution}, step.loss}}, crew);
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
      std::vector<Contribution> contributions;
      std::vector<Gradient> gradients;
      const std::vector<Step> steps = random_steps(50, kSize);
      for (const Step& step : steps) contributions.push_back(step.contribution());
      for (std::size_t s = 0; s < steps.size(); ++s) gradients.push_back({{&contributions[s]}, steps[s].loss});
      // One step after the other, or many at once: the updates are the same.
      if (threads == 3) {
        for (const Gradient& gradient : gradients) learner.step({&gradient, 1}, crew);
      } else {
        learner.step(gradients, crew);
      }
      EXPECT_EQ(learner.steps(), 50);
      results.push_back(learner.averaged(crew));
    }
    for (const auto& result : results) EXPECT_EQ(result, results.front());
  }
}

}  // namespace
}  // namespace kirchhoff::parser
