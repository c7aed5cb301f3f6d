// The HEAD factor against the list of its configurations, and second-order inference against the list of all trees.
#include "parser/inference/second_order.hpp"
#include "kirchhoff/solve.hpp"
#include "parser/inference/head_factor.hpp"
#include "support/graphs.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace kirchhoff::parser {
namespace {

using graphs::Random;

Candidates random_candidates(int words, double density, const Heads& tree, Random& random) {
  std::bernoulli_distribution keep(density);
  Candidates c;
  c.begin = {0, 0};
  for (int d = 1; d <= words; ++d) {
    for (int h = 0; h <= words; ++h) {
      if (h != d && (h == tree[static_cast<std::size_t>(d)] || keep(random))) {
        c.heads.push_back(static_cast<std::uint16_t>(h));
      }
    }
    c.begin.push_back(static_cast<std::uint32_t>(c.heads.size()));
  }
  return c;
}

std::vector<double> normal(std::size_t count, double s, Random& random) {
  std::normal_distribution<double> draw;
  std::vector<double> values(count);
  for (double& v : values) v = s * draw(random);
  return values;
}

struct Listed {
  double log_partition = -HUGE_VAL;
  double expected_score = 0.0;
  double best = -HUGE_VAL;
  std::vector<double> on, off;  ///< sums of weights
};

Listed list(const Factor& factor, const std::vector<double>& q) {
  const auto n = static_cast<std::size_t>(factor.arity());
  Listed r{-HUGE_VAL, 0.0, -HUGE_VAL, std::vector<double>(n, 0.0), std::vector<double>(n, 0.0)};
  std::vector<std::uint8_t> y(n);
  double sum = 0.0;
  for (std::size_t bits = 0; bits < std::size_t{1} << n; ++bits) {
    double value = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      y[i] = static_cast<std::uint8_t>(bits >> i & 1U);
      if (std::isinf(q[i])) {
        if ((q[i] > 0.0) != (y[i] == 1)) value = -HUGE_VAL;
      } else if (y[i] == 1) {
        value += q[i];
      }
    }
    const double score = factor.score(y);
    value += score;
    if (value == -HUGE_VAL) continue;
    r.best = std::max(r.best, value);
    const double w = std::exp(value);
    sum += w;
    r.expected_score += w * score;
    for (std::size_t i = 0; i < n; ++i) (y[i] == 1 ? r.on : r.off)[i] += w;
  }
  r.log_partition = std::log(sum);
  r.expected_score /= sum;
  return r;
}

class HeadFactorTest : public testing::TestWithParam<int> {};

TEST_P(HeadFactorTest, EqualsTheListOfConfigurations) {
  Random random(static_cast<unsigned>(GetParam()));
  const int words = 4 + GetParam() % 2;
  const Candidates c = random_candidates(words, 0.8, graphs::random_tree(words, random), random);
  const SecondParts parts = list_parts(words, c);
  const auto scores = normal(parts.size(), 1.5, random);
  std::vector<double> marginals(parts.size(), 0.0);
  for (const HeadParts& head : parts.heads) {
    const std::size_t arity = head.in.size() + head.out[0].size() + head.out[1].size();
    if (arity == 0) continue;
    const HeadFactor factor(head, scores);
    std::vector<double> q = normal(arity, 2.0, random);
    if (GetParam() % 3 == 1) q[arity - 1] = HUGE_VAL;
    if (GetParam() % 3 == 2) q[0] = -HUGE_VAL;
    const Listed expected = list(factor, q);
    std::vector<double> messages(arity);
    const Factor::Sum sum = factor.sum_product(q, messages);
    std::vector<std::uint8_t> y(arity);
    const double best = factor.best(q, y);
    if (expected.best == -HUGE_VAL) {
      EXPECT_EQ(sum.log_partition, -HUGE_VAL);
      EXPECT_EQ(best, -HUGE_VAL);
      continue;
    }
    EXPECT_NEAR(sum.log_partition, expected.log_partition, 1e-12);
    EXPECT_NEAR(sum.expected_score, expected.expected_score, 1e-11);
    for (std::size_t i = 0; i < arity; ++i) {
      if (std::isinf(q[i])) {
        EXPECT_EQ(messages[i], 0.0);
      } else if (expected.off[i] == 0.0 || expected.on[i] == 0.0) {
        EXPECT_EQ(messages[i], expected.off[i] == 0.0 ? HUGE_VAL : -HUGE_VAL);
      } else {
        EXPECT_NEAR(messages[i], std::log(expected.on[i] / expected.off[i]) - q[i], 1e-11);
      }
    }
    EXPECT_NEAR(best, expected.best, 1e-12);
    double value = factor.score(y);
    for (std::size_t i = 0; i < arity; ++i) {
      if (y[i] == 1 && !std::isinf(q[i])) value += q[i];
      if (std::isinf(q[i])) {
        EXPECT_EQ(y[i] == 1, q[i] > 0.0);
      }
    }
    EXPECT_NEAR(value, best, 1e-12);
    factor.add_marginals(q, marginals);
    for (std::size_t p = 0; p < parts.size(); ++p) {  // the derivatives of log Z
      auto high = scores, low = scores;
      high[p] += 1e-5;
      low[p] -= 1e-5;
      const double up = HeadFactor(head, high).sum_product(q, messages).log_partition;
      const double down = HeadFactor(head, low).sum_product(q, messages).log_partition;
      if (up != down) {
        EXPECT_NEAR(marginals[p], (up - down) / 2e-5, 1e-8);
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, HeadFactorTest, testing::Range(0, 30));

TEST(HeadFactor, KeepsItsDigitsForStrongMessages) {
  Random random(5);
  const Candidates c = random_candidates(5, 1.0, graphs::random_tree(5, random), random);
  const SecondParts parts = list_parts(5, c);
  const auto scores = normal(parts.size(), 1.0, random);
  const HeadFactor factor(parts.heads[3], scores);
  std::vector<double> q = normal(static_cast<std::size_t>(factor.arity()), 1.0, random), messages(q.size()),
                      again(q.size());
  factor.sum_product(q, messages);
  for (std::size_t i = 0; i < q.size(); ++i) {  // a message does not depend on what came from its input
    for (const double strong : {-400.0, -50.0, 50.0, 400.0}) {
      std::vector<double> other = q;
      other[i] = strong;
      factor.sum_product(other, again);
      EXPECT_NEAR(again[i], messages[i], 1e-9) << i << " " << strong;
      for (const double m : again) EXPECT_TRUE(std::isfinite(m));
    }
  }
  for (double& x : q) x = 1e4;
  factor.sum_product(q, messages);
  for (const double m : messages) EXPECT_TRUE(std::isfinite(m));
}

TEST(SecondParts, OfATreeAreThoseListedForIt) {
  Random random(7);
  for (int round = 0; round < 50; ++round) {
    const int words = 1 + round % 8;
    const Heads tree = graphs::random_tree(words, random);
    const Candidates c = random_candidates(words, 0.5, tree, random);
    const SecondParts parts = list_parts(words, c);
    const auto has = parts_of(parts, c, tree);
    const TreeParts expected = tree_parts(tree);
    std::multiset<Nodes> siblings, grands;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (has[p] == 0) continue;
      if (p < parts.siblings.size()) {
        siblings.insert(parts.siblings[p]);
      } else {
        grands.insert(parts.grands[p - parts.siblings.size()]);
      }
    }
    EXPECT_EQ(siblings, std::multiset<Nodes>(expected.siblings.begin(), expected.siblings.end()));
    EXPECT_EQ(grands, std::multiset<Nodes>(expected.grands.begin(), expected.grands.end()));
  }
}

/// All trees over the candidates with their second-order scores.
struct AllTrees {
  double log_partition = 0.0;
  std::vector<double> arcs, parts;
  double best = -HUGE_VAL;
};
AllTrees all_trees(const SecondParts& parts, const Candidates& c, Root root, const std::vector<double>& arc_scores,
                   const std::vector<double>& part_scores) {
  AllTrees r{0.0, std::vector<double>(c.size(), 0.0), std::vector<double>(parts.size(), 0.0), -HUGE_VAL};
  Matrix scores = Matrix::Constant(parts.words + 1, parts.words + 1, -HUGE_VAL);
  for (std::size_t i = 0; i < c.size(); ++i) scores(c.heads[i], parts.dependents[i]) = arc_scores[i];
  double sum = 0.0;
  const oracle::Forest forest(scores, root);
  for (const oracle::Tree& tree : forest.trees()) {
    if (std::isinf(static_cast<double>(tree.score))) continue;
    const auto has = parts_of(parts, c, tree.heads);
    auto value = static_cast<double>(tree.score);
    for (std::size_t p = 0; p < has.size(); ++p) value += has[p] != 0 ? part_scores[p] : 0.0;
    r.best = std::max(r.best, value);
    const double w = std::exp(value);
    sum += w;
    for (std::size_t p = 0; p < has.size(); ++p) r.parts[p] += has[p] != 0 ? w : 0.0;
    for (std::size_t i = 0; i < c.size(); ++i) r.arcs[i] += tree.heads[parts.dependents[i]] == c.heads[i] ? w : 0.0;
  }
  for (auto* list : {&r.arcs, &r.parts}) {
    for (double& x : *list) x /= sum;
  }
  r.log_partition = std::log(sum);
  return r;
}

/// Without second-order scores the arcs' beliefs are exact. The tree weights have the arcs' beliefs as marginals. How
/// close beliefs are else is an experience, not a theorem: mean absolute errors.
TEST(SecondOrder, BeliefsAreCloseToThoseOfAllTrees) {
  Random random(11);
  for (const auto& [strength, tolerance] : {std::pair(0.0, 1e-9), std::pair(0.3, 0.02), std::pair(1.0, 0.08)}) {
    double error = 0.0, count = 0.0;
    int converged = 0;
    for (int round = 0; round < 20; ++round) {
      const int words = 2 + round % 4;
      const Root root = graphs::kRoots[round % 2];
      const Candidates c = random_candidates(words, 0.6, graphs::random_tree(words, random), random);
      const SecondParts parts = list_parts(words, c);
      const auto arcs = normal(c.size(), 1.0, random), seconds = normal(parts.size(), strength, random);
      const AllTrees expected = all_trees(parts, c, root, arcs, seconds);
      const SecondBeliefs b =
          second_order_beliefs(parts, c, root, arcs, seconds, {.iterations = 500, .tolerance = 1e-11});
      converged += b.converged ? 1 : 0;
      EXPECT_NEAR(b.log_partition, expected.log_partition, strength == 0.0 ? 1e-9 : strength * words);
      for (std::size_t i = 0; i < c.size(); ++i) error += std::abs(b.arcs[i] - expected.arcs[i]);
      count += static_cast<double>(c.size());

      if (!b.converged) continue;
      Matrix weights = Matrix::Constant(words + 1, words + 1, -HUGE_VAL);
      for (std::size_t i = 0; i < c.size(); ++i) {
        weights(c.heads[i], parts.dependents[i]) = b.weights[i];
      }
      const TreeDistribution p(weights, root);
      const auto marginals = p.marginals();
      for (std::size_t i = 0; i < c.size(); ++i) {
        EXPECT_NEAR(marginals(c.heads[i], parts.dependents[i]), b.arcs[i], 1e-8);
      }
    }
    EXPECT_LT(error / count, tolerance);
    EXPECT_GE(converged, strength < 1.0 ? 20 : 18);  // of 20
    RecordProperty("mean_error_" + std::to_string(strength), std::to_string(error / count));
  }
}

TEST(SecondOrder, SurvivesEnormousScores) {
  Random random(19);
  for (const double strength : {30.0, 300.0, 1e4}) {
    for (int round = 0; round < 20; ++round) {
      const int words = 2 + round % 8;
      const Root root = graphs::kRoots[round % 2];
      const Candidates c = random_candidates(words, 0.5, graphs::random_tree(words, random), random);
      const SecondParts parts = list_parts(words, c);
      const auto arcs = normal(c.size(), strength, random), seconds = normal(parts.size(), strength, random);
      const SecondBeliefs b = second_order_beliefs(parts, c, root, arcs, seconds, {});
      EXPECT_TRUE(std::isfinite(b.log_partition));
      for (const auto* list : {&b.arcs, &b.parts}) {
        for (const double p : *list) EXPECT_TRUE(p >= 0.0 && p <= 1.0 + 1e-9) << p;
      }
      for (const double w : b.weights) EXPECT_TRUE(std::isfinite(w));
    }
  }
}

/// At a fixed point the derivatives of Bethe's log Z are the beliefs.
TEST(SecondOrder, BeliefsAreTheDerivativesOfLogZ) {
  Random random(17);
  constexpr BpEffort kLong{.iterations = 2000, .tolerance = 1e-13};
  constexpr double kStep = 1e-5;
  for (int round = 0; round < 6; ++round) {
    const int words = 3 + round % 4;
    const Root root = graphs::kRoots[round % 2];
    const Candidates c = random_candidates(words, 0.6, graphs::random_tree(words, random), random);
    const SecondParts parts = list_parts(words, c);
    auto arcs = normal(c.size(), 1.0, random), seconds = normal(parts.size(), 0.5, random);
    const SecondBeliefs b = second_order_beliefs(parts, c, root, arcs, seconds, kLong);
    ASSERT_TRUE(b.converged);
    const auto derivative = [&](double& score) {
      const double before = score;
      score = before + kStep;
      const double up = second_order_beliefs(parts, c, root, arcs, seconds, kLong).log_partition;
      score = before - kStep;
      const double down = second_order_beliefs(parts, c, root, arcs, seconds, kLong).log_partition;
      score = before;
      return (up - down) / (2.0 * kStep);
    };
    for (std::size_t i = 0; i < c.size(); i += 3) EXPECT_NEAR(derivative(arcs[i]), b.arcs[i], 1e-6);
    for (std::size_t p = 0; p < parts.size(); p += 7) EXPECT_NEAR(derivative(seconds[p]), b.parts[p], 1e-6);
  }
}

TEST(SecondOrder, TheBestTreeIsTheBestOfAllTrees) {
  Random random(13);
  int exact = 0;
  constexpr int kRounds = 60;
  for (int round = 0; round < kRounds; ++round) {
    const int words = 2 + round % 4;
    const Root root = graphs::kRoots[round % 2];
    const Candidates c = random_candidates(words, 0.7, graphs::random_tree(words, random), random);
    const SecondParts parts = list_parts(words, c);
    const auto arcs = normal(c.size(), 2.0, random), seconds = normal(parts.size(), 1.0, random);
    const AllTrees expected = all_trees(parts, c, root, arcs, seconds);
    const BestTree best = second_order_best(parts, c, root, arcs, seconds, {});
    EXPECT_LE(best.score, expected.best + 1e-9);
    exact += best.score > expected.best - 1e-9 ? 1 : 0;
    double value = 0.0;
    for (std::size_t i = 0; i < c.size(); ++i) value += best.heads[parts.dependents[i]] == c.heads[i] ? arcs[i] : 0.0;
    const auto has = parts_of(parts, c, best.heads);
    for (std::size_t p = 0; p < has.size(); ++p) value += has[p] != 0 ? seconds[p] : 0.0;
    EXPECT_NEAR(value, best.score, 1e-9);
  }
  EXPECT_GE(exact, kRounds * 9 / 10);  // the rest has a fractional relaxation
}

}  // namespace
}  // namespace kirchhoff::parser
