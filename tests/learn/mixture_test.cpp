// The best mixture of a table's entries against all basic solutions of its linear program.
#include "learn/mixture.hpp"
#include "learn/entries.hpp"

#include "kirchhoff/factor_graph.hpp"

#include <gtest/gtest.h>
#include <Eigen/LU>

#include <cmath>
#include <random>

namespace kirchhoff::learn {
namespace {

/// Entries as columns: the inputs that are 1, and a last row of ones. `sizes` are those of the groups.
Matrix columns(const std::vector<int>& sizes) {
  std::vector<std::vector<double>> all = {{}};
  for (const int size : sizes) {
    std::vector<std::vector<double>> longer;
    for (const auto& start : all) {
      for (int state = 0; state < std::max(size, 2); ++state) {
        longer.push_back(start);
        for (int i = 0; i < size; ++i) longer.back().push_back(size == 1 ? state : i == state ? 1 : 0);
      }
    }
    all = longer;
  }
  Matrix result(static_cast<Eigen::Index>(all[0].size()) + 1, static_cast<Eigen::Index>(all.size()));
  for (std::size_t e = 0; e < all.size(); ++e) {
    for (std::size_t i = 0; i < all[e].size(); ++i) result(i, e) = all[e][i];
    result(result.rows() - 1, e) = 1.0;
  }
  return result;
}

/// The best score of a mixture with these means: an optimal one has a linearly independent set of entries.
double by_bases(const Matrix& a, const Vector& right, const std::vector<double>& scores) {
  const auto rank = Eigen::FullPivLU<Matrix>(a).rank();
  double best = -HUGE_VAL;
  for (unsigned set = 0; set < 1U << scores.size(); ++set) {
    if (__builtin_popcount(set) != rank) continue;
    std::vector<Eigen::Index> chosen;
    for (std::size_t e = 0; e < scores.size(); ++e) {
      if ((set >> e & 1U) != 0) chosen.push_back(static_cast<Eigen::Index>(e));
    }
    const Matrix basis = a(Eigen::all, chosen);
    const Vector t = basis.fullPivLu().solve(right);
    if ((basis * t - right).norm() > 1e-9 || t.minCoeff() < -1e-9) continue;
    double score = 0.0;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      const double own = scores[static_cast<std::size_t>(chosen[k])];
      if (t[static_cast<Eigen::Index>(k)] > 1e-9) score += t[static_cast<Eigen::Index>(k)] * own;
    }
    best = std::max(best, score);
  }
  return best;
}

class Mixtures : public testing::TestWithParam<std::vector<int>> {};

TEST_P(Mixtures, AreOptimal) {
  const std::vector<int>& sizes = GetParam();
  std::mt19937 random(4);
  std::normal_distribution<double> normal(0.0, 2.0);
  const Matrix a = columns(sizes);
  for (int trial = 0; trial < 40; ++trial) {
    FactorGraph graph;
    std::vector<Literals> groups;
    for (const int size : sizes) {
      groups.emplace_back();
      for (int i = 0; i < size; ++i) groups.back().push_back(graph.add_variable());
    }
    std::vector<double> scores;
    Vector weights = Vector::Zero(a.cols());
    for (double& w : weights) {
      // Scores that tie, and means of few entries, which make bases degenerate.
      scores.push_back(trial % 4 == 1 ? std::round(normal(random)) : normal(random));
      w = trial % 4 == 2 && random() % 3 != 0 ? 0.0 : std::exp(normal(random));
    }
    if (weights.sum() == 0.0) weights[0] = 1.0;
    if (trial % 4 == 3) weights = Vector::Unit(a.cols(), static_cast<Eigen::Index>(random()) % a.cols());
    for (std::size_t e = 0; trial % 5 == 0 && e < scores.size(); ++e) {
      if (random() % 4 == 0 && weights[static_cast<Eigen::Index>(e)] < 1.0) {
        scores[e] = -HUGE_VAL;
        weights[static_cast<Eigen::Index>(e)] = 0.0;
      }
    }
    weights /= weights.sum();
    const Vector right = a * weights;
    graph.add_table(groups, scores);
    const std::vector<double> means(right.data(), right.data() + right.size() - 1);
    const std::vector<double> t = best_mixture(graph.factor(0), means);
    ASSERT_EQ(t.size(), scores.size());
    double score = 0.0;
    Vector found = Vector::Zero(right.size());
    for (std::size_t e = 0; e < t.size(); ++e) {
      EXPECT_GE(t[e], 0.0);
      EXPECT_TRUE(scores[e] != -HUGE_VAL || t[e] == 0.0);
      if (t[e] > 0.0) score += t[e] * scores[e];
      found += t[e] * a.col(static_cast<Eigen::Index>(e));
    }
    EXPECT_LT((found - right).norm(), 1e-9);
    std::vector<double> finite = scores;
    for (double& s : finite) s = s == -HUGE_VAL ? -1e6 : s;  // too low to be in a best mixture
    EXPECT_NEAR(score, by_bases(a, right, finite), 1e-8);
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, Mixtures,
                         testing::Values(std::vector<int>{3, 3}, std::vector<int>{1, 1}, std::vector<int>{1, 1, 1},
                                         std::vector<int>{4, 1}, std::vector<int>{2, 2, 1}, std::vector<int>{3, 4}));

TEST(Mixture, OfMeansThatAreNoMixturesIsNear) {
  FactorGraph graph;
  const Literals colour = {graph.add_variable(), graph.add_variable(), graph.add_variable()};
  graph.add_table(std::vector<Literals>{colour}, {0.0, 1.0, 2.0});
  const std::vector<double> t = best_mixture(graph.factor(0), std::vector<double>{0.5, 0.3, 0.2 + 1e-4});
  EXPECT_NEAR(t[0], 0.5, 1e-3);
  EXPECT_NEAR(t[1], 0.3, 1e-3);
  EXPECT_NEAR(t[2], 0.2, 1e-3);
  EXPECT_NEAR(t[0] + t[1] + t[2], 1.0, 1e-12);
}

TEST(Mixture, OfALargeTableIsFound) {
  FactorGraph graph;
  constexpr int kValues = 40;
  std::vector<Literals> groups(2);
  for (Literals& group : groups) {
    for (int i = 0; i < kValues; ++i) group.push_back(graph.add_variable());
  }
  // Scores of a transport on a line, whose best plan for equal means is the diagonal.
  std::vector<double> scores;
  for (int i = 0; i < kValues; ++i) {
    for (int j = 0; j < kValues; ++j) scores.push_back(-std::abs(i - j));
  }
  graph.add_table(groups, scores);
  const std::vector<double> means(2 * kValues, 1.0 / kValues);
  const std::vector<double> t = best_mixture(graph.factor(0), means);
  for (int i = 0; i < kValues; ++i) EXPECT_NEAR(t[static_cast<std::size_t>(i * kValues + i)], 1.0 / kValues, 1e-9);
}

/// A sequence and a rooted tree with counts, whose configurations are few enough to list.
TEST(Mixture, OfPartsIsThatOfConfigurations) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal(0.0, 2.0);
  for (int trial = 0; trial < 40; ++trial) {
    FactorGraph graph;
    const auto variables = [&](int count) {
      Literals all;
      for (int i = 0; i < count; ++i) all.push_back(graph.add_variable());
      return all;
    };
    const std::vector<Literals> groups = {variables(3), variables(1), variables(3)};
    std::vector<double> scores(12), counts(3);
    for (double& s : scores) s = normal(random);
    for (double& s : counts) s = normal(random);
    if (trial % 3 == 0) scores[4] = -HUGE_VAL;
    const bool is_sequence = trial % 2 == 0;
    if (is_sequence) {
      graph.add_sequence(groups, scores);
    } else {
      graph.add_rooted_tree({groups, {-1, 0, 1}, scores, {0, 1, 2}, counts, {{1, counts}}});
    }
    const Factor& factor = graph.factor(0);
    // Any mixture gives means.
    std::vector<double> means(static_cast<std::size_t>(factor.arity()), 0.0);
    double sum = 0.0;
    for (unsigned e = 0; e < 1U << factor.arity(); ++e) {
      std::vector<std::uint8_t> y;
      for (int i = 0; i < factor.arity(); ++i) y.push_back(e >> i & 1U);
      if (factor.score(y) == -HUGE_VAL || random() % 3 != 0) continue;
      const double weight = std::exp(normal(random));
      sum += weight;
      for (std::size_t i = 0; i < y.size(); ++i) means[i] += weight * y[i];
    }
    ASSERT_GT(sum, 0.0);
    for (double& m : means) m /= sum;
    double expected = 0.0, found = 0.0;
    std::size_t index = 0;
    const std::vector<double> listed = best_mixture(factor, means);
    for_each_entry(factor, [&](std::size_t, Configuration, double s) {
      if (listed[index] > 0.0) expected += listed[index] * s;
      ++index;
    });
    const auto& own = dynamic_cast<const factor::PartsFactor&>(factor);
    const std::vector<double> parts = best_parts(own, means), own_scores = own.own_scores();
    std::vector<double> transitions(2, 0.0);
    for (std::size_t k = 0; k < parts.size(); ++k) {
      EXPECT_GE(parts[k], 0.0);
      if (parts[k] > 0.0) found += parts[k] * own_scores[k];
      if (k < 12) transitions[k < 6 ? 0 : 1] += parts[k];
    }
    EXPECT_NEAR(found, expected, 1e-8);
    EXPECT_NEAR(transitions[0], 1.0, 1e-9);
    EXPECT_NEAR(transitions[1], 1.0, 1e-9);
  }
}

}  // namespace
}  // namespace kirchhoff::learn
