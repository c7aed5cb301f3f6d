// A chain as a weighted finite-state machine: two methods without a line of code in common give the same answers, for
// sizes that use every part of the kernels.
#include "chain/oracle.hpp"
#include "kirchhoff/chain_expectation.hpp"
#include "kirchhoff/chain_paths.hpp"
#include "kirchhoff/wfsm_expectation.hpp"
#include "support/compare.hpp"

#include <gtest/gtest.h>

namespace kirchhoff {
namespace {

using chains::random_chain;

/// State t * tags + j is tag j at position t. Emissions are on the arcs into their state, and on the starts.
Wfsm machine_of(const ChainArrays& scores) {
  const int length = scores.length(), tags = scores.tags();
  WfsmBuilder builder;
  builder.add_states(length * tags);
  for (int j = 0; j < tags; ++j) builder.set_start(j, scores.emission(0, j)).set_final((length - 1) * tags + j);
  for (int t = 1; t < length; ++t) {
    for (int i = 0; i < tags; ++i) {
      for (int j = 0; j < tags; ++j) {
        const double weight = scores.transition(t, i, j) + scores.emission(t, j);
        builder.add_transition({(t - 1) * tags + i, t * tags + j, j + 1, weight});
      }
    }
  }
  return builder.build();
}

/// Entries of transitions, in the order of the machine's.
void expect_pairs(const Vector& counts, const ChainArrays& pairs, Tolerance tolerance) {
  ASSERT_EQ(counts.size(), pairs.transitions.size());
  for (Eigen::Index k = 0; k < counts.size(); ++k) {
    EXPECT_TRUE(close(pairs.transitions.data()[k], counts[k], tolerance)) << k;
  }
}

TEST(ChainMachine, EqualsTheChain) {
  chains::Random random(61);
  for (const auto& [length, tags] : {chains::Shape{2, 7}, {9, 3}, {6, 8}, {5, 17}, {12, 20}, {3, 31}, {40, 4}}) {
    for (const double density : {2.0, 0.5}) {
      SCOPED_TRACE(chains::name({length, tags}) + " tags");
      const ChainArrays scores = random_chain(length, tags, 1.5, density, random);
      const ChainArrays other = random_chain(length, tags, 1.0, 2.0, random);
      const ChainDistribution p(scores), q(other);
      const Wfsm machine = machine_of(scores), second = machine_of(other);
      EXPECT_TRUE(close(p.log_partition(), machine.log_partition(), {1e-13, 1e-13}));
      expect_pairs(machine.transition_marginals(), p.marginals(), {1e-11, 1e-300});
      for (int j = 0; j < tags; ++j) {
        EXPECT_TRUE(close(p.marginals().emission(0, j), machine.counts().start[j], {1e-11, 1e-300}));
      }
      EXPECT_TRUE(close(entropy(p), entropy(machine), {1e-11, 1e-12}));
      EXPECT_TRUE(close(renyi(p, 2.5), renyi(machine, 2.5), {1e-11, 1e-12}));
      EXPECT_TRUE(close(kl(p, q), kl(machine, second), {1e-11, 1e-12}));
      EXPECT_TRUE(close(cross_entropy(p, q), cross_entropy(machine, second), {1e-11, 1e-12}));
      expect_pairs(entropy_gradient(machine).transitions, entropy_gradient(p), {1e-9, 1e-12});
    }
  }
}

TEST(ChainMachine, HasTheSamePaths) {
  chains::Random random(67);
  const ChainArrays scores = random_chain(15, 6, 1.0, 0.7, random);
  const ChainDistribution p(scores);
  const Wfsm machine = machine_of(scores);
  const std::vector<TagSequence> sequences = k_best_tags(p, 200);
  const std::vector<Path> paths = best_paths(machine, 200);
  ASSERT_EQ(sequences.size(), paths.size());
  for (std::size_t k = 0; k < paths.size(); ++k) {
    EXPECT_TRUE(close(sequences[k].log_prob, paths[k].log_prob, {1e-11, 1e-12}));
    Tags tags{paths[k].start};
    for (const int symbol : yield(machine, paths[k])) tags.push_back(symbol - 1);
    EXPECT_EQ(sequences[k].tags, tags) << k;
  }
}

}  // namespace
}  // namespace kirchhoff
