// The HEAD factor against the list of its configurations.
#include "dependency/parts.hpp"
#include "dependency/random_parts.hpp"
#include "dependency/second_order.hpp"
#include "kirchhoff/solve.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kirchhoff::dependency {
namespace {

using factor::HeadFactor;

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
  const DependencyParts parts = list_parts(words, c, kNextSiblings);
  const auto scores = normal(parts.size(), 1.5, random);
  std::vector<double> marginals(parts.size(), 0.0);
  for (const HeadParts& head : parts.heads) {
    const std::size_t arity = head.in.size() + head.out[0].size() + head.out[1].size();
    if (arity == 0) continue;
    const HeadFactor factor(head.shape(), scores);
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
    std::vector<double> listed(arity);
    EXPECT_NEAR(factor.max_product(q, messages), factor.Factor::max_product(q, listed), 1e-12);
    for (std::size_t i = 0; i < arity; ++i) {
      if (std::isinf(q[i])) continue;
      if (std::isinf(listed[i])) {
        EXPECT_EQ(messages[i], listed[i]);
      } else {
        EXPECT_NEAR(messages[i], listed[i], 1e-11);
      }
    }
    factor.sum_product_of_values(q, messages);
    for (std::size_t i = 0; i < head.in.size(); ++i) {  // log-weights, up to a constant
      if (std::isinf(q[i]) || std::isinf(q[0]) || expected.on[i] == 0.0 || expected.on[0] == 0.0) continue;
      EXPECT_NEAR(messages[i] - messages[0], std::log(expected.on[i] / expected.on[0]) - (q[i] - q[0]), 1e-11);
    }
    factor.add_marginals(q, marginals);
    for (std::size_t p = 0; p < parts.size(); ++p) {  // the derivatives of log Z
      auto high = scores, low = scores;
      high[p] += 1e-5;
      low[p] -= 1e-5;
      const double up = HeadFactor(head.shape(), high).sum_product(q, messages).log_partition;
      const double down = HeadFactor(head.shape(), low).sum_product(q, messages).log_partition;
      if (up != down) {
        EXPECT_NEAR(marginals[p], (up - down) / 2e-5, 1e-8);
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, HeadFactorTest, testing::Range(0, 30));

// The exact search propagates what it has fixed by max_product, also where a word has more than 16 arcs.
TEST(HeadFactor, ExactSearchTakesLongSentences) {
  Random random(6);
  constexpr int kWords = 20;
  const Candidates c = random_candidates(kWords, 0.5, graphs::random_tree(kWords, random), random);
  const DependencyParts parts = list_parts(kWords, c, kNextSiblings);
  const auto arc_scores = normal(c.size(), 3.0, random), part_scores = normal(parts.size(), 0.3, random);
  const FactorGraph graph = part_graph({parts, c, Root::single, arc_scores, part_scores});
  int widest = 0;
  for (int f = 0; f + 1 < graph.factors(); ++f) widest = std::max(widest, graph.factor(f).arity());
  ASSERT_GT(widest, Factor::kEnumerable);
  const MapResult exact = solve_ad3(graph, {.search = Search::exact});
  EXPECT_EQ(exact.status, Status::converged);
  EXPECT_NEAR(exact.value, score(graph, exact.assignment), 1e-9);
  EXPECT_GE(exact.value, solve_ad3(graph).value - 1e-9);
}

TEST(HeadFactor, KeepsItsDigitsForStrongMessages) {
  Random random(5);
  const Candidates c = random_candidates(5, 1.0, graphs::random_tree(5, random), random);
  const DependencyParts parts = list_parts(5, c, kNextSiblings);
  const auto scores = normal(parts.size(), 1.0, random);
  const HeadFactor factor(parts.heads[3].shape(), scores);
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

}  // namespace
}  // namespace kirchhoff::dependency
