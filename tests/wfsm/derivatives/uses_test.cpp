// Products of counts and the use of transitions against lists of trajectories and sums of series.
#include "kirchhoff/wfsm_expectation.hpp"
#include "support/compare.hpp"
#include "wfsm/oracle.hpp"

#include <cmath>

namespace kirchhoff {
namespace {

using namespace wfsm_oracle;

/// Two loops at one state, used n and m times: C(n + m, n) u^n v^m (1 - u - v).
class TwoLoops : public ::testing::Test {
 protected:
  const double u = 0.3, v = 0.45;
  const Wfsm machine = Parts{1, {{0, 0, 1, std::log(u)}, {0, 0, 2, std::log(v)}}, {0.0}, {0.0}}.build();

  template <class F>
  long double mean(const F& f) const {
    long double sum = 0;
    for (int n = 0; n < 400; ++n) {
      for (int m = 0; m < 400; ++m) {
        const long double log_p = std::lgamma(n + m + 1.0L) - std::lgamma(n + 1.0L) - std::lgamma(m + 1.0L) +
                                  n * std::log(static_cast<long double>(u)) +
                                  m * std::log(static_cast<long double>(v)) +
                                  std::log(1 - static_cast<long double>(u) - v);
        sum += std::exp(log_p) * f(n, m);
      }
    }
    return sum;
  }
};

TEST_F(TwoLoops, JointCounts) {
  for (const int a : {0, 1, 2, 3}) {
    for (const int b : {0, 1, 4}) {
      if (a + b == 0) continue;
      std::vector<int> transitions(a, 0);
      transitions.insert(transitions.begin(), b, 1);
      const auto power = [&](int n, int m) { return std::pow(n * 1.0L, a) * std::pow(m * 1.0L, b); };
      EXPECT_TRUE(close(joint_count(machine, transitions), mean(power), {1e-11, 0})) << a << " " << b;
    }
  }
}

TEST_F(TwoLoops, Contains) {
  EXPECT_TRUE(close(contains_probability(machine, {0}), mean([](int n, int) { return n > 0; }), {1e-12, 0}));
  EXPECT_TRUE(close(contains_probability(machine, {1, 1}), mean([](int, int m) { return m > 0; }), {1e-12, 0}));
  EXPECT_TRUE(close(contains_probability(machine, {0, 1}), mean([](int n, int m) { return n + m > 0; }), {1e-12, 0}));
  EXPECT_EQ(contains_probability(machine, {}), 0.0);
}

TEST_F(TwoLoops, WrongTransitions) {
  EXPECT_THROW(joint_count(machine, {}), InputError);
  EXPECT_THROW(joint_count(machine, {2}), InputError);
  EXPECT_THROW(joint_count(machine, {0, -1}), InputError);
  EXPECT_THROW(contains_probability(machine, {2}), InputError);
  EXPECT_THROW(contains_probability(machine, {-1}), InputError);
}

/// What is all but impossible keeps its digits: 1 - Z without it / Z would be 0.
TEST(WfsmUses, SmallProbabilities) {
  const double u = 1e-200, v = 0.5;
  const Wfsm machine = Parts{1, {{0, 0, 1, std::log(u)}, {0, 0, 2, std::log(v)}}, {0.0}, {0.0}}.build();
  EXPECT_TRUE(close(contains_probability(machine, {0}), u / (1 - v), {1e-11, 0}));
  EXPECT_TRUE(close(joint_count(machine, {0, 1}), u * 2 * v / ((1 - v) * (1 - v)), {1e-11, 0}));
}

class ListedUses : public ::testing::TestWithParam<int> {};

TEST_P(ListedUses, AreThoseOfAllTrajectories) {
  Random random(GetParam());
  const Parts parts = random_acyclic(4 + GetParam() % 3, 10, 2, 2.0, random);
  const Wfsm machine = parts.build();
  const int size = static_cast<int>(parts.transitions.size());
  const std::vector<Trajectory> all = trajectories(parts, parts.states);
  for (int a = 0; a < size; ++a) {
    for (int b = 0; b < size; ++b) {
      long double z = 0, products = 0, uses = 0;
      for (const Trajectory& t : all) {
        const long double weight = std::exp(t.log_weight);
        z += weight;
        products += weight * t.counts[a] * t.counts[b] * t.counts[b];
        uses += t.counts[a] + t.counts[b] > 0 ? weight : 0;
      }
      EXPECT_TRUE(close(joint_count(machine, {b, a, b}), products / z, {1e-11, 1e-300})) << a << " " << b;
      EXPECT_TRUE(close(contains_probability(machine, {a, b}), uses / z, {1e-11, 1e-300})) << a << " " << b;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Machines, ListedUses, ::testing::Range(1, 9));

}  // namespace
}  // namespace kirchhoff
