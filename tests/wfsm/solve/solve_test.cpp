// Cyclic machines: against 100-digit arithmetic, against sums over lengths with a bound on the tail, and at the limits.
#include "kirchhoff/wfsm_expectation.hpp"
#include "support/compare.hpp"
#include "wfsm/oracle.hpp"

#include <cmath>
#include <numeric>

namespace kirchhoff {
namespace {

using namespace wfsm_oracle;

constexpr Method kMethods[] = {Method::automatic, Method::fast, Method::robust};

void expect_exact(const Parts& parts, const Wfsm& machine, double tolerance) {
  const Exact exact(parts);
  EXPECT_TRUE(close(machine.log_partition(), static_cast<long double>(log(exact.z())), {tolerance, tolerance}));
  const std::vector<double> counts = flat(machine.counts());
  const std::vector<long double> expected = exact_counts(parts);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    EXPECT_TRUE(close(counts[i], expected[i], {tolerance, 1e-290})) << "place " << i;
  }
}

TEST(WfsmSolve, AgainstHighPrecision) {
  Random random(1);
  for (int n = 1; n <= 7; ++n)
    for (int repeat = 0; repeat < 4; ++repeat) {
      const Parts parts = random_cyclic(n, 3 * n + repeat, 2, 1.0 + repeat, 0.9, random);
      for (const Method method : kMethods) {
        SCOPED_TRACE(testing::Message() << n << " states, repeat " << repeat << ", method "
                                        << static_cast<int>(method));
        expect_exact(parts, parts.build({method}), 1e-12);
      }
    }
}

/// Sum over lengths 0 .. L; the rest is at most |start| rho^(L+1) / (1 - rho) max(final) when rows sum to rho or less.
TEST(WfsmSolve, AgainstTruncatedSums) {
  Random random(2);
  for (int n : {2, 7, 40, 150}) {
    const double rho = 0.5;
    const Parts parts = random_cyclic(n, 6 * n, 3, 1.5, rho, random);
    std::vector<long double> now, next;
    long double sum = 0, mass = 0, largest_final = 0;
    for (int s = 0; s < n; ++s) {
      now.push_back(std::exp(static_cast<long double>(parts.start[s])));
      mass += now.back();
      largest_final = std::max(largest_final, std::exp(static_cast<long double>(parts.final[s])));
    }
    const int length = 80;
    for (int k = 0; k <= length; ++k) {
      for (int s = 0; s < n; ++s) sum += now[s] * std::exp(static_cast<long double>(parts.final[s]));
      next.assign(n, 0);
      for (const Transition& t : parts.transitions) {
        next[t.to] += now[t.from] * std::exp(static_cast<long double>(t.log_weight));
      }
      now = next;
    }
    const long double tail = mass * std::pow(static_cast<long double>(rho), length + 1) / (1 - rho) * largest_final;
    for (const Method method : kMethods) {
      const long double z = std::exp(static_cast<long double>(parts.build({method}).log_partition()));
      EXPECT_GE(z, sum * (1 - 1e-12L));
      EXPECT_LE(z, (sum + tail) * (1 + 1e-12L));
    }
  }
}

/// A ring whose weights multiply to 1 - gap, with chords: almost infinite.
TEST(WfsmSolve, SpectralRadiusNearOne) {
  for (const double gap : {0.1, 1e-3, 1e-6, 1e-9, 1e-12}) {
    Parts parts{5, {}, {0.0, -HUGE_VAL, -HUGE_VAL, -1.0, -HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, 0.5, -HUGE_VAL, -3.0}};
    for (int i = 0; i < 5; ++i) parts.transitions.push_back({i, (i + 1) % 5, 1, i == 4 ? std::log1p(-gap) - 2.0 : 0.5});
    parts.transitions.push_back({2, 1, 2, -60.0});
    parts.transitions.push_back({3, 3, 0, -45.0});
    SCOPED_TRACE(gap);
    const Wfsm machine = parts.build();
    EXPECT_EQ(machine.report().method, gap > 0.01 ? Method::fast : Method::robust);
    EXPECT_TRUE(machine.report().certified);
    expect_exact(parts, machine, 1e-12);
  }
  // A loop alone, exactly 1e-12 below 1 in its logarithm.
  Parts loop{1, {{0, 0, 1, -1e-12}}, {0.0}, {-1.0}};
  expect_exact(loop, loop.build(), 1e-12);
  EXPECT_TRUE(close(loop.build().log_partition(), -1.0L - std::log(-std::expm1(-1e-12L)), {1e-14, 0}));
}

TEST(WfsmSolve, ExtremeWeights) {
  Random random(4);
  for (int repeat = 0; repeat < 12; ++repeat) {
    const int n = 2 + repeat % 5;
    Parts parts = random_cyclic(n, 4 * n, 2, 1.0, 0.9, random);
    // Potentials of up to e^300 leave cycles as they are; single weights go from e^-600 to e^600.
    std::vector<double> potential;
    for (int s = 0; s < n; ++s) potential.push_back(std::uniform_real_distribution<double>(-300, 300)(random));
    for (Transition& t : parts.transitions) t.log_weight += potential[t.to] - potential[t.from];
    for (int s = 0; s < n; ++s) parts.start[s] += 500 * (s % 2 ? 1 : -1);
    expect_exact(parts, parts.build(), 1e-11);
  }
  for (int repeat = 0; repeat < 12; ++repeat) {  // weights of e^-300 among those of size 1, and tiny everything
    const int n = 2 + repeat % 5;
    Parts parts = random_cyclic(n, 4 * n, 2, 0.7, 0.9, random);
    for (Transition& t : parts.transitions) t.log_weight -= random() % 3 == 0 ? 300.0 : 0.0;
    expect_exact(parts, parts.build(), 1e-11);
    for (Transition& t : parts.transitions) t.log_weight -= 3000.0;
    const Wfsm machine = parts.build();
    EXPECT_TRUE(close(machine.log_partition(), static_cast<long double>(log(Exact(parts).z())), {1e-13, 0}));
  }
}

/// 10^5 times 10 parallel transitions: 10^100000 paths.
TEST(WfsmSolve, SumsBeyondTheRangeOfDoubles) {
  const int n = 20000;
  Parts parts{n, {}, std::vector<double>(n, -HUGE_VAL), std::vector<double>(n, -HUGE_VAL)};
  for (int i = 0; i + 1 < n; ++i) {
    for (int k = 0; k < 10; ++k) parts.transitions.push_back({i, i + 1, k + 1, 0.0});
  }
  parts.start[0] = parts.final[n - 1] = 0.0;
  EXPECT_TRUE(close(parts.build().log_partition(), (n - 1) * std::log(10.0L), {1e-13, 0}));
  parts.transitions.push_back({n - 1, 0, 0, -1e6});  // the same as one large component
  const Wfsm ring = parts.build();
  EXPECT_TRUE(close(ring.log_partition(), (n - 1) * std::log(10.0L), {1e-13, 0}));
  EXPECT_TRUE(close(entropy(ring), (n - 1) * std::log(10.0L), {1e-11, 0}));
}

/// All methods and all ways to eliminate agree: dense, sparse with a dense rest, sparse to the end.
TEST(WfsmSolve, LargeComponents) {
  Random random(5);
  for (const auto& [n, arcs] : std::vector<std::pair<int, int>>{{100, 9000}, {300, 900}, {2000, 2600}}) {
    Parts parts = random_cyclic(n, arcs, 3, 1.0, 0.95, random);
    parts.transitions.push_back({n - 1, 0, 1, -1.0});
    const Wfsm fast = parts.build({Method::fast}), robust = parts.build({Method::robust});
    EXPECT_TRUE(fast.report().certified);
    EXPECT_TRUE(close(fast.log_partition(), robust.log_partition(), {1e-13, 1e-13}));
    const Vector &a = fast.transition_marginals(), &b = robust.transition_marginals();
    for (Eigen::Index i = 0; i < a.size(); ++i) EXPECT_TRUE(close(a(i), b(i), {1e-12, 1e-300})) << i;
    // Flow: what enters a state leaves it.
    const WfsmWeights counts = robust.counts();
    Vector in = counts.start, out = counts.final;
    for (std::size_t t = 0; t < parts.transitions.size(); ++t) {
      in(parts.transitions[t].to) += counts.transitions(static_cast<Eigen::Index>(t));
      out(parts.transitions[t].from) += counts.transitions(static_cast<Eigen::Index>(t));
    }
    EXPECT_LE((in - out).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LE((in - robust.state_visits()).cwiseAbs().maxCoeff(), 1e-12);
  }
}

/// A machine of one component and 38,000 states, as decoders have them: chains of words from and to one hub.
TEST(WfsmSolve, LexiconWithALoop) {
  const int words = 2000, length = 20, n = 1 + words * (length - 1);
  Parts parts{n, {}, std::vector<double>(n, -HUGE_VAL), std::vector<double>(n, -HUGE_VAL)};
  parts.start[0] = 0.0;
  parts.final[0] = std::log(0.25);
  for (int w = 0; w < words; ++w) {
    const int first = 1 + w * (length - 1);
    parts.transitions.push_back({0, first, w + 1, std::log(0.75 / words)});
    for (int i = 0; i + 2 < length; ++i) parts.transitions.push_back({first + i, first + i + 1, 0, 0.0});
    parts.transitions.push_back({first + length - 2, 0, 0, 0.0});
  }
  const Wfsm machine = parts.build();
  EXPECT_NEAR(machine.log_partition(), 0.0, 1e-12);
  EXPECT_NEAR(machine.state_visits()(0), 4.0, 1e-11);
  EXPECT_NEAR(expected_length(machine), 3.0 * length, 1e-9);
}

}  // namespace
}  // namespace kirchhoff
