// Best paths and numbers of paths of machines that are not solved, most of which have an infinite Z.
#include "kirchhoff/wfsm_semiring.hpp"
#include "support/compare.hpp"
#include "support/message_of.hpp"
#include "wfsm/oracle.hpp"

#include <cmath>
#include <set>

namespace kirchhoff {
namespace {

using namespace wfsm_oracle;

WfsmBuilder builder_of(const Parts& parts) {
  WfsmBuilder builder;
  builder.add_states(parts.states);
  for (int s = 0; s < parts.states; ++s) builder.set_start(s, parts.start[s]).set_final(s, parts.final[s]);
  for (const Transition& t : parts.transitions) builder.add_transition(t);
  return builder;
}

/// Transitions lose some height of a state, and half of them nothing else: no cycle has a weight above 1, and many have
/// exactly 1. All numbers are multiples of 1/4.
Parts downhill(int states, int arcs, Random& random) {
  const auto number = [&](int range) { return 0.25 * static_cast<double>(random() % range); };
  Parts parts{states, {}, std::vector<double>(states, -HUGE_VAL), std::vector<double>(states, -HUGE_VAL)};
  std::vector<double> height;
  for (int s = 0; s < states; ++s) height.push_back(number(80) - 10);
  for (int k = 0; k < arcs; ++k) {
    const int from = static_cast<int>(random() % states), to = static_cast<int>(random() % states);
    const double lost = random() % 2 == 0 ? 0.0 : 0.25 + number(12);
    parts.transitions.push_back({from, to, static_cast<int>(random() % 3), height[from] - height[to] - lost});
  }
  for (std::vector<double>* part : {&parts.start, &parts.final}) {
    for (double& x : *part) x = random() % 2 == 0 ? number(20) : -HUGE_VAL;
  }
  parts.start[0] = parts.final[0] = 1.0;
  return parts;
}

TEST(WfsmSemiring, BestPathsOfMachinesOfCosts) {
  Random random(1);
  for (int repeat = 0; repeat < 60; ++repeat) {
    const int states = 1 + repeat % 4;
    const Parts parts = downhill(states, states + 2, random);
    const WfsmBuilder builder = builder_of(parts);
    const std::vector<Path> paths = best_paths(builder, 12);
    ASSERT_FALSE(paths.empty());
    std::set<std::pair<int, std::vector<int>>> seen;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      const Path& path = paths[i];
      EXPECT_TRUE(seen.insert({path.start, path.transitions}).second);
      EXPECT_TRUE(std::isnan(path.log_prob));
      if (i > 0) {
        EXPECT_LE(path.log_weight, paths[i - 1].log_weight);
      }
      int state = path.start;
      double weight = parts.start[state];
      std::vector<int> string;
      for (const int t : path.transitions) {
        ASSERT_EQ(parts.transitions[t].from, state);
        state = parts.transitions[t].to;
        weight += parts.transitions[t].log_weight;
        if (parts.transitions[t].symbol != 0) string.push_back(parts.transitions[t].symbol);
      }
      EXPECT_EQ(path.log_weight, weight + parts.final[state]);
      EXPECT_EQ(yield(builder, path), string);
    }
    // Whatever is better than the last one is in the list.
    for (const Trajectory& t : trajectories(parts, 5)) {
      if (t.log_weight > paths.back().log_weight || paths.size() < 12) {
        EXPECT_TRUE(seen.contains({t.start, t.transitions})) << repeat;
      }
    }
  }
}

TEST(WfsmSemiring, SolvedMachinesHaveTheSamePaths) {
  Random random(2);
  for (int repeat = 0; repeat < 10; ++repeat) {
    const Parts parts = random_cyclic(3, 8, 2, 1.0, 0.5, random);
    const std::vector<Path> some = best_paths(parts.build(), 10), others = best_paths(builder_of(parts), 10);
    ASSERT_EQ(some.size(), others.size());
    for (std::size_t i = 0; i < some.size(); ++i) EXPECT_EQ(some[i].transitions, others[i].transitions);
  }
}

/// 0.1 + 0.2 - 0.3 is above 0 in doubles, and no reason to go on for ever.
TEST(WfsmSemiring, CyclesOfWeightOne) {
  const double none = -HUGE_VAL;
  const Parts round{
      3, {{0, 1, 1, 0.1}, {1, 2, 1, 0.2}, {2, 0, 1, -0.3}, {0, 0, 2, 0.0}}, {0.0, none, none}, {none, none, 5.0}};
  const std::vector<Path> paths = best_paths(builder_of(round), 50);
  ASSERT_EQ(paths.size(), 50U);
  for (const Path& path : paths) EXPECT_NEAR(path.log_weight, 5.3, 1e-12);
  Parts heavier = round;
  heavier.transitions[2].log_weight = -0.25;
  EXPECT_EQ(message_of<InfiniteSum>([&] { best_paths(builder_of(heavier), 1); }),
            "[Wfsm] no trajectory is the best: the cycle 0 -> 1 -> 2 -> 0 has weight 1.05127109637602");
  heavier.transitions[3].log_weight = 2.0;
  EXPECT_THROW(best_paths(builder_of(heavier), 1), InfiniteSum);
  // A heavy cycle that no trajectory visits does no harm.
  Parts beside = round;
  beside.states = 4;
  beside.start.push_back(none);
  beside.final.push_back(none);
  beside.transitions.push_back({3, 3, 1, 7.0});
  EXPECT_NEAR(best_paths(builder_of(beside), 1).at(0).log_weight, 5.3, 1e-12);
}

TEST(WfsmSemiring, BadQuestions) {
  const double none = -HUGE_VAL;
  const Parts loop{1, {{0, 0, 1, 0.0}}, {0.0}, {0.0}};
  EXPECT_TRUE(best_paths(builder_of(loop), 0).empty());
  EXPECT_THROW(best_paths(builder_of(loop), -1), InputError);
  EXPECT_EQ(best_paths(builder_of(loop), 5, [calls = 0]() mutable { return ++calls > 4; }).size(), 1U);
  EXPECT_THROW(best_paths(builder_of({2, {}, {0.0, none}, {none, 0.0}}), 1), Infeasible);
  EXPECT_THROW(best_paths(WfsmBuilder(), 1), Infeasible);
  EXPECT_THROW(yield(builder_of(loop), Path{0, {1}, 0.0, 0.0}), InputError);
}

TEST(WfsmSemiring, Counting) {
  EXPECT_EQ(log_trajectories(Parts{1, {{0, 0, 1, -1.0}}, {0.0}, {0.0}}.build()), HUGE_VAL);
  EXPECT_EQ(log_trajectories(builder_of({1, {{0, 0, 1, 3.0}}, {0.0}, {0.0}})), HUGE_VAL);
  EXPECT_EQ(log_trajectories(builder_of({2, {}, {0.0, -HUGE_VAL}, {-HUGE_VAL, 0.0}})), -HUGE_VAL);
  Parts ladder{2001, {}, std::vector<double>(2001, -HUGE_VAL), std::vector<double>(2001, -HUGE_VAL)};
  ladder.start[0] = ladder.final[2000] = 0.0;
  for (int i = 0; i < 2000; ++i) {
    for (int k = 0; k < 3; ++k) ladder.transitions.push_back({i, i + 1, k, -5.0});
  }
  EXPECT_TRUE(close(log_trajectories(ladder.build()), 2000 * std::log(3.0L), {1e-14, 0}));
  EXPECT_EQ(log_trajectories(builder_of(ladder)), log_trajectories(ladder.build()));
}

}  // namespace
}  // namespace kirchhoff
