// L_{beta,gamma} against enumeration and finite differences, and its limits.
#include "kirchhoff/learn.hpp"
#include "support/gradient.hpp"
#include "support/graphs.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace kirchhoff {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

struct Case {
  Matrix scores;
  Heads gold;
  Root root;
};

/// Random scores, a quarter of the arcs impossible, and a random possible tree for gold.
std::vector<Case> cases(oracle::Kind kind = oracle::Kind::any) {
  std::vector<Case> all;
  std::mt19937 random(7);
  std::normal_distribution<double> normal(0.0, 1.5);
  for (const Root root : {Root::single, Root::multi}) {
    for (const int n : {1, 2, 4, 5}) {
      Matrix s(n + 1, n + 1);
      for (Eigen::Index i = 0; i < s.size(); ++i) s.data()[i] = normal(random);
      const oracle::Forest complete(s, root, kind);
      const Heads gold = complete.trees()[random() % complete.trees().size()].heads;
      for (int h = 0; h <= n; ++h) {
        for (int d = 1; d <= n; ++d) {
          if (h != d && gold[static_cast<std::size_t>(d)] != h && random() % 4 == 0) s(h, d) = -kInf;
        }
      }
      all.push_back({s, gold, root});
    }
  }
  return all;
}

long double by_enumeration(const Case& c, Loss loss, oracle::Kind kind = oracle::Kind::any) {
  const oracle::Forest forest(c.scores, c.root, kind);
  long double gold = 0, most = -kInf;
  for (int d = 1; d < c.scores.cols(); ++d) gold += c.scores(c.gold[static_cast<std::size_t>(d)], d);
  std::vector<long double> exponents;
  long double risk = 0;
  for (const oracle::Tree& tree : forest.trees()) {
    long double cost = 0;
    for (std::size_t d = 1; d < c.gold.size(); ++d) cost += tree.heads[d] != c.gold[d];
    const long double value = tree.score - gold + loss.gamma * cost;
    if (!std::isfinite(static_cast<double>(value))) continue;
    risk += tree.prob * cost;
    exponents.push_back(value);
    most = std::max(most, value);
  }
  if (loss.kind == Loss::Kind::expected_cost) return risk;
  if (std::isinf(loss.beta)) return most;
  long double sum = 0;
  for (const long double e : exponents) sum += std::exp(loss.beta * (e - most));
  return most + std::log(sum) / loss.beta;
}

const std::vector<Loss> kAll = {kCrfLoss,  kSvmLoss,   kPerceptronLoss, kSoftmaxMarginLoss,
                                kRiskLoss, {3.0, 1.0}, {0.5, 2.5}};

TEST(StructuredLoss, IsTheSumOverAllTrees) {
  for (const Case& c : cases()) {
    for (const Loss loss : kAll) {
      const double expected = static_cast<double>(by_enumeration(c, loss));
      EXPECT_NEAR(structured_loss(c.scores, c.gold, c.root, loss).value, expected, 1e-9)
          << "beta " << loss.beta << " gamma " << loss.gamma;
    }
  }
}

TEST(StructuredLoss, OfProjectiveTrees) {
  constexpr oracle::Kind kKind = oracle::Kind::projective;
  for (const Case& c : cases(kKind)) {
    for (const Loss loss : kAll) {
      const ArcObjective at = structured_projective_loss(c.scores, c.gold, c.root, loss);
      EXPECT_NEAR(at.value, static_cast<double>(by_enumeration(c, loss, kKind)), 1e-9)
          << "beta " << loss.beta << " gamma " << loss.gamma;
      if (std::isinf(loss.beta) || c.gold.size() < 4) continue;
      const auto value = [&](const Matrix& s) { return structured_projective_loss(s, c.gold, c.root, loss).value; };
      expect_gradient(value, c.scores, at.gradient, 1e-6, "loss");
    }
  }
  const Heads crossing = {-1, 3, 4, 0, 3};  // 3 -> 1 and 4 -> 2 cross
  EXPECT_THROW(structured_projective_loss(Matrix::Zero(5, 5), crossing, Root::single, kCrfLoss), InputError);
}

TEST(StructuredLoss, HasTheRightGradient) {
  for (const Case& c : cases()) {
    if (c.gold.size() < 4) continue;  // too few trees for the gradient to move
    for (const Loss loss : {kCrfLoss, kSoftmaxMarginLoss, kRiskLoss, Loss{3.0, 1.0}, Loss{0.5, 2.5}}) {
      const auto value = [&](const Matrix& s) { return structured_loss(s, c.gold, c.root, loss).value; };
      expect_gradient(value, c.scores, structured_loss(c.scores, c.gold, c.root, loss).gradient, 1e-6, "loss");
    }
  }
}

TEST(StructuredLoss, OfTheBestTreeHasASubgradient) {
  // Convexity: L(t) >= L(s) + g (t - s) for every t.
  std::mt19937 random(11);
  std::normal_distribution<double> normal(0.0, 1.0);
  for (const Case& c : cases()) {
    for (const Loss loss : {kSvmLoss, kPerceptronLoss}) {
      const ArcObjective at = structured_loss(c.scores, c.gold, c.root, loss);
      for (int trial = 0; trial < 20; ++trial) {
        Matrix other = c.scores;
        double linear = at.value;
        for (Eigen::Index i = 0; i < other.size(); ++i) {
          if (!std::isfinite(other.data()[i])) continue;
          const double move = normal(random);
          other.data()[i] += move;
          linear += at.gradient.data()[i] * move;
        }
        EXPECT_GE(structured_loss(other, c.gold, c.root, loss).value, linear - 1e-9);
      }
    }
  }
}

TEST(StructuredLoss, TendsToTheSvm) {
  for (const Case& c : cases()) {
    const double svm = structured_loss(c.scores, c.gold, c.root, kSvmLoss).value;
    const double trees = static_cast<double>(oracle::Forest(c.scores, c.root).trees().size());
    for (const double beta : {1.0, 10.0, 100.0, 1000.0}) {
      const double value = structured_loss(c.scores, c.gold, c.root, {beta, 1.0}).value;
      EXPECT_GE(value, svm - 1e-9);
      EXPECT_LE(value, svm + std::log(trees) / beta + 1e-9);
    }
  }
}

TEST(StructuredLoss, RefusesBadArguments) {
  const Matrix s = Matrix::Zero(3, 3);
  EXPECT_THROW(structured_loss(s, {-1, 0, 0}, Root::single, kCrfLoss), InputError);
  EXPECT_THROW(structured_loss(s, {-1, 2, 1}, Root::multi, kCrfLoss), InputError);
  EXPECT_THROW(structured_loss(s, {-1, 0, 1}, Root::single, {0.0, 1.0}), InputError);
  EXPECT_THROW(structured_loss(s, {-1, 0, 1}, Root::single, {1.0, -1.0}), InputError);
  Matrix pruned = s;
  pruned(0, 1) = -kInf;
  EXPECT_THROW(structured_loss(pruned, {-1, 0, 1}, Root::single, kCrfLoss), InputError);
}

TEST(StructuredLoss, TakesTheHammingCost) {
  // The arcs in which two trees differ, counted one by one [Martins10, footnote 11].
  for (const Case& c : cases()) {
    for (const Loss loss : {kSvmLoss, kSoftmaxMarginLoss, Loss{3.0, 0.7}, kCrfLoss}) {
      const oracle::Forest forest(c.scores, c.root);
      long double sum = 0, most = -kInf, gold = 0;
      for (int d = 1; d < c.scores.cols(); ++d) gold += c.scores(c.gold[static_cast<std::size_t>(d)], d);
      for (const oracle::Tree& tree : forest.trees()) {
        long double cost = 0;
        for (int h = 0; h < c.scores.rows(); ++h) {
          for (std::size_t d = 1; d < c.gold.size(); ++d) cost += (tree.heads[d] == h) != (c.gold[d] == h);
        }
        const long double value = tree.score - gold + loss.gamma * cost;
        most = std::max(most, value);
        if (std::isfinite(loss.beta)) sum += std::exp(loss.beta * value);
      }
      const double expected = static_cast<double>(std::isfinite(loss.beta) ? std::log(sum) / loss.beta : most);
      EXPECT_NEAR(structured_loss(c.scores, c.gold, c.root, with_cost(loss, Cost::hamming)).value, expected, 1e-9);
    }
  }
}

TEST(Loss, HasOneTableOfNames) {
  EXPECT_EQ(all_names<NamedLoss>(), "crf, svm, perceptron, softmax_margin, risk");
  const auto loss = [](std::string_view name) { return loss_of(parse_name<NamedLoss>(name).value()); };
  EXPECT_EQ(loss("crf").gamma, 0.0);
  EXPECT_EQ(loss("svm").beta, HUGE_VAL);
  EXPECT_EQ(loss("svm").gamma, 1.0);
  EXPECT_EQ(loss("perceptron").gamma, 0.0);
  EXPECT_EQ(loss("softmax-margin").beta, 1.0);
  EXPECT_EQ(loss("softmax_margin").gamma, 1.0);
  EXPECT_EQ(loss("risk").kind, Loss::Kind::expected_cost);
  EXPECT_FALSE(parse_name<NamedLoss>("hinge"));
}

}  // namespace
}  // namespace kirchhoff
