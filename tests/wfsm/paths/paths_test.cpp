// Best paths of cyclic machines, and samples.
#include "support/compare.hpp"
#include "wfsm/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace kirchhoff {
namespace {

using namespace wfsm_oracle;

TEST(WfsmPaths, BestOfCyclicMachines) {
  Random random(1);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const int n = 1 + repeat % 4;
    const Parts parts = random_cyclic(n, 2 * n + 1, 2, 1.0, 0.5, random);
    const Wfsm machine = parts.build();
    // Enough length: what is longer weighs less than 0.5^8 times a start and a final weight, so compare above that.
    std::vector<Trajectory> all = trajectories(parts, 7);
    std::stable_sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.log_weight > b.log_weight; });
    const double ends = *std::max_element(parts.start.begin(), parts.start.end()) +
                        *std::max_element(parts.final.begin(), parts.final.end());
    const std::vector<Path> paths = best_paths(machine, 40);
    std::set<std::pair<int, std::vector<int>>> seen;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      EXPECT_TRUE(seen.insert({paths[i].start, paths[i].transitions}).second);
      if (paths[i].log_weight < ends + 8 * std::log(0.5)) break;
      ASSERT_LT(i, all.size());
      EXPECT_TRUE(close(paths[i].log_weight, all[i].log_weight, {1e-12, 1e-12})) << repeat << " " << i;
      EXPECT_TRUE(close(paths[i].log_prob, paths[i].log_weight - machine.log_partition(), {1e-11, 1e-11}));
    }
  }
}

TEST(WfsmPaths, ManyEqualPaths) {
  // 3^12 paths of the same weight: no search through all of them for the first few.
  Parts parts{13, {}, std::vector<double>(13, -HUGE_VAL), std::vector<double>(13, -HUGE_VAL)};
  for (int i = 0; i < 12; ++i) {
    for (int s = 1; s <= 3; ++s) parts.transitions.push_back({i, i + 1, s, 0.0});
  }
  parts.start[0] = parts.final[12] = 0.0;
  const std::vector<Path> paths = best_paths(parts.build(), 1000);
  ASSERT_EQ(paths.size(), 1000U);
  std::set<std::vector<int>> seen;
  for (const Path& p : paths) EXPECT_TRUE(seen.insert(p.transitions).second);
}

/// Chi-square with a fixed seed: the bound is passed by chance once in 10^6 samplers.
TEST(WfsmPaths, SamplesFollowTheDistribution) {
  Random random(3);
  for (int repeat = 0; repeat < 5; ++repeat) {
    const Parts parts = random_cyclic(1 + repeat, 3 + 2 * repeat, 2, 1.0, 0.5, random);
    const Wfsm machine = parts.build();
    const int n = 40000;
    std::map<std::pair<int, std::vector<int>>, int> seen;
    for (const Path& p : sample_paths(machine, n, 7 + repeat)) {
      ++seen[{p.start, p.transitions}];
      EXPECT_LE(p.log_prob, 0.0);
    }
    double chi = 0, rest = 1;
    int bins = 0, rest_seen = n;
    for (const Path& p : best_paths(machine, 200)) {
      const double expected = n * std::exp(p.log_prob);
      if (expected < 10) break;
      const auto found = seen.find({p.start, p.transitions});
      const int count = found == seen.end() ? 0 : found->second;
      chi += (count - expected) * (count - expected) / expected;
      rest -= std::exp(p.log_prob);
      rest_seen -= count;
      ++bins;
    }
    if (n * rest > 10) chi += std::pow(rest_seen - n * rest, 2) / (n * rest), ++bins;
    ASSERT_GT(bins, 2);
    const double df = bins - 1;  // Wilson and Hilferty's cube root, 4.75 standard deviations
    const double limit = df * std::pow(1 - 2 / (9 * df) + 4.75 * std::sqrt(2 / (9 * df)), 3);
    EXPECT_LT(chi, limit) << bins << " bins, repeat " << repeat;
  }
}

TEST(WfsmPaths, SamplesAreTheSameForAnyNumberOfThreads) {
  Random random(4);
  const Wfsm machine = random_cyclic(30, 200, 3, 1.0, 0.9, random).build();
  const std::vector<Path> one = sample_paths(machine, 500, 99, 1), two = sample_paths(machine, 500, 99, 2);
  for (int i = 0; i < 500; ++i) {
    EXPECT_EQ(one[i].transitions, two[i].transitions);
    EXPECT_EQ(one[i].log_weight, two[i].log_weight);
  }
  EXPECT_EQ(sample_path(machine, 99, 123).transitions, one[123].transitions);
  EXPECT_NE(sample_paths(machine, 20, 98, 1)[0].transitions.size() +
                sample_paths(machine, 20, 98, 1)[1].transitions.size() * 1000,
            one[0].transitions.size() + one[1].transitions.size() * 1000);
  EXPECT_THROW(sample_paths(machine, -1, 0), InputError);
  const Wfsm endless = Parts{1, {{0, 0, 1, -1e-9}}, {0.0}, {0.0}}.build();
  EXPECT_THROW(sample_path(endless, 0), InputError);
}

}  // namespace
}  // namespace kirchhoff
