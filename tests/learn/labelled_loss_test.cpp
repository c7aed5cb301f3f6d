// L_{beta,gamma} and the expected cost over labelled trees, with the cost of LAS, against enumeration and finite
// differences.
#include "kirchhoff/expectation.hpp"
#include "kirchhoff/learn.hpp"
#include "support/gradient.hpp"
#include "support/graphs.hpp"
#include "support/message_of.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kirchhoff {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

struct Case {
  LabelledMatrix scores;
  Gold gold;
  Root root;
};

/// Random scores, of which some are impossible, and a random possible tree for gold.
std::vector<Case> cases(oracle::Kind kind) {
  std::vector<Case> all;
  graphs::Random random(5);
  for (const Root root : {Root::single, Root::multi}) {
    for (const auto& [words, labels] : {std::pair(1, 2), {2, 3}, {4, 1}, {4, 2}}) {
      LabelledMatrix scores = graphs::normal(words, labels, 1.5, random);
      const oracle::Forest complete(scores, root, kind);
      const oracle::Tree& gold = complete.trees()[random() % complete.trees().size()];
      for (int d = 1; d <= words; ++d) {
        for (int h = 0; h <= words; ++h) {
          for (int l = 0; l < labels; ++l) {
            const auto w = static_cast<std::size_t>(d);
            const bool is_gold = gold.heads[w] == h && gold.labels[w] == l;
            if (h != d && !is_gold && random() % 5 == 0) scores(h, d, l) = -kInf;
          }
        }
      }
      all.push_back({scores, {gold.heads, gold.labels}, root});
    }
  }
  return all;
}

double by_enumeration(const Case& c, Loss loss, oracle::Kind kind) {
  const oracle::Forest forest(c.scores, c.root, kind);
  long double gold = 0, most = -kInf, risk = 0;
  for (std::size_t d = 1; d < c.gold.heads.size(); ++d) {
    gold += c.scores(c.gold.heads[d], static_cast<int>(d), c.gold.labels[d]);
  }
  std::vector<long double> values;
  for (const oracle::Tree& tree : forest.trees()) {
    if (!std::isfinite(static_cast<double>(tree.score))) continue;
    int wrong = 0;
    for (std::size_t d = 1; d < c.gold.heads.size(); ++d) {
      wrong += tree.heads[d] != c.gold.heads[d] || tree.labels[d] != c.gold.labels[d] ? 1 : 0;
    }
    risk += tree.prob * wrong;
    values.push_back(tree.score - gold + loss.gamma * wrong);
    most = std::max(most, values.back());
  }
  if (loss.kind == Loss::Kind::expected_cost) return static_cast<double>(risk);
  if (std::isinf(loss.beta)) return static_cast<double>(most);
  long double sum = 0;
  for (const long double value : values) sum += std::exp(loss.beta * (value - most));
  return static_cast<double>(most + std::log(sum) / loss.beta);
}

LabelledArcObjective objective(const Case& c, const LabelledMatrix& scores, Loss loss, oracle::Kind kind) {
  return kind == oracle::Kind::any ? structured_loss(scores, c.gold, c.root, loss)
                                   : structured_projective_loss(scores, c.gold, c.root, loss);
}

TEST(LabelledLoss, IsTheSumOverAllLabelledTrees) {
  for (const oracle::Kind kind : {oracle::Kind::any, oracle::Kind::projective}) {
    for (const Case& c : cases(kind)) {
      for (const Loss loss : {kCrfLoss, kSvmLoss, kPerceptronLoss, kSoftmaxMarginLoss, kRiskLoss, Loss{3.0, 1.0}}) {
        EXPECT_NEAR(objective(c, c.scores, loss, kind).value, by_enumeration(c, loss, kind), 1e-9)
            << "beta " << loss.beta << " gamma " << loss.gamma;
      }
    }
  }
}

TEST(LabelledLoss, HasTheRightGradient) {
  for (const oracle::Kind kind : {oracle::Kind::any, oracle::Kind::projective}) {
    for (const Case& c : cases(kind)) {
      if (c.gold.heads.size() < 4) continue;
      for (const Loss loss : {kCrfLoss, kSoftmaxMarginLoss, kRiskLoss, Loss{0.5, 2.5}}) {
        const auto value = [&](const LabelledMatrix& s) { return objective(c, s, loss, kind).value; };
        expect_gradient(value, c.scores, objective(c, c.scores, loss, kind).gradient, 1e-6, "loss");
      }
    }
  }
}

TEST(LabelledLoss, OfTheBestTreeHasASubgradient) {
  graphs::Random random(11);
  for (const Case& c : cases(oracle::Kind::any)) {
    for (const Loss loss : {kSvmLoss, kPerceptronLoss}) {
      const LabelledArcObjective at = structured_loss(c.scores, c.gold, c.root, loss);
      for (int trial = 0; trial < 10; ++trial) {
        const LabelledMatrix move = graphs::normal(c.scores.words(), c.scores.labels(), 1.0, random);
        LabelledMatrix other = c.scores;
        double linear = at.value;
        for (std::size_t i = 0; i < other.size(); ++i) {
          if (!std::isfinite(other.data()[i])) continue;
          other.data()[i] += move.data()[i];
          linear += at.gradient.data()[i] * move.data()[i];
        }
        EXPECT_GE(structured_loss(other, c.gold, c.root, loss).value, linear - 1e-9);
      }
    }
  }
}

TEST(LabelledLoss, OfACrfIsTheLogLikelihoodOfTheDistribution) {
  for (const Case& c : cases(oracle::Kind::any)) {
    const LabelledTreeDistribution p(c.scores, c.root);
    const LabelledArcObjective crf = structured_loss(c.scores, c.gold, c.root, kCrfLoss);
    EXPECT_NEAR(crf.value, -p.log_prob(c.gold.heads, c.gold.labels), 1e-9);
    const LabelledArcObjective risky = structured_loss(c.scores, c.gold, c.root, kRiskLoss);
    EXPECT_NEAR(risky.value, c.scores.words() * (1.0 - risk(p, c.gold)), 1e-9);
    const LabelledMatrix gradient = risk_gradient(p, c.gold);
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      EXPECT_NEAR(risky.gradient.data()[i], -c.scores.words() * gradient.data()[i], 1e-9);
    }
  }
}

TEST(LabelledLoss, RefusesBadArguments) {
  LabelledMatrix s(2, 2);
  const auto refused = [&](const Gold& gold, Loss loss = kCrfLoss) {
    return message_of<InputError>([&] { structured_loss(s, gold, Root::single, loss); });
  };
  EXPECT_NE(refused({{-1, 0, 0}, {0, 0, 0}}).find("[structured_loss]"), std::string::npos);
  EXPECT_EQ(refused({{-1, 0, 1}, {}}), "[structured_loss] gold: must have a label for each word");
  EXPECT_EQ(refused({{-1, 0, 1}, {0, 0, 2}}), "[structured_loss] gold: has an unknown label");
  EXPECT_NE(refused({{-1, 0, 1}, {0, 0, 0}}, {-1.0, 0.0}).find("beta"), std::string::npos);
  s(1, 2, 0) = -kInf;
  EXPECT_EQ(refused({{-1, 0, 1}, {0, 0, 0}}), "[structured_loss] gold: has an impossible arc or label");
  s(0, 1, 1) = NAN;
  EXPECT_EQ(refused({{-1, 0, 1}, {0, 0, 1}}), "[structured_loss] scores: must be finite or -inf");
  EXPECT_THROW(
      structured_projective_loss(LabelledMatrix(4, 1), {{-1, 3, 4, 0, 3}, {0, 0, 0, 0, 0}}, Root::single, kCrfLoss),
      InputError);
}

}  // namespace
}  // namespace kirchhoff
