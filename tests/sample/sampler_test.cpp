// The interface of samplers: the same seed gives the same trees, and wrong arguments are refused.
#include "sample/counting.hpp"

#include <cmath>
#include <optional>

namespace kirchhoff {
namespace {

bool same(const std::vector<Tree>& a, const std::vector<Tree>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Tree& x, const Tree& y) {
    return x.heads == y.heads && x.labels == y.labels && x.score == y.score && x.log_prob == y.log_prob;
  });
}

template <class Distribution>
void expect_reproducible(const Distribution& p) {
  for (Sampler method : samplers(p.root())) {
    SCOPED_TRACE(testing::Message() << name(method) << ", " << graphs::name(p.root()));
    const TreeSampler sampler(p, method);
    const std::vector<Tree> trees = sampler.samples(200, {.seed = 21});
    for (int threads : {1, 2, 4, 0}) EXPECT_TRUE(same(sampler.samples(200, {.seed = 21, .threads = threads}), trees));
    EXPECT_TRUE(same(TreeSampler(p, method).samples(200, {.seed = 21}), trees)) << "another object";
    // Sample i does not depend on the number of samples, nor on what was drawn before.
    EXPECT_TRUE(same(sampler.samples(77, {.seed = 21}), {trees.begin(), trees.begin() + 77}));
    for (std::uint64_t i : {199, 3, 0}) EXPECT_TRUE(same({sampler.sample(21, i)}, {trees[i]}));
    // Different seeds, different trees.
    EXPECT_FALSE(same(sampler.samples(200, {.seed = 22}), trees));
    EXPECT_FALSE(same(sampler.samples(200, {.seed = 21 + (std::uint64_t{1} << 40)}), trees));
    EXPECT_FALSE(same({trees[0]}, {trees[1]}));
  }
}

TEST(Sampler, SameSeedSameTrees) {
  graphs::Random random(321);
  for (Root root : graphs::kRoots) {
    expect_reproducible(TreeDistribution(graphs::normal(30, 0.5, random), root));
    expect_reproducible(LabelledTreeDistribution(graphs::normal(9, 3, 0.5, random), root));
    // Peaked: where rounding in Colbourn's sampler makes it start afresh.
    expect_reproducible(TreeDistribution(graphs::normal(12, 4.0, random), root));
  }
}

/// A sampler of scores draws the trees that one of their distribution draws, whatever stands where no arc is.
TEST(Sampler, OfScoresIsThatOfTheirDistribution) {
  graphs::Random random(326);
  for (Root root : graphs::kRoots) {
    for (int n : {1, 2, 7, 8, 9, 30}) {
      Matrix scores = graphs::masked_feasible(graphs::normal(n, 1.0, random), 0.8, random);
      scores.diagonal().setConstant(5.0);
      std::optional<TreeDistribution> p;
      try {
        p.emplace(scores, root);
      } catch (const Infeasible&) {  // masked_feasible promises a multi-root tree
        EXPECT_THROW(TreeSampler(scores, root, Sampler::wilson_reject), Infeasible);
        continue;
      }
      for (const Sampler method : samplers(root)) {
        const TreeSampler expected(*p, method), found(scores, root, method);
        const std::vector<Tree> trees = expected.samples(40, {.seed = 25});
        const std::vector<Heads> heads = found.heads(40, {.seed = 25});
        for (std::size_t i = 0; i < heads.size(); ++i) EXPECT_EQ(heads[i], trees[i].heads);
        EXPECT_TRUE(same(found.samples(40, {.seed = 25}), trees));
        EXPECT_EQ(found.expected_draws(), expected.expected_draws());
        EXPECT_EQ(found.method(), expected.method());
      }
    }
  }
}

TEST(Sampler, OfScoresRefusesWhatADistributionRefuses) {
  Matrix scores = Matrix::Zero(4, 4);
  EXPECT_THROW(TreeSampler(Matrix::Zero(3, 4), Root::multi, Sampler::wilson), InputError);
  EXPECT_THROW(TreeSampler(scores, Root::single, Sampler::wilson), InputError);
  EXPECT_THROW(TreeSampler(scores, Root::multi, Sampler::wilson).heads(-1), InputError);
  scores(1, 2) = std::nan("");
  EXPECT_THROW(TreeSampler(scores, Root::multi, Sampler::wilson), InputError);
  scores.col(2).setConstant(-graphs::kInf);
  EXPECT_THROW(TreeSampler(scores, Root::multi, Sampler::wilson), Infeasible);
}

/// Colbourn's workspace belongs to a thread, not to a sampler: taking turns changes nothing.
TEST(Sampler, SamplersTakingTurns) {
  graphs::Random random(322);
  std::vector<TreeSampler> some;
  for (int n : {5, 9, 5, 20})
    for (Root root : graphs::kRoots)
      some.emplace_back(TreeDistribution(graphs::normal(n, 1.0, random), root), Sampler::colbourn);
  std::vector<std::vector<Tree>> expected;
  for (const TreeSampler& sampler : some) expected.push_back(sampler.samples(20, {.seed = 23}));
  for (std::size_t i = 0; i < 20; ++i)
    for (std::size_t k = 0; k < some.size(); ++k) EXPECT_TRUE(same({some[k].sample(23, i)}, {expected[k][i]}));
}

TEST(Sampler, NamedFunctionsAreTheirMethods) {
  graphs::Random random(323);
  const Matrix scores = graphs::normal(6, 1.0, random);
  const LabelledMatrix labelled = graphs::normal(6, 2, 1.0, random);
  const SampleOptions options{.seed = 24};
  const auto check = [&](const auto& p) {
    const auto by = [&](Sampler method) { return TreeSampler(p, method).samples(30, options); };
    EXPECT_TRUE(same(sample_trees(p, 30, options), by(Sampler::automatic)));
    EXPECT_TRUE(same(sample_colbourn(p, 30, options), by(Sampler::colbourn)));
    if (p.root() == Root::multi) {
      EXPECT_TRUE(same(sample_wilson(p, 30, options), by(Sampler::wilson)));
      return;
    }
    EXPECT_TRUE(same(sample_wilson_marginal(p, 30, options), by(Sampler::wilson_marginal)));
    EXPECT_TRUE(same(sample_wilson_reject(p, 30, options), by(Sampler::wilson_reject)));
  };
  for (Root root : graphs::kRoots) {
    check(TreeDistribution(scores, root));
    check(LabelledTreeDistribution(labelled, root));
  }
}

template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Sampler, WrongRootModeNamesTheMethodsThatFit) {
  const TreeDistribution single(Matrix::Zero(4, 4), Root::single), multi(Matrix::Zero(4, 4), Root::multi);
  const std::string wilson = refusal([&] { TreeSampler(single, Sampler::wilson); });
  for (const char* fits : {"wilson_marginal", "wilson_reject", "colbourn"})
    EXPECT_NE(wilson.find(fits), std::string::npos) << wilson;
  for (Sampler method : {Sampler::wilson_marginal, Sampler::wilson_reject}) {
    const std::string message = refusal([&] { TreeSampler(multi, method); });
    EXPECT_NE(message.find("take wilson or colbourn"), std::string::npos) << message;
  }
  EXPECT_THROW(sample_wilson(single, 1), InputError);
  EXPECT_THROW(sample_wilson_marginal(multi, 1), InputError);
  EXPECT_THROW(sample_wilson_reject(multi, 1), InputError);
  const LabelledTreeDistribution labelled(LabelledMatrix(2, 2), Root::single);
  EXPECT_THROW(TreeSampler(labelled, Sampler::wilson), InputError);
}

TEST(Sampler, CountZeroAndNegative) {
  const TreeDistribution p(Matrix::Zero(4, 4), Root::single);
  EXPECT_TRUE(TreeSampler(p).samples(0).empty());
  EXPECT_TRUE(sample_trees(p, 0).empty());
  EXPECT_THROW(TreeSampler(p).samples(-1), InputError);
  EXPECT_THROW(sample_trees(p, -1), InputError);
}

TEST(Sampler, OneWord) {
  for (Root root : graphs::kRoots)
    for (double score : {0.0, -1000.0, 1e100})
      for (Sampler method : samplers(root))
        for (const Tree& tree : TreeSampler(TreeDistribution(Matrix::Constant(2, 2, score), root), method).samples(3)) {
          EXPECT_EQ(tree.heads, (Heads{-1, 0}));
          EXPECT_EQ(tree.score, score);
          EXPECT_NEAR(*tree.log_prob, 0.0, 1e-15);
        }
}

/// Graphs with one tree only, and words whose only head is the root.
TEST(Sampler, GraphsWithoutChoice) {
  const Matrix chain = graphs::chain(20, -3.0), star = graphs::star(20, 1e5);
  for (const Matrix& scores : {chain, star})
    for (Root root : graphs::kRoots)
      for (Sampler method : samplers(root))
        for (const Tree& tree : TreeSampler(TreeDistribution(scores, root), method).samples(3)) {
          EXPECT_NEAR(*tree.log_prob, 0.0, 1e-12);
          for (int d = 1; d <= 20; ++d) EXPECT_NE(scores(tree.heads[d], d), -graphs::kInf);
        }
}

}  // namespace
}  // namespace kirchhoff
