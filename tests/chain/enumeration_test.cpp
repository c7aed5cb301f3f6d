// Chains against the list of all their sequences, with scores of every size, for every method.
#include "chain/oracle.hpp"
#include "kirchhoff/chain_expectation.hpp"
#include "kirchhoff/chain_paths.hpp"
#include "support/compare.hpp"

#include <gtest/gtest.h>

namespace kirchhoff {
namespace {

using chains::kShapes;
using chains::random_chain;
using chains::random_function;
using chains::Real;
using chains::Sequences;
using chains::Shape;

// Weights are right to 1e-16 |score| in the fast method, whose scores are at most 100, and to 1e-16 in the robust one;
// there are at most 15 of them in a product.
constexpr Tolerance kClose{2e-13, 0};
constexpr Tolerance kValue{1e-11, 1e-12};  // of sums over all sequences, where numbers of both signs meet
constexpr double kScales[] = {0.0, 1.0, 20.0, 60.0, 1e3, 1e6, 1e11, 1e15, 1e30, 1e98};
constexpr Method kMethods[] = {Method::automatic, Method::fast, Method::robust};
/// Below this, logarithms of marginals need not be right, but must not be above it.
constexpr double kLowest = -1e11;

struct Listed {
  std::string name;
  ChainArrays scores;
  Sequences all;
};

std::vector<Listed> list_chains() {
  chains::Random random(17);
  std::vector<Listed> list;
  for (const Shape& shape : kShapes) {
    for (const double scale : kScales) {
      for (const double density : {2.0, 0.6}) {
        const ChainArrays scores = random_chain(shape.length, shape.tags, scale, density, random);
        list.push_back({chains::name(shape) + " tags, scale " + std::to_string(scale), scores, Sequences(scores)});
      }
    }
  }
  return list;
}

template <class Check>
void for_each_chain(const Check& check) {
  static const std::vector<Listed> list = list_chains();
  chains::Random random(19);
  for (const Listed& each : list) {
    SCOPED_TRACE(each.name);
    check(each.scores, each.all, random);
  }
}

void expect_marginals(const ChainArrays& p, const ChainArrays& logs, const Sequences& all) {
  const auto compare = [&](double actual, double log, int t, int i, int j) {
    EXPECT_TRUE(close(actual, all.marginal(t, i, j), {kClose.relative, 1e-300})) << t << ": " << i << ", " << j;
    const Real expected = all.log_marginal(t, i, j);
    if (expected < kLowest) {
      EXPECT_LT(log, kLowest * 0.999) << t << ": " << i << ", " << j;
    } else {
      EXPECT_TRUE(close(log, expected, {1e-13, 1e-12})) << t << ": " << i << ", " << j;
    }
  };
  for (int t = 0; t < p.length(); ++t) {
    for (int j = 0; j < p.tags(); ++j) {
      compare(p.emission(t, j), logs.emission(t, j), t, -1, j);
      for (int i = 0; t > 0 && i < p.tags(); ++i) compare(p.transition(t, i, j), logs.transition(t, i, j), t, i, j);
    }
  }
}

TEST(Chain, PartitionAndMarginals) {
  for_each_chain([](const ChainArrays& scores, const Sequences& all, chains::Random&) {
    for (const Method method : kMethods) {
      const ChainDistribution p(scores, method);
      EXPECT_TRUE(close(p.log_partition(), all.log_partition(), {1e-14, 2e-13}));
      expect_marginals(p.marginals(), p.log_marginals(), all);
      EXPECT_TRUE(close(p.log_count(), std::log(static_cast<Real>(all.size())), kClose));
      EXPECT_EQ(p.report().method == Method::robust, p.report().extended);
      EXPECT_TRUE(method != Method::robust || p.report().extended);
    }
  });
}

TEST(Chain, ProbabilitiesOfAllSequences) {
  for_each_chain([](const ChainArrays& scores, const Sequences& all, chains::Random& random) {
    const ChainDistribution p(scores);
    for (std::size_t k = 0; k < all.size(); ++k) {
      EXPECT_TRUE(close(p.log_prob(all[k]), all.log_p(k), kValue)) << testing::PrintToString(all[k]);
    }
    for (int repeat = 0; repeat < 20; ++repeat) {
      Tags tags(scores.length());
      for (int& tag : tags) tag = static_cast<int>(random() % static_cast<unsigned>(scores.tags()));
      EXPECT_EQ(all.number(tags) == all.size(), p.log_prob(tags) == -HUGE_VAL);
    }
  });
}

TEST(Chain, Information) {
  for_each_chain([](const ChainArrays& scores, const Sequences& all, chains::Random& random) {
    const ChainDistribution p(scores);
    EXPECT_TRUE(close(entropy(p), all.entropy(), kValue));
    EXPECT_TRUE(close(renyi(p, 0.0), std::log(static_cast<Real>(all.size())), kValue));
    EXPECT_TRUE(close(renyi(p, 1.0), all.entropy(), kValue));
    for (const double alpha : {0.25, 0.9, 1.5, 3.0, 1e5, 1e70, 1e300}) {
      EXPECT_TRUE(close(renyi(p, alpha), all.renyi(alpha), kValue)) << alpha;
    }
    const double scale = random() % 2 == 0 ? 1.0 : 1e14;
    const ChainArrays other = random_chain(scores.length(), scores.tags(), scale, 2.0, random);
    const ChainDistribution q(other);
    const Sequences others(other);
    EXPECT_TRUE(close(cross_entropy(p, q), all.cross_entropy(others), kValue));
    EXPECT_TRUE(close(kl(p, q), all.cross_entropy(others) - all.entropy(), kValue));
    EXPECT_TRUE(close(cross_entropy(q, p), others.cross_entropy(all), kValue));
    EXPECT_EQ(kl(p, p), 0.0);
  });
}

// Near alpha = 1 the quotient is 0 / 0, and a series takes over.
TEST(Chain, RenyiNearShannon) {
  chains::Random random(5);
  const ChainArrays scores = random_chain(5, 3, 2.0, 0.8, random);
  const ChainDistribution p(scores);
  const Sequences all(scores);
  for (const double gap : {1e-12, 1e-8, 1e-6, 1e-4, 9.9e-4, 1.01e-3, 1e-2}) {
    for (const double alpha : {1.0 - gap, 1.0 + gap}) {
      // The oracle's quotient itself has an error of 1e-19 / gap.
      EXPECT_TRUE(close(renyi(p, alpha), all.renyi(alpha), {1e-11, 1e-18 / gap})) << alpha;
    }
  }
}

TEST(Chain, Moments) {
  for_each_chain([](const ChainArrays& scores, const Sequences& all, chains::Random& random) {
    const ChainDistribution p(scores);
    std::vector<ChainArrays> r, s;
    for (int k = 0; k < 2; ++k) r.push_back(random_function(scores.length(), scores.tags(), random));
    for (int k = 0; k < 3; ++k) s.push_back(random_function(scores.length(), scores.tags(), random));
    const Vector mean = expectation(p, s);
    const Matrix product = second_order(p, r, s), centred = covariance(p, r, s);
    for (int b = 0; b < 3; ++b) {
      EXPECT_TRUE(close(mean[b], all.mean(s[b]), kValue));
      for (int a = 0; a < 2; ++a) {
        const Real expected = all.covariance(r[a], s[b]);
        EXPECT_TRUE(close(centred(a, b), expected, kValue));
        EXPECT_TRUE(close(product(a, b), expected + all.mean(r[a]) * all.mean(s[b]), kValue));
      }
    }
    const Vector kappa = cumulants(p, r[0], 6);
    const std::vector<Real> expected = all.cumulants(r[0], 6);
    for (int k = 0; k <= 6; ++k) EXPECT_TRUE(close(kappa[k], expected[k], {1e-10, 1e-10})) << "cumulant " << k;
  });
}

TEST(Chain, BestSequencesInOrder) {
  for_each_chain([](const ChainArrays& scores, const Sequences& all, chains::Random&) {
    const ChainDistribution p(scores);
    std::vector<Real> expected;
    for (std::size_t k = 0; k < all.size(); ++k) expected.push_back(all.log_p(k));
    std::sort(expected.rbegin(), expected.rend());
    const std::vector<TagSequence> found = k_best_tags(p, static_cast<int>(all.size()) + 3);
    ASSERT_EQ(found.size(), all.size());
    std::vector<char> seen(all.size(), 0);
    // Scores are compared after additions, so sequences whose scores agree to rounding may change places.
    const double largest = scores.emissions.unaryExpr([](double x) { return std::isinf(x) ? 0.0 : std::abs(x); }).sum();
    for (std::size_t k = 0; k < found.size(); ++k) {
      const std::size_t at = all.number(found[k].tags);
      ASSERT_LT(at, all.size());
      EXPECT_EQ(seen[at]++, 0);
      EXPECT_TRUE(close(found[k].log_prob, expected[k], {kValue.relative, 1e-12 + 1e-14 * largest})) << k;
      EXPECT_TRUE(close(found[k].score, Sequences::value(scores, found[k].tags), {1e-14, 1e-300}));
    }
    EXPECT_EQ(best_tags(p).tags, found[0].tags);
    EXPECT_EQ(k_best_tags(p, 1)[0].tags, found[0].tags);
    EXPECT_TRUE(k_best_tags(p, 0).empty());
  });
}

TEST(Chain, MinimumBayesRisk) {
  for_each_chain([](const ChainArrays& scores, const Sequences& all, chains::Random&) {
    Real best = -1;
    const auto gain = [&](const Tags& tags) {
      Real sum = 0;
      for (int t = 0; t < scores.length(); ++t) sum += all.marginal(t, -1, tags[t]);
      return sum;
    };
    for (std::size_t k = 0; k < all.size(); ++k) best = std::max(best, gain(all[k]));
    const TagSequence found = mbr_tags(ChainDistribution(scores));
    ASSERT_LT(all.number(found.tags), all.size());
    EXPECT_TRUE(close(static_cast<double>(gain(found.tags)), best, {1e-13, 0}));
  });
}

template <class Make>
void expect_partition(const Make& make, const Sequences& all) {
  if (all.size() == 0) {
    EXPECT_THROW(make(), Infeasible);
  } else {
    EXPECT_TRUE(close(make().log_partition(), all.log_partition(), kClose));
  }
}

TEST(Chain, ConstraintsAndTemperature) {
  chains::Random random(23);
  const ChainArrays scores = random_chain(4, 3, 1.5, 0.85, random);
  const ChainDistribution p(scores);
  for (int t = 0; t < 4; ++t) {
    for (int j = 0; j < 3; ++j) {
      ChainArrays without = scores, only = scores;
      without.emission(t, j) = -HUGE_VAL;
      for (int i = 0; i < 3; ++i) only.emission(t, i) = i == j ? scores.emission(t, i) : -HUGE_VAL;
      const Sequences left(without), right(only);
      expect_partition([&] { return p.forbid(t, j); }, left);
      expect_partition([&] { return p.require(t, j); }, right);
    }
  }
  ChainArrays some = scores;
  some.emission(1, 0) = some.emission(3, 1) = -HUGE_VAL;
  EXPECT_TRUE(close(p.allow({{}, {1, 2}, {}, {0, 2}}).log_partition(), Sequences(some).log_partition(), kClose));
  for (const double temperature : {0.01, 0.5, 2.0, 100.0}) {
    ChainArrays cold = scores;
    cold.emissions /= temperature;
    cold.transitions /= temperature;
    EXPECT_TRUE(close(p.with_temperature(temperature).log_partition(), Sequences(cold).log_partition(), kClose));
  }
}

}  // namespace
}  // namespace kirchhoff
