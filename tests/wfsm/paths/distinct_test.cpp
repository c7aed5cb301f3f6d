// Trajectories without replacement: the second one's distribution, all of them, and machines with cycles.
#include "kirchhoff/wfsm_distinct.hpp"
#include "wfsm/oracle.hpp"

#include <cmath>
#include <map>
#include <set>

namespace kirchhoff {
namespace {

Wfsm lattice() {
  WfsmBuilder b;
  b.add_states(4).set_start(0, 0.3).set_start(1, -0.5).set_final(3).set_final(2, -1.0);
  b.add_transition({0, 1, 1, 0.4}).add_transition({0, 2, 2, -0.2}).add_transition({1, 2, 1, 0.1});
  b.add_transition({1, 2, 2, 0.7}).add_transition({2, 3, 1, -0.4}).add_transition({0, 3, 3, -HUGE_VAL});
  return b.build();
}

/// p(loop^k) = 1/2^(k+1).
Wfsm geometric() {
  WfsmBuilder b;
  b.add_states(1).set_start(0).set_final(0, std::log(0.5));
  b.add_transition({0, 0, 1, std::log(0.5)});
  return b.build();
}

using Key = std::pair<int, std::vector<int>>;
Key key(const Path& path) { return {path.start, path.transitions}; }

TEST(DistinctWfsmPaths, SecondOnesHaveTheirProbabilities) {
  const Wfsm m = lattice();
  const std::vector<Path> all = best_paths(m, 1000);
  const int count = 40000;
  std::map<std::pair<Key, Key>, double> seen;
  for (int i = 0; i < count; ++i) {
    const PerturbedPaths two = sample_without_replacement(m, 2, static_cast<std::uint64_t>(i));
    ASSERT_EQ(two.paths.size(), 2u);
    ASSERT_GE(two.perturbed[0], two.perturbed[1]);
    ASSERT_GE(two.perturbed[1], two.threshold);
    seen[{key(two.paths[0]), key(two.paths[1])}] += 1.0;
  }
  double chi = 0.0;
  for (const Path& a : all) {
    for (const Path& b : all) {
      if (&a == &b) continue;
      const double p = std::exp(a.log_prob), expected = count * p * std::exp(b.log_prob) / (1.0 - p);
      chi += std::pow(seen[{key(a), key(b)}] - expected, 2) / expected;
    }
  }
  const double freedom = static_cast<double>(all.size() * (all.size() - 1)) - 1.0;
  EXPECT_LT(chi, freedom + 5.0 * std::sqrt(2.0 * freedom));  // 5 sigma
}

TEST(DistinctWfsmPaths, AreAllInTheEnd) {
  const Wfsm m = lattice();
  const std::size_t count = best_paths(m, 1000).size();
  const PerturbedPaths all = sample_without_replacement(m, 1000, 3);
  ASSERT_EQ(all.paths.size(), count);
  EXPECT_EQ(all.threshold, -HUGE_VAL);
  std::set<Key> keys;
  double total = 0.0;
  for (const Path& path : all.paths) {
    keys.insert(key(path));
    total += std::exp(path.log_prob);
  }
  EXPECT_EQ(keys.size(), count);
  EXPECT_NEAR(total, 1.0, 1e-12);
  EXPECT_THROW(sample_without_replacement(m, -1), InputError);
  EXPECT_TRUE(sample_without_replacement(m, 0).paths.empty());
  int calls = 0;
  EXPECT_EQ(sample_without_replacement(m, 5, 1, [&] { return ++calls == 2; }).paths.size(), 2u);
}

TEST(DistinctWfsmPaths, GoOnForeverWithCycles) {
  const Wfsm m = geometric();
  DistinctPaths paths(m, 1);
  std::set<std::size_t> lengths;
  double before = HUGE_VAL;
  for (int i = 0; i < 40; ++i) {
    const std::optional<Path> path = paths.next();
    ASSERT_TRUE(path);
    EXPECT_TRUE(lengths.insert(path->transitions.size()).second);
    EXPECT_NEAR(path->log_prob, -static_cast<double>(path->transitions.size() + 1) * std::log(2.0), 1e-12);
    EXPECT_LE(paths.perturbed(), before);
    before = paths.perturbed();
  }
}

}  // namespace
}  // namespace kirchhoff
