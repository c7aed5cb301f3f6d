// Chains that are long, that leave the range of doubles on the way, or whose scores do: the fast method must be right
// or give way to the robust one.
#include "chain/oracle.hpp"
#include "kirchhoff/chain_expectation.hpp"
#include "kirchhoff/chain_paths.hpp"
#include "support/compare.hpp"
#include "support/message_of.hpp"

#include <gtest/gtest.h>

namespace kirchhoff {
namespace {

using chains::random_chain;

void expect_equal(const ChainDistribution& p, const ChainDistribution& q, Tolerance tolerance) {
  EXPECT_TRUE(close(p.log_partition(), q.log_partition(), tolerance));
  expect_same(p.marginals().emissions, q.marginals().emissions, tolerance, "tags");
  expect_same(p.marginals().transitions, q.marginals().transitions, tolerance, "pairs");
}

TEST(ChainHard, FastEqualsRobustForAllWidths) {
  chains::Random random(71);
  for (int tags = 1; tags <= 36; ++tags) {
    for (const double density : {2.0, 0.3}) {
      const ChainArrays scores = random_chain(6, tags, 8.0, density, random);
      const ChainDistribution fast(scores), robust(scores, Method::robust);
      expect_equal(fast, robust, {1e-12, 1e-300});
      EXPECT_FALSE(fast.report().extended) << tags;
    }
  }
}

// One matrix for all positions is read by another part of the kernel.
TEST(ChainHard, SharedTransitions) {
  chains::Random random(73);
  for (const auto& [length, tags] : {chains::Shape{1, 3}, {2, 3}, {3, 5}, {9, 8}, {7, 20}, {30, 11}}) {
    ChainArrays scores = random_chain(length, tags, 2.0, 2.0, random);
    const Matrix shared = random_chain(2, tags, 2.0, 0.8, random).transitions;
    for (int t = 1; t < length; ++t) scores.transitions.middleRows((t - 1) * tags, tags) = shared;
    const ChainDistribution p(scores), q(scores.emissions, shared);
    expect_equal(q, p, {1e-12, 1e-300});
    EXPECT_EQ(q.scores().transitions, scores.transitions);
    expect_equal(ChainDistribution(scores.emissions, shared, Method::robust), p, {1e-12, 1e-300});
    scores.emissions.array() += 5000.0;  // centred
    const ChainDistribution high(scores.emissions, shared);
    EXPECT_FALSE(high.report().extended);
    EXPECT_TRUE(close(high.log_partition(), p.log_partition() + 5000.0L * length, {1e-14, 0}));
    expect_same(high.marginals().emissions, p.marginals().emissions, {1e-10, 1e-300}, "tags");
  }
}

// A constant for each position, and for each matrix, moves log Z and nothing else, and costs no extended numbers.
TEST(ChainHard, LargeConstants) {
  chains::Random random(79);
  const ChainArrays scores = random_chain(20, 5, 1.0, 2.0, random);
  const ChainDistribution p(scores);
  for (const double shift : {-1e6, 300.0, 1048576.0}) {
    ChainArrays moved = scores;
    moved.transitions.array() += shift;
    moved.emissions.row(3).array() -= 3.0 * shift;
    const ChainDistribution q(moved);
    EXPECT_FALSE(q.report().extended);
    EXPECT_TRUE(close(q.log_partition(), p.log_partition() + 16.0L * shift, {1e-13, 0}));
    // The sums themselves are rounded to an ulp of the shift, 1e-10.
    expect_same(q.marginals().emissions, p.marginals().emissions, {1e-8, 0}, "tags");
  }
}

// Tag 1 loses 20 nats at each of 100 positions, and wins them all back at the end: its forward rows leave doubles.
TEST(ChainHard, ForwardRowsLeaveTheRange) {
  for (const double last : {1900.0, 1999.0, 2000.0, 2400.0}) {
    ChainArrays scores(101, 2);
    for (int t = 1; t <= 100; ++t) {
      scores.transition(t, 0, 1) = scores.transition(t, 1, 0) = -HUGE_VAL;
      scores.transition(t, 1, 1) = -20.0;
    }
    scores.emission(100, 1) = last;
    const ChainDistribution p(scores);
    const double gap = last - 2000.0;  // log of p(tag 1) / p(tag 0)
    EXPECT_TRUE(close(p.log_partition(), std::log1p(std::exp(-std::abs(gap))) + std::max(gap, 0.0), {1e-12, 1e-12}));
    const double expected = 1.0 / (1.0 + std::exp(-gap));
    for (int t = 0; t <= 100; ++t) {
      EXPECT_TRUE(close(p.marginals().emission(t, 1), expected, {1e-12, 0})) << last;
      EXPECT_TRUE(close(p.log_marginals().emission(t, 1), -std::log1p(std::exp(-gap)), {1e-12, 1e-12})) << last;
    }
    EXPECT_EQ(best_tags(p).tags, Tags(101, gap > 0.0 ? 1 : 0));
  }
}

TEST(ChainHard, LongChains) {
  // All scores 0: the uniform distribution over 3^length sequences.
  const int length = 200000;
  const ChainDistribution uniform(Matrix::Zero(length, 3), Matrix::Zero(3, 3));
  EXPECT_TRUE(close(uniform.log_partition(), length * std::log(3.0L), {1e-13, 0}));
  EXPECT_TRUE(close(entropy(uniform), length * std::log(3.0L), {1e-12, 0}));
  EXPECT_TRUE(close(uniform.marginals().emission(length / 2, 1), 1.0L / 3, {1e-12, 0}));
  EXPECT_EQ(best_tags(uniform).tags, Tags(length, 0));
  // Variance of the number of tags 0: length * 2 / 9.
  ChainArrays f(length, 3);
  f.emissions.col(0).setOnes();
  EXPECT_TRUE(close(covariance(uniform, {f}, {f})(0, 0), length * 2.0L / 9, {1e-10, 0}));
  EXPECT_TRUE(close(cumulants(uniform, f, 3)[3], length * 2.0L / 27, {1e-7, 0}));
}

TEST(ChainHard, NoSequence) {
  chains::Random random(83);
  for (const Method method : {Method::automatic, Method::fast, Method::robust}) {
    ChainArrays scores = random_chain(4, 3, 1.0, 2.0, random);
    scores.transitions.middleRows(3, 3).setConstant(-HUGE_VAL);
    EXPECT_THROW(ChainDistribution(scores, method), Infeasible);
    scores = random_chain(4, 3, 1e5, 2.0, random);
    scores.emissions.row(3).setConstant(-HUGE_VAL);
    EXPECT_THROW(ChainDistribution(scores, method), Infeasible);
    EXPECT_THROW(ChainDistribution(Matrix::Constant(1, 2, -HUGE_VAL), Matrix(0, 2), method), Infeasible);
    // Tags that can be reached and have no way on.
    scores = ChainArrays(3, 2);
    scores.transition(1, 0, 1) = scores.transition(1, 1, 1) = -HUGE_VAL;
    scores.transition(2, 0, 0) = scores.transition(2, 0, 1) = -HUGE_VAL;
    EXPECT_THROW(ChainDistribution(scores, method), Infeasible);
  }
}

TEST(ChainHard, WrongInput) {
  const Matrix three = Matrix::Zero(3, 2);
  const auto message = [](const Matrix& emissions, const Matrix& transitions) {
    return message_of<InputError>([&] { ChainDistribution(emissions, transitions); });
  };
  EXPECT_EQ(message(three, Matrix::Zero(3, 2)),
            "[ChainDistribution] transitions: 3 rows, expected 4 or, for all positions alike, 2");
  EXPECT_EQ(message(three, Matrix::Zero(4, 3)), "[ChainDistribution] transitions: 3 columns for 2 tags");
  EXPECT_EQ(message(Matrix(0, 2), Matrix(0, 2)), "[ChainDistribution] emissions: 0x2 is empty");
  for (const double bad : {std::nan(""), HUGE_VAL, 1e300, -1e101}) {
    Matrix emissions = three, transitions = Matrix::Zero(4, 2);
    emissions(2, 1) = bad;
    EXPECT_NE(message(emissions, transitions).find("emissions[2, 1]"), std::string::npos) << message(emissions, three);
    transitions(3, 0) = bad;
    EXPECT_NE(message(three, transitions).find("transitions[1, 1, 0]"), std::string::npos);
    EXPECT_THROW(ChainDistribution(three, transitions, Method::robust), InputError);
    EXPECT_THROW(ChainDistribution(three, Matrix::Constant(2, 2, bad)), InputError);
  }
  const ChainDistribution p(three, Matrix::Zero(2, 2));
  EXPECT_THROW(p.log_prob({0, 1}), InputError);
  EXPECT_THROW(p.log_prob({0, 1, 2}), InputError);
  EXPECT_THROW(p.require(3, 0), InputError);
  EXPECT_THROW(p.forbid(0, -1), InputError);
  EXPECT_THROW(p.allow({{0}, {1}}), InputError);
  EXPECT_THROW(p.allow({{0}, {2}, {}}), InputError);
  EXPECT_THROW(p.with_temperature(0.0), InputError);
  EXPECT_THROW(p.marginals_along(ChainArrays(2, 2)), InputError);
  EXPECT_THROW(p.marginals_along(ChainArrays(3, 2, std::nan(""))), InputError);
  EXPECT_THROW(renyi(p, -1.0), InputError);
  EXPECT_THROW(cumulants(p, ChainArrays(3, 2), 31), InputError);
  EXPECT_THROW(kl(p, ChainDistribution(Matrix::Zero(2, 2), Matrix::Zero(2, 2))), InputError);
  EXPECT_THROW(ChainArrays(0, 3), InputError);
}

}  // namespace
}  // namespace kirchhoff
