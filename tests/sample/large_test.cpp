// Samplers of the scores of large graphs draw their first trees by rejection: the law of heads and trees, and what is
// the same as with tables.
#include "sample/counting.hpp"
#include "sample/rejection.hpp"

#include <cmath>
#include <set>

namespace kirchhoff {
namespace {

using graphs::kInf;

/// As samplers prepare scores; no arc is on the diagonal.
Matrix prepared(Matrix scores) {
  scores.diagonal() = scores.row(0);
  return scores;
}

/// Three blocks of heads, the last of them short: alike, far apart, with many impossible, and with one or two heads
/// that outweigh all others.
std::vector<Matrix> hard_columns() {
  graphs::Random random(501);
  std::vector<Matrix> all{graphs::normal(150, 0.0, random), graphs::normal(150, 1.0, random),
                          graphs::normal(150, 4.0, random),
                          graphs::masked_feasible(graphs::normal(150, 1.0, random), 0.1, random)};
  Matrix peaked = graphs::normal(150, 1.0, random);
  peaked.row(63).array() += 9.0;
  peaked.row(64).array() += 9.0;
  all.push_back(peaked);
  peaked.row(150).array() += 30.0;
  all.push_back(peaked);
  all.push_back(all.back());
  for (Matrix& scores : all) scores = prepared(scores);
  all.back().diagonal().setConstant(-kInf);
  return all;
}

TEST(LargeGraphs, HeadsAreDrawnByWeight) {
  std::uint64_t stream = 0;
  for (const Matrix& scores : hard_columns()) {
    const sample::RejectionDraws draws(scores, Root::multi);
    for (const int word : {1, 64, 65, 150}) {
      SCOPED_TRACE(testing::Message() << "stream " << stream << ", word " << word);
      std::vector<long double> weights;
      for (int head = 0; head <= 150; ++head) {
        weights.push_back(head == word ? 0.0L : std::exp(static_cast<long double>(scores(head, word))));
      }
      statistics::Counts counts(weights.size(), 0);
      base::Random random(502, stream++);
      for (int i = 0; i < repeats(20000); ++i) ++counts[static_cast<std::size_t>(draws.draw(word, random))];
      for (std::size_t head = 0; head < weights.size(); ++head) {
        if (weights[head] > 0.0L) continue;
        EXPECT_EQ(counts[head], 0) << head;
      }
      long double total = 0;
      for (const long double w : weights) total += w;
      for (long double& w : weights) w /= total;
      EXPECT_GT(statistics::fit(counts, weights), kFalseAlarm);
    }
  }
}

/// Loops are erased all at once, which changes neither the trees nor how many draws they take.
TEST(LargeGraphs, WalksGiveTreesByWeight) {
  graphs::Random random(503);
  for (const double spread : {0.5, 2.0}) {
    const Matrix scores = prepared(graphs::normal(4, spread, random));
    const Trees trees(scores, Root::multi);
    const sample::RejectionDraws draws(scores, Root::multi);
    std::vector<std::size_t> numbers;
    std::vector<double> all_draws;
    for (std::uint64_t i = 0; i < repeats(20000); ++i) {
      base::Random stream(504, i);
      Walk walk;
      ASSERT_TRUE(draws.wilson(stream, kLargestWalk, walk));
      EXPECT_GE(walk.draws, 4);
      all_draws.push_back(static_cast<double>(walk.draws));
      numbers.push_back(trees.number(walk.heads));
    }
    EXPECT_GT(fit(numbers, trees), kFalseAlarm);
    const TreeSampler by_tables(TreeDistribution(scores, Root::multi), Sampler::wilson);
    EXPECT_GT(statistics::mean(all_draws, by_tables.expected_draws()), kFalseAlarm);
    base::Random stream(505, 0);
    Walk walk;
    EXPECT_FALSE(draws.wilson(stream, 3, walk));
    EXPECT_EQ(walk.draws, 3);
  }
}

/// The heads of some words, counted over the first samples of many seeds, against the marginals.
TEST(LargeGraphs, HeadsOfTreesHaveTheirMarginals) {
  graphs::Random random(506);
  const Matrix scores = around_a_tree(300, 5.0, random);
  for (const Root root : graphs::kRoots) {
    SCOPED_TRACE(graphs::name(root));
    const Sampler method = root == Root::multi ? Sampler::wilson : Sampler::wilson_reject;
    const TreeSampler sampler(scores, root, method);
    const Matrix marginals = TreeDistribution(scores, root).marginals();
    std::map<int, statistics::Counts> counts;
    for (const int word : {1, 100, 300}) counts[word].assign(301, 0);
    for (int seed = 0; seed < repeats(60); ++seed) {
      for (const Heads& heads : sampler.heads(64, seeded(static_cast<std::uint64_t>(seed)))) {
        for (auto& [word, of_word] : counts) ++of_word[static_cast<std::size_t>(heads[static_cast<std::size_t>(word)])];
      }
    }
    for (const auto& [word, of_word] : counts) {
      Scale expected;
      for (int head = 0; head <= 300; ++head) expected.push_back(marginals(head, word));
      EXPECT_GT(statistics::fit(of_word, expected), kFalseAlarm) << word;
    }
  }
}

/// Sample i is the same for any number of samples and threads, copied or moved; from number 64 on it is the one of the
/// distribution's sampler.
TEST(LargeGraphs, SameSeedSameTrees) {
  graphs::Random random(507);
  Matrix scores = around_a_tree(260, 5.0, random);
  for (const Root root : graphs::kRoots) {
    const Sampler method = root == Root::multi ? Sampler::wilson : Sampler::wilson_reject;
    const TreeSampler sampler(scores, root, method);
    const std::vector<Heads> all = sampler.heads(70, seeded(31));
    EXPECT_EQ(sampler.heads(70, {.seed = 31, .threads = 3}), all);
    EXPECT_EQ(sampler.walk(31, 5).heads, all[5]);
    EXPECT_EQ(sampler.walk(31, 66).heads, all[66]);
    EXPECT_EQ(sampler.sample(31, 7).heads, all[7]);
    EXPECT_EQ(std::set<Heads>(all.begin(), all.end()).size(), all.size());
    EXPECT_EQ(TreeSampler(Matrix(scores), root, method).heads(70, seeded(31)), all);
    const std::vector<Heads> by_tables = TreeSampler(TreeDistribution(scores, root), method).heads(70, seeded(31));
    EXPECT_TRUE(std::equal(all.begin() + 64, all.end(), by_tables.begin() + 64));
  }
}

TEST(LargeGraphs, WrongScoresAreRefused) {
  const auto make = [](const Matrix& scores) { return TreeSampler(scores, Root::multi, Sampler::wilson); };
  const Matrix zeros = Matrix::Zero(301, 301);
  Matrix scores = zeros;
  scores.col(0).setConstant(std::nan(""));  // no arcs
  scores.diagonal().setConstant(std::nan(""));
  EXPECT_NO_THROW(make(scores).heads(1));
  for (const double wrong : {std::nan(""), kInf, 1e101, -1e101}) {
    scores = zeros;
    scores(7, 290) = wrong;
    EXPECT_THROW(make(scores), InputError) << wrong;
  }
  scores = zeros;
  scores.col(290).setConstant(-kInf);
  EXPECT_THROW(make(scores), Infeasible);
  scores(290 - 1, 290) = 0.0;
  EXPECT_EQ(make(scores).heads(1)[0][290], 289);
}

}  // namespace
}  // namespace kirchhoff
