// Scopes end what takes long, wherever it is, and leave everything as it was.
#include "kirchhoff/kirchhoff.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kirchhoff {
namespace {

Matrix random_scores(int words, double spread) {
  std::srand(7);  // Eigen's Random()
  return spread * Matrix::Random(words + 1, words + 1);
}

/// A machine whose states all have arcs to each other.
Wfsm dense_machine(int states) {
  WfsmBuilder builder;
  builder.add_states(states).set_start(0).set_final(states - 1);
  for (int i = 0; i < states; ++i) {
    for (int j = 0; j < states; ++j) builder.add_transition({i, j, 1, -std::log(2.0 * states) + 0.001 * (i - j)});
  }
  return builder.build();
}

/// Variables of which all pairs have scores.
FactorGraph pairs(int variables) {
  FactorGraph graph;
  std::vector<Variable> all;
  for (int i = 0; i < variables; ++i) all.push_back(graph.add_variable(std::sin(i)));
  for (int i = 0; i < variables; ++i) {
    for (int j = 0; j < i; ++j) graph.add_pair(all[i], all[j], 2 * std::sin(i * variables + j));
  }
  return graph;
}

struct Case {
  std::string name;
  std::function<double()> answer;
  int looks = 5;  ///< At least so often should it look whether to go on.
};

std::vector<Case> cases() {
  const auto mild = std::make_shared<Matrix>(random_scores(400, 3));
  const auto wide = std::make_shared<Matrix>(random_scores(40, 400));
  const auto p = std::make_shared<TreeDistribution>(*mild, Root::single);
  return {
      {"fast", [=] { return TreeDistribution(*mild, Root::single).log_partition(); }},
      {"robust", [=] { return TreeDistribution(*wide, Root::single, {.method = Method::robust}).log_partition(); }},
      {"log_marginals", [=] { return TreeDistribution(*wide, Root::multi).log_marginals()(1, 2); }},
      {"marginals_along", [=] { return p->marginals_along(*mild)(1, 2); }, 1},
      {"projective", [] { return ProjectiveTreeDistribution(random_scores(150, 1), Root::single).log_partition(); }},
      {"projective, robust",
       [=] { return ProjectiveTreeDistribution(*wide, Root::single, {.method = Method::robust}).log_partition(); }},
      {"samples", [=] { return sample_trees(*p, 200, {.seed = 1, .threads = 1}).back().score; }, 200},
      {"samples in threads", [=] { return sample_trees(*p, 200, {.seed = 1, .threads = 2}).back().score; }, 200},
      {"projective samples",
       [=] { return sample_trees(ProjectiveTreeDistribution(*wide, Root::single), 200, {.threads = 1}).back().score; },
       200},
      {"k best", [=] { return k_best_trees(*p, 50).back().score; }, 50},
      {"machine", [] { return dense_machine(200).log_partition(); }},
      {"machine, robust",
       [] { return WfsmBuilder(dense_machine(60)).build({.method = Method::robust}).log_partition(); }},
      {"belief propagation", [] { return solve_bp(pairs(12)).log_partition; }, 10},
      {"dual decomposition", [] { return solve_ad3(pairs(12)).bound; }, 3},
      {"linear program", [] { return solve_lp(pairs(12)).value; }},
      {"integer program", [] { return solve_ilp(pairs(12)).value; }},
      {"a loop of one's own",
       [] {
         double sum = 0.0;
         for (int i = 0; i < 20; ++i, StopScope::check()) sum += i;
         return sum;
       },
       20},
      {"paths", [] { return best_paths(dense_machine(30), 50).back().log_weight; }, 50},
  };
}

TEST(StopScope, EndsWhatTakesLongAndHarmsNothing) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const double expected = c.answer();
    std::atomic<int> looks = 0;
    {
      const StopScope scope([&] {
        ++looks;
        return false;
      });
      EXPECT_EQ(c.answer(), expected);
    }
    EXPECT_GE(looks, c.looks);
    for (const int last : {1, looks / 2, static_cast<int>(looks)}) {
      std::atomic<int> left = last;
      const StopScope scope([&] { return --left <= 0; });
      EXPECT_THROW(c.answer(), Stopped) << "at look " << last << " of " << looks;
    }
    EXPECT_EQ(c.answer(), expected) << "after it was stopped";
  }
}

TEST(StopScope, OfSeveralEachStops) {
  bool inner = false, outer = false;
  const Matrix scores = random_scores(300, 3);
  const auto solve = [&] { return TreeDistribution(scores, Root::multi).log_partition(); };
  const StopScope first([&] { return outer; });
  {
    const StopScope second([&] { return inner; });
    EXPECT_NO_THROW(solve());
    inner = true;
    EXPECT_THROW(solve(), Stopped);
    inner = false;
    outer = true;
    EXPECT_THROW(solve(), Stopped);
  }
  inner = true;
  outer = false;
  EXPECT_NO_THROW(solve());
  const StopScope empty{Stop()};
  EXPECT_NO_THROW(solve());
}

TEST(StopScope, ReachesTheThreadsOfALoop) {
  std::atomic<int> begun = 0;
  const StopScope scope([&] { return begun >= 10; });
  EXPECT_THROW(parallel_for(100'000, 4, [&](std::size_t) { ++begun; }), Stopped);
  EXPECT_LT(begun, 100'000);
  EXPECT_THROW(parallel_for(100'000, 1, [&](std::size_t) { ++begun; }), Stopped);
}

}  // namespace
}  // namespace kirchhoff
