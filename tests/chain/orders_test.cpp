// Chains of higher order against all sequences of their tags.
#include "kirchhoff/chain_orders.hpp"
#include "kirchhoff/chain_paths.hpp"
#include "support/message_of.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

namespace kirchhoff {
namespace {

struct Case {
  int order, length, tags;
};

class ChainOrders : public ::testing::TestWithParam<Case> {};

TEST_P(ChainOrders, AreThoseOfAllSequences) {
  const auto [order, length, tags] = GetParam();
  std::mt19937_64 random(static_cast<std::uint64_t>(order * 100 + length * 10 + tags));
  std::normal_distribution<double> normal;
  int runs = 1;
  for (int k = 0; k < order; ++k) runs *= tags;
  const Matrix emissions = Matrix::NullaryExpr(length, tags, [&] { return normal(random); });
  const Matrix ngrams = Matrix::NullaryExpr(static_cast<Eigen::Index>(length - order) * runs, tags,
                                            [&] { return random() % 8 == 0 ? -HUGE_VAL : normal(random); });
  std::map<Tags, double> scores;
  double z = 0.0;
  for (Tags y(length, 0);;) {
    double score = 0.0;
    for (int t = 0; t < length; ++t) score += emissions(t, y[t]);
    for (int t = 0; t + order < length; ++t) {
      int run = 0;
      for (int k = 0; k < order; ++k) run = run * tags + y[t + k];
      score += ngrams(static_cast<Eigen::Index>(t) * runs + run, y[t + order]);
    }
    if (score > -HUGE_VAL) scores[y] = score;
    z += std::exp(score);
    int t = length - 1;
    while (t >= 0 && ++y[t] == tags) y[t--] = 0;
    if (t < 0) break;
  }
  const ChainDistribution p(higher_order(emissions, ngrams, order));
  EXPECT_NEAR(p.log_partition(), std::log(z), 1e-12);
  EXPECT_NEAR(p.log_count(), std::log(static_cast<double>(scores.size())), 1e-12);
  const std::vector<TagSequence> all = k_best_tags(p, static_cast<int>(scores.size()) + 5);
  ASSERT_EQ(all.size(), scores.size());
  for (const TagSequence& s : all) {
    const auto found = scores.find(tags_of_states(s.tags, tags, order));
    ASSERT_NE(found, scores.end());
    EXPECT_NEAR(s.score, found->second, 1e-12);
    scores.erase(found);
  }
}
INSTANTIATE_TEST_SUITE_P(Shapes, ChainOrders,
                         ::testing::Values(Case{1, 1, 2}, Case{1, 4, 3}, Case{2, 2, 2}, Case{2, 5, 2}, Case{2, 4, 3},
                                           Case{3, 3, 2}, Case{3, 6, 2}, Case{4, 6, 2}, Case{3, 5, 1}));

TEST(ChainOrder, Refuses) {
  const auto order = [](int length, int tags, Eigen::Index rows, int m) {
    return message_of<InputError>([=] { higher_order(Matrix::Zero(length, tags), Matrix::Zero(rows, tags), m); });
  };
  EXPECT_EQ(order(3, 2, 4, 4), "[higher_order] order 4 is more than the 3 positions");
  EXPECT_EQ(order(3, 2, 3, 2), "[higher_order] ngrams: 3x2, expected 4x2");
  EXPECT_EQ(order(3, 2, 3, 0), "[higher_order] order 0 and 2 tags, expected at least 1 of each");
  EXPECT_EQ(order(9, 50, 3, 3), "[higher_order] 50^3 runs of tags, more than 30000");
  EXPECT_THROW(tags_of_states({4}, 2, 2), InputError);
  EXPECT_THROW(tags_of_states({-1}, 2, 2), InputError);
  EXPECT_EQ(message_of<InputError>([] {
              tags_of_states({1, 0}, 2, 2);
            }),
            "[tags_of_states] run 0 does not go on from run 1");
  EXPECT_EQ(tags_of_states({1, 2, 0}, 2, 2), (Tags{0, 1, 0, 0}));
  EXPECT_TRUE(tags_of_states({}, 2, 2).empty());
}

}  // namespace
}  // namespace kirchhoff
