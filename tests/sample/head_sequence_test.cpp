// Trees as sequences of choices: conditional probabilities against the mass of all trees that agree with a prefix.
#include "kirchhoff/head_sequence.hpp"
#include "sample/counting.hpp"

#include <functional>

namespace kirchhoff {
namespace {

/// The mass of the trees that have these heads, where one is chosen.
long double mass_of(const Trees& trees, const Heads& heads) {
  long double mass = 0.0L;
  for (std::size_t i = 0; i < trees.size(); ++i) {
    bool agrees = true;
    for (std::size_t d = 1; d < heads.size(); ++d) agrees = agrees && (heads[d] < 0 || heads[d] == trees[i].heads[d]);
    if (agrees) mass += trees[i].prob;
  }
  return mass;
}

/// Follows every choice, and counts the trees that this leads to.
std::size_t follow(HeadSequence& sequence, const Trees& trees, double tolerance) {
  const auto before = static_cast<double>(mass_of(trees, sequence.heads()));
  if (sequence.done()) {
    EXPECT_EQ(sequence.word(), -1);
    EXPECT_NEAR(sequence.log_prob(), std::log(before), tolerance);
    EXPECT_THROW(sequence.log_probabilities(), InputError);
    return 1;
  }
  std::size_t found = 0;
  const Vector logs = sequence.log_probabilities();
  for (int option = 0; option <= sequence.words(); ++option) {
    Heads heads = sequence.heads();
    const bool roots_child = sequence.word() == 0;
    if (!roots_child) heads[sequence.word()] = option;
    if (roots_child && option > 0) heads[option] = 0;
    const auto mass = roots_child && option == 0 ? 0.0 : static_cast<double>(mass_of(trees, heads));
    HeadSequence other = sequence;
    if (mass == 0.0) {
      EXPECT_EQ(logs[option], -HUGE_VAL);
      EXPECT_THROW(other.choose(option), InputError);
      continue;
    }
    EXPECT_NEAR(logs[option], std::log(mass / before), tolerance);
    other.choose(option);
    EXPECT_EQ(other.step(), sequence.step() + 1);
    found += follow(other, trees, tolerance);
  }
  return found;
}

TEST(HeadSequence, ConditionalProbabilitiesOfAllPrefixes) {
  graphs::Random random(411);
  for (const int n : {1, 2, 4})
    for (const double s : {0.0, 1.0, 20.0})
      for (const Root root : graphs::kRoots) {
        SCOPED_TRACE(testing::Message() << graphs::name(root) << ", n = " << n << ", N(0, " << s << "^2)");
        const Matrix scores = graphs::normal(n, s, random);
        const Trees trees(scores, root);
        HeadSequence sequence(TreeDistribution(scores, root));
        EXPECT_EQ(sequence.words(), n);
        EXPECT_EQ(follow(sequence, trees, 1e-6), trees.size());
      }
}

TEST(HeadSequence, CopiesGoTheirOwnWay) {
  graphs::Random random(412);
  const Matrix scores = graphs::normal(30, 1.0, random);
  for (const Root root : graphs::kRoots) {
    const TreeDistribution p(scores, root);
    HeadSequence sequence(p);
    std::vector<HeadSequence> kept;
    std::vector<Vector> logs;
    while (!sequence.done()) {
      kept.push_back(sequence);
      logs.push_back(sequence.log_probabilities());
      int best = 0;
      logs.back().maxCoeff(&best);
      sequence.choose(best);
    }
    EXPECT_NEAR(sequence.log_prob(), p.log_prob(sequence.heads()), 1e-9);
    for (std::size_t step = 0; step < kept.size(); ++step) {
      const Vector& again = kept[step].log_probabilities();
      for (int v = 0; v <= 30; ++v) {
        if (logs[step][v] == -HUGE_VAL) {
          EXPECT_EQ(again[v], -HUGE_VAL);
        } else {
          EXPECT_NEAR(again[v], logs[step][v], 1e-6);
        }
      }
    }
    HeadSequence other(p);
    other = kept[3];
    EXPECT_EQ(other.step(), 3);
    HeadSequence moved = std::move(other);
    EXPECT_EQ(moved.heads(), kept[3].heads());
  }
}

}  // namespace
}  // namespace kirchhoff
