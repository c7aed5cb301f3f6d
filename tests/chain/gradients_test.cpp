// Every gradient of chains agrees with finite differences, for every tag and every pair of tags.
#include "chain/oracle.hpp"
#include "kirchhoff/chain_expectation.hpp"
#include "support/gradient.hpp"

#include <gtest/gtest.h>

namespace kirchhoff {
namespace {

using chains::random_chain;
using chains::random_function;

// See gradient.hpp: the quotient itself is right to 1e-9 for functions whose fifth derivative is at most 100.
constexpr double kTolerance = 1e-8;

template <class F>
void expect_chain_gradient(const F& f, const ChainArrays& scores, const ChainArrays& gradient,
                           const std::string& what) {
  const auto by_emissions = [&](const Matrix& moved) {
    ChainArrays other = scores;
    other.emissions = moved;
    return f(other);
  };
  const auto by_transitions = [&](const Matrix& moved) {
    ChainArrays other = scores;
    other.transitions = moved;
    return f(other);
  };
  expect_gradient(by_emissions, scores.emissions, gradient.emissions, kTolerance, what + " by emissions");
  if (scores.length() > 1) {
    expect_gradient(by_transitions, scores.transitions, gradient.transitions, kTolerance, what + " by transitions");
  }
}

struct Problem {
  ChainArrays scores, other, r, s;
};

std::vector<Problem> problems() {
  chains::Random random(29);
  std::vector<Problem> all;
  for (const auto& [length, tags] : {chains::Shape{1, 4}, {2, 2}, {4, 3}, {3, 9}, {12, 2}}) {
    for (const double density : {2.0, 0.7}) {
      all.push_back({random_chain(length, tags, 1.0, density, random), random_chain(length, tags, 1.0, 2.0, random),
                     random_function(length, tags, random), random_function(length, tags, random)});
    }
  }
  return all;
}

TEST(ChainGradients, PartitionExpectationCovariance) {
  for (const Problem& c : problems()) {
    const ChainDistribution p(c.scores);
    expect_chain_gradient([](const ChainArrays& s) { return ChainDistribution(s).log_partition(); }, c.scores,
                          p.marginals(), "log Z");
    if (p.log_count() == 0.0) continue;  // one sequence: everything else is constant
    expect_chain_gradient([&](const ChainArrays& s) { return expectation(ChainDistribution(s), {c.r})[0]; }, c.scores,
                          p.marginals_along(c.r), "expectation");
    expect_chain_gradient([&](const ChainArrays& s) { return covariance(ChainDistribution(s), {c.r}, {c.s})(0, 0); },
                          c.scores, covariance_gradient(p, c.r, c.s), "covariance");
  }
}

TEST(ChainGradients, Information) {
  for (const Problem& c : problems()) {
    const ChainDistribution p(c.scores), q(c.other);
    const ChainPairGradient h = cross_entropy_gradient(p, q), d = kl_gradient(p, q);
    expect_chain_gradient([&](const ChainArrays& s) { return cross_entropy(p, ChainDistribution(s)); }, c.other, h.q,
                          "cross-entropy, q");
    expect_chain_gradient([&](const ChainArrays& s) { return kl(p, ChainDistribution(s)); }, c.other, d.q, "KL, q");
    if (p.log_count() == 0.0) continue;
    expect_chain_gradient([&](const ChainArrays& s) { return cross_entropy(ChainDistribution(s), q); }, c.scores, h.p,
                          "cross-entropy, p");
    expect_chain_gradient([&](const ChainArrays& s) { return kl(ChainDistribution(s), q); }, c.scores, d.p, "KL, p");
    expect_chain_gradient([](const ChainArrays& s) { return entropy(ChainDistribution(s)); }, c.scores,
                          entropy_gradient(p), "entropy");
    for (const double alpha : {0.5, 1.0, 1.0 + 1e-6, 1.0 - 1e-4, 3.0}) {
      expect_chain_gradient([&](const ChainArrays& s) { return renyi(ChainDistribution(s), alpha); }, c.scores,
                            renyi_gradient(p, alpha), "Renyi " + std::to_string(alpha));
    }
    EXPECT_EQ(renyi_gradient(p, 0.0).emissions, Matrix::Zero(p.length(), p.tags()));
  }
}

// Of an infinite cross-entropy there is no gradient.
TEST(ChainGradients, InfiniteValues) {
  chains::Random random(31);
  const ChainDistribution p(random_chain(3, 3, 1.0, 2.0, random));
  const ChainDistribution q = p.forbid(1, 2);
  EXPECT_EQ(cross_entropy(p, q), HUGE_VAL);
  EXPECT_EQ(kl(p, q), HUGE_VAL);
  EXPECT_THROW(cross_entropy_gradient(p, q), InputError);
  EXPECT_THROW(kl_gradient(p, q), InputError);
  EXPECT_LT(kl(q, p), HUGE_VAL);
  // What q forbids does not matter where p has no sequence through it.
  ChainArrays dead = p.scores();
  for (int i = 0; i < 3; ++i) dead.transition(2, 2, i) = -HUGE_VAL;
  EXPECT_LT(kl(ChainDistribution(dead), q), HUGE_VAL);
}

}  // namespace
}  // namespace kirchhoff
