// Expectations, information and their gradients on cyclic machines.
#include "kirchhoff/wfsm_derivatives.hpp"
#include "kirchhoff/wfsm_expectation.hpp"
#include "support/compare.hpp"
#include "support/gradient.hpp"
#include "wfsm/oracle.hpp"

#include <cmath>

namespace kirchhoff {
namespace {

using namespace wfsm_oracle;

long double to_long(const Real& x) { return static_cast<long double>(x); }

class Cyclic : public ::testing::TestWithParam<int> {
 protected:
  Random random{static_cast<std::uint64_t>(GetParam())};
  int states = 1 + GetParam() % 5;
  Parts parts = random_cyclic(states, 2 * states + 2 + GetParam() % 4, 2, 1.0, 0.7, random);
  Wfsm machine = parts.build();
  Exact exact{parts};

  /// A function of the machine against its gradient, place by place.
  template <class F>
  void expect_gradient_of(const F& f, const WfsmWeights& gradient, const std::string& what) {
    const std::vector<double> theta = flat(machine.log_weights()), g = flat(gradient);
    for (std::size_t i = 0; i < g.size(); ++i) {
      if (theta[i] == -HUGE_VAL) {
        EXPECT_EQ(g[i], 0.0) << what << " " << i;
        continue;
      }
      std::vector<double> moved = theta;
      const double expected = derivative(
          [&](double x) {
            moved[i] = x;
            return f(machine.with_log_weights(weights_of(parts, moved)));
          },
          theta[i]);
      EXPECT_NEAR(g[i], expected, 1e-7 * std::max(1.0, std::abs(expected))) << what << " " << i;
    }
  }
};

TEST_P(Cyclic, SecondOrderFromTheGeneratingFunction) {
  const std::vector<double> r = random_values(parts.places(), random), t = random_values(parts.places(), random);
  std::vector<WfsmFeature> entries;
  const auto a = static_cast<int>(parts.transitions.size());
  for (int i = 0; i < static_cast<int>(parts.places()); ++i) {
    const WfsmPart part = i < a ? WfsmPart::transition : i < a + states ? WfsmPart::start : WfsmPart::final;
    for (const int f : {0, 1}) entries.push_back({i < a ? i : (i - a) % states, f, f == 0 ? r[i] : t[i], part});
  }
  const WfsmFeatures features(machine, 2, entries);
  const Matrix e2 = second_order(machine, features, features), cov = covariance(machine, features, features);
  const long double er = to_long(exact.expectation(r)), et = to_long(exact.expectation(t));
  const Tolerance near{1e-11, 1e-12};
  EXPECT_TRUE(close(expectation(machine, features)(0), er, near));
  EXPECT_TRUE(close(e2(0, 1), to_long(exact.second_order(r, t)), near));
  EXPECT_TRUE(close(e2(0, 0), to_long(exact.second_order(r, r)), near));
  EXPECT_TRUE(close(e2(1, 1), to_long(exact.second_order(t, t)), near));
  EXPECT_TRUE(close(cov(0, 1), to_long(exact.second_order(r, t)) - er * et, {1e-10, 1e-11}));
}

TEST_P(Cyclic, MomentsAndCumulants) {
  const std::vector<double> f = random_values(parts.places(), random);
  const Moments m = moments(machine, weights_of(parts, f), 6);
  const auto log_z = [&](const Real& x) {
    std::vector<Real> theta = exact.theta();
    for (std::size_t i = 0; i < theta.size(); ++i) {
      if (!isinf(theta[i])) theta[i] += x * f[i];
    }
    return exact.log_z_at(theta);
  };
  const Real at_zero = log_z(0);
  for (int n = 1; n <= 6; ++n) {
    const Real h("1e-12");
    const long double kappa = to_long(nth_derivative(log_z, n, h));
    EXPECT_TRUE(close(m.cumulants(n), kappa, {1e-9, 1e-9})) << n;
    const long double raw = to_long(nth_derivative([&](const Real& x) { return exp(log_z(x) - at_zero); }, n, h));
    EXPECT_TRUE(close(m.raw(n), raw, {1e-9, 1e-9})) << n;
  }
  EXPECT_EQ(m.raw(0), 1.0);
  EXPECT_EQ(m.central(1), 0.0);
}

TEST_P(Cyclic, Information) {
  // H = log Z - d/da log Z(a theta) at a = 1, and the sum of p^a is Z(a theta) / Z^a.
  const auto log_z = [&](const Real& a) {
    std::vector<Real> theta = exact.theta();
    for (Real& x : theta) {
      if (!isinf(x)) x *= a;
    }
    return exact.log_z_at(theta);
  };
  const long double h =
      to_long(log_z(1) - nth_derivative([&](const Real& x) { return log_z(1 + x); }, 1, Real("1e-30")));
  EXPECT_TRUE(close(entropy(machine), h, {1e-11, 1e-13}));
  for (const double a : {1.5, 3.0, 1.0 + 1e-5, 1.0 + 1e-6}) {
    EXPECT_TRUE(close(renyi(machine, a), to_long((log_z(a) - a * log_z(1)) / (1 - Real(a))), {1e-9, 1e-10})) << a;
  }
}

TEST_P(Cyclic, Gradients) {
  expect_gradient_of([](const Wfsm& m) { return entropy(m); }, entropy_gradient(machine), "entropy");
  expect_gradient_of([](const Wfsm& m) { return expected_length(m); }, expected_length_gradient(machine), "length");
  for (const double a : {1.0, 2.0, 1.3}) {
    expect_gradient_of([&](const Wfsm& m) { return renyi(m, a); }, renyi_gradient(machine, a), "renyi");
  }
  expect_gradient_of([](const Wfsm& m) { return m.log_partition(); }, machine.counts(), "log Z");
  const WfsmWeights direction = weights_of(parts, random_values(parts.places(), random));
  const auto mean = [&](const Wfsm& m) {
    const WfsmWeights c = m.counts();
    return c.transitions.dot(direction.transitions) + c.start.dot(direction.start) + c.final.dot(direction.final);
  };
  expect_gradient_of(mean, counts_along(machine, direction), "mean");

  Parts other = parts;
  for (Transition& t : other.transitions) t.log_weight -= 0.3 * std::abs(std::normal_distribution<double>()(random));
  const Wfsm q = other.build();
  expect_gradient_of([&](const Wfsm& m) { return kl(m, q); }, kl_gradient(machine, q).p, "KL, p");
  expect_gradient_of([&](const Wfsm& m) { return kl(q, m); }, kl_gradient(q, machine).q, "KL, q");
  EXPECT_GT(kl(machine, q), 0.0);
  expect_gradient_of([&](const Wfsm& m) { return cross_entropy(m, q); }, cross_entropy_gradient(machine, q).p,
                     "surprise, p");
  expect_gradient_of([&](const Wfsm& m) { return cross_entropy(q, m); }, cross_entropy_gradient(q, machine).q,
                     "surprise, q");
}

TEST_P(Cyclic, StringsSumToOne) {
  // All strings up to a length, and what is longer: at most E[length] / limit (Markov).
  long double sum = 0;
  const int limit = 7;
  std::vector<std::vector<int>> layer = {{}};
  for (int length = 0; length <= limit; ++length) {
    std::vector<std::vector<int>> next;
    for (const auto& s : layer) {
      const double p = std::exp(log_prob(machine, s));
      sum += p;
      for (const int symbol : {1, 2}) {
        next.push_back(s);
        next.back().push_back(symbol);
      }
    }
    layer = next;
  }
  EXPECT_LE(sum, 1 + 1e-12L);
  EXPECT_GE(sum, 1 - expected_length(machine) / (limit + 1) - 1e-12);
}

TEST_P(Cyclic, StringsAgainstEnumeration) {
  const int length = 5;
  std::map<std::vector<int>, long double> listed;
  const auto paths = trajectories(parts, length);
  for (const Trajectory& t : paths) {
    std::vector<int> string;
    for (const int i : t.transitions) {
      if (parts.transitions[i].symbol != kEpsilon) string.push_back(parts.transitions[i].symbol);
    }
    listed[string] += std::exp(t.log_weight);
  }
  // Weight of paths longer than `length`: the largest row sum is 0.7.
  long double mass = 0, top = 0;
  for (int s = 0; s < states; ++s) {
    mass += std::exp(static_cast<long double>(parts.start[s]));
    top = std::max(top, std::exp(static_cast<long double>(parts.final[s])));
  }
  const long double tail = mass * std::pow(0.7L, length + 1) / 0.3L * top;
  int checked = 0;
  for (const auto& [string, weight] : listed) {
    if (string.size() > 3 || ++checked > 20) continue;
    const long double w = std::exp(static_cast<long double>(log_weight(machine, string)));
    EXPECT_GE(w, weight * (1 - 1e-12L));
    EXPECT_LE(w, weight + tail);
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, Cyclic, ::testing::Range(1, 11));

TEST(WfsmInformation, InfiniteCases) {
  const Wfsm loop = Parts{1, {{0, 0, 1, std::log(0.25)}}, {0.0}, {0.0}}.build();
  EXPECT_EQ(renyi(loop, 0.0), HUGE_VAL);
  EXPECT_TRUE(std::isfinite(renyi(loop, 0.25)));
  const Wfsm two = Parts{1, {{0, 0, 1, -1.0}, {0, 0, 2, -1.0}}, {0.0}, {0.0}}.build();
  EXPECT_EQ(renyi(two, 0.5), HUGE_VAL);  // 2 sqrt(p) >= 1
  EXPECT_THROW(renyi_gradient(two, 0.5), InputError);
  const Wfsm without = Parts{1, {{0, 0, 1, -1.0}, {0, 0, 2, -HUGE_VAL}}, {0.0}, {0.0}}.build();
  EXPECT_EQ(kl(two, without), HUGE_VAL);
  EXPECT_THROW(kl_gradient(two, without), InputError);
  EXPECT_TRUE(std::isfinite(kl(without, two)));
  EXPECT_THROW(kl(loop, two), InputError);
}

TEST(WfsmInformation, SmallAndPeaked) {
  // Entropy and KL of a coin that almost never shows one side keep their digits.
  const auto coin = [](double x) {
    return Parts{2, {{0, 1, 1, 0.0}, {0, 1, 2, x}}, {0.0, -HUGE_VAL}, {-HUGE_VAL, 0.0}}.build();
  };
  const long double p = std::exp(-60.0L) / (1 + std::exp(-60.0L));
  EXPECT_TRUE(close(entropy(coin(-60)), -p * std::log(p) - (1 - p) * std::log1p(-p), {1e-12, 0}));
  const long double q = std::exp(-61.0L) / (1 + std::exp(-61.0L));
  const long double expected = p * std::log(p / q) + (1 - p) * (std::log1p(-p) - std::log1p(-q));
  EXPECT_TRUE(close(kl(coin(-60), coin(-61)), expected, {1e-6, 0}));
  EXPECT_TRUE(close(kl(coin(-60), coin(-61)), p * (std::exp(-1.0L) - 1 + 1), {1e-12, 0}));
  EXPECT_TRUE(close(kl(coin(0), coin(-2000)), 1000 - std::log(2.0L), {1e-12, 0}));
}

}  // namespace
}  // namespace kirchhoff
