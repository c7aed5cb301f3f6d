// Acyclic machines: everything against the list of all trajectories.
#include "kirchhoff/wfsm_expectation.hpp"
#include "support/compare.hpp"
#include "wfsm/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace kirchhoff {
namespace {

using namespace wfsm_oracle;

/// The distribution as a list.
struct Listed {
  explicit Listed(const Parts& parts, int length = 1000) : paths(trajectories(parts, length)) {
    long double top = -HUGE_VAL;
    for (const Trajectory& t : paths) top = std::max(top, t.log_weight);
    long double sum = 0;
    for (const Trajectory& t : paths) sum += std::exp(t.log_weight - top);
    log_z = top + std::log(sum);
    for (const Trajectory& t : paths) p.push_back(std::exp(t.log_weight - log_z));
  }
  template <class F>
  long double mean(F f) const {
    long double sum = 0;
    for (std::size_t i = 0; i < paths.size(); ++i) sum += p[i] * f(paths[i]);
    return sum;
  }
  std::vector<Trajectory> paths;
  std::vector<long double> p;
  long double log_z = 0;
};

long double value(const Trajectory& t, const std::vector<double>& f) {
  long double sum = 0;
  for (std::size_t i = 0; i < f.size(); ++i) sum += t.counts[i] * static_cast<long double>(f[i]);
  return sum;
}

std::vector<int> string_of(const Parts& parts, const Trajectory& t) {
  std::vector<int> string;
  for (const int i : t.transitions) {
    if (parts.transitions[i].symbol != kEpsilon) string.push_back(parts.transitions[i].symbol);
  }
  return string;
}

class Enumerated : public ::testing::TestWithParam<int> {
 protected:
  Random random{static_cast<std::uint64_t>(GetParam())};
  Parts parts = random_acyclic(2 + GetParam() % 6, 5 + GetParam() % 13, 2, GetParam() % 3 == 0 ? 5.0 : 1.0, random);
  Wfsm machine = parts.build();
  Listed listed{parts};
  const Tolerance near{1e-12, 1e-14};
};

TEST_P(Enumerated, PartitionAndCounts) {
  EXPECT_TRUE(close(machine.log_partition(), listed.log_z, {1e-13, 1e-14}));
  const std::vector<double> counts = flat(machine.counts());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    EXPECT_TRUE(close(counts[i], listed.mean([&](const Trajectory& t) { return t.counts[i]; }), near)) << i;
  }
  for (int s = 0; s < parts.states; ++s) {
    const long double visits = listed.mean([&](const Trajectory& t) {
      int sum = t.counts[parts.transitions.size() + s];
      for (const int i : t.transitions) sum += parts.transitions[i].to == s;
      return sum;
    });
    EXPECT_TRUE(close(machine.state_visits()(s), visits, near)) << s;
  }
  EXPECT_TRUE(
      close(expected_length(machine), listed.mean([](const Trajectory& t) { return t.transitions.size(); }), near));
}

TEST_P(Enumerated, BestPathsInOrder) {
  std::vector<Trajectory> sorted = listed.paths;
  std::stable_sort(sorted.begin(), sorted.end(), [](auto& a, auto& b) { return a.log_weight > b.log_weight; });
  const std::vector<Path> paths = best_paths(machine, static_cast<int>(sorted.size()) + 5);
  ASSERT_EQ(paths.size(), sorted.size());
  std::set<std::pair<int, std::vector<int>>> seen;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    EXPECT_TRUE(seen.insert({paths[i].start, paths[i].transitions}).second);
    EXPECT_TRUE(close(paths[i].log_weight, sorted[i].log_weight, {1e-12, 1e-12})) << i;
    EXPECT_TRUE(close(paths[i].log_prob, sorted[i].log_weight - listed.log_z, {1e-12, 1e-12})) << i;
  }
  EXPECT_TRUE(best_paths(machine, 0).empty());
  EXPECT_THROW(best_paths(machine, -1), InputError);
  const std::vector<Path> stopped = best_paths(machine, static_cast<int>(sorted.size()), [] { return true; });
  ASSERT_EQ(stopped.size(), 1U);
  EXPECT_EQ(stopped[0].transitions, paths[0].transitions);
}

TEST_P(Enumerated, Strings) {
  std::map<std::vector<int>, long double> strings;
  for (std::size_t i = 0; i < listed.paths.size(); ++i) strings[string_of(parts, listed.paths[i])] += listed.p[i];
  strings[{1, 1, 1, 1, 1, 1, 1, 1}] += 0;
  strings[{7}] += 0;
  for (const auto& [string, p] : strings) {
    EXPECT_TRUE(close(log_prob(machine, string), std::log(p), near));
    EXPECT_TRUE(close(log_weight(machine, string), std::log(p) + listed.log_z, {1e-12, 1e-12}));
  }
  for (const Path& path : best_paths(machine, 3)) {
    EXPECT_GE(log_prob(machine, yield(machine, path)), path.log_prob - 1e-12);
  }
}

TEST_P(Enumerated, Information) {
  const auto log_p = [&](const Trajectory& t) { return t.log_weight - listed.log_z; };
  EXPECT_TRUE(close(entropy(machine), listed.mean([&](auto& t) { return -log_p(t); }), near));
  for (const double alpha : {0.0, 0.5, 0.99995, 1.00001, 2.0, 7.5}) {
    const long double sum = listed.mean([&](auto& t) { return std::exp((alpha - 1) * log_p(t)); });
    EXPECT_TRUE(close(renyi(machine, alpha), std::log(sum) / (1 - alpha), {1e-10, 1e-10})) << alpha;
  }
  EXPECT_EQ(renyi(machine, 1.0), entropy(machine));
  EXPECT_EQ(kl(machine, machine), 0.0);

  Parts other = parts;
  for (Transition& t : other.transitions) {
    if (t.log_weight != -HUGE_VAL) t.log_weight += std::normal_distribution<double>(0, 1)(random);
  }
  const Wfsm q = other.build();
  const long double log_zq = Listed(other).log_z;
  const long double expected = listed.mean([&](const Trajectory& t) {
    long double log_q = -log_zq;
    for (const int i : t.transitions) log_q += other.transitions[i].log_weight;
    return log_p(t) - (log_q + parts.start[t.start] +
                       parts.final[t.transitions.empty() ? t.start : parts.transitions[t.transitions.back()].to]);
  });
  EXPECT_TRUE(close(kl(machine, q), expected, {1e-11, 1e-14}));
  const long double surprise = listed.mean([&](const Trajectory& t) { return -log_p(t); });
  EXPECT_TRUE(close(cross_entropy(machine, q), expected + surprise, {1e-11, 1e-14}));
  EXPECT_GE(kl(machine, q), 0.0);
}

TEST_P(Enumerated, ExpectationsAndMoments) {
  const std::vector<double> f = random_values(parts.places(), random), g = random_values(parts.places(), random);
  std::vector<WfsmFeature> entries;
  const auto a = static_cast<int>(parts.transitions.size());
  for (int i = 0; i < static_cast<int>(parts.places()); ++i) {
    const WfsmPart part = i < a ? WfsmPart::transition : i < a + parts.states ? WfsmPart::start : WfsmPart::final;
    const int index = i < a ? i : (i - a) % parts.states;
    entries.push_back({index, 0, f[i], part});
    entries.push_back({index, 1, g[i] - 1, part});
    entries.push_back({index, 1, 1, part});  // entries add up
  }
  const WfsmFeatures features(machine, 3, entries), first(machine, 1, {entries[0]});
  const long double ef = listed.mean([&](auto& t) { return value(t, f); });
  const long double eg = listed.mean([&](auto& t) { return value(t, g); });
  const long double efg = listed.mean([&](auto& t) { return value(t, f) * value(t, g); });
  const long double vf = listed.mean([&](auto& t) { return std::pow(value(t, f) - ef, 2); });
  const Tolerance loose{1e-11, 1e-12};
  EXPECT_TRUE(close(expectation(machine, features)(0), ef, loose));
  EXPECT_TRUE(close(expectation(machine, features)(1), eg, loose));
  EXPECT_EQ(expectation(machine, features)(2), 0.0);
  const Matrix e2 = second_order(machine, features, features), cov = covariance(machine, features, features);
  EXPECT_TRUE(close(e2(0, 1), efg, loose));
  EXPECT_TRUE(close(cov(0, 1), efg - ef * eg, loose));
  EXPECT_TRUE(close(cov(0, 0), vf, loose));
  EXPECT_NEAR(cov(1, 0), cov(0, 1), 1e-12 * (1 + std::abs(cov(0, 1))));
  EXPECT_EQ(cov.row(2).norm() + cov.col(2).norm(), 0.0);
  // ExtendedWide against narrow, and the other way round.
  const Matrix narrow = covariance(machine, first, features), tall = covariance(machine, features, first);
  EXPECT_LE((narrow - tall.transpose()).norm(), 1e-12);
  const long double c0 = f[0] * listed.mean([&](auto& t) { return t.counts[0] * (value(t, g) - eg); });
  EXPECT_TRUE(close(narrow(0, 1), c0, loose));

  const Moments m = moments(machine, weights_of(parts, f), 5);
  for (int n = 0; n <= 5; ++n) {
    EXPECT_TRUE(close(m.raw(n), listed.mean([&](auto& t) { return std::pow(value(t, f), n); }), {1e-11, 1e-10})) << n;
    EXPECT_TRUE(
        close(m.central(n), listed.mean([&](auto& t) { return std::pow(value(t, f) - ef, n); }), {1e-10, 1e-10}))
        << n;
  }
  EXPECT_TRUE(close(m.cumulants(4), m.central(4) - 3 * m.central(2) * m.central(2), {1e-11, 1e-11}));
  EXPECT_TRUE(close(m.cumulants(5), m.central(5) - 10 * m.central(3) * m.central(2), {1e-11, 1e-11}));
}

INSTANTIATE_TEST_SUITE_P(Machines, Enumerated, ::testing::Range(1, 41));

}  // namespace
}  // namespace kirchhoff
