// Samples of chains by goodness of fit against the list of all sequences, with and without replacement.
#include "chain/oracle.hpp"
#include "kirchhoff/chain_paths.hpp"
#include "support/chi_square.hpp"
#include "support/compare.hpp"

#include <gtest/gtest.h>

#include <set>

namespace kirchhoff {
namespace {

using chains::random_chain;
using chains::Sequences;
using statistics::Counts;
using statistics::kFalseAlarm;

constexpr int repeats(int count) {
#ifdef NDEBUG
  return count;
#else
  return count / 10;  // sanitizers look for other bugs
#endif
}

std::vector<ChainArrays> small_chains() {
  chains::Random random(37);
  return {random_chain(1, 4, 1.0, 2.0, random), random_chain(3, 3, 1.0, 0.8, random),
          random_chain(5, 2, 2.0, 2.0, random), random_chain(3, 3, 400.0, 2.0, random)};
}

TEST(ChainSamples, Fit) {
  for (const ChainArrays& scores : small_chains()) {
    const Sequences all(scores);
    const ChainDistribution p(scores);
    Counts counts(all.size(), 0);
    for (const TagSequence& s : sample_tag_sequences(p, repeats(50000), 7)) {
      const std::size_t at = all.number(s.tags);
      ASSERT_LT(at, all.size());
      ++counts[at];
      EXPECT_TRUE(close(s.log_prob, all.log_p(at), {1e-11, 1e-12}));
      EXPECT_EQ(s.score, static_cast<double>(Sequences::value(scores, s.tags)));
    }
    EXPECT_GT(statistics::fit(counts, all.probabilities()), kFalseAlarm);
  }
}

TEST(ChainSamples, AreFunctionsOfSeedAndIndex) {
  chains::Random random(41);
  const ChainDistribution p(random_chain(20, 5, 1.0, 2.0, random));
  const std::vector<TagSequence> one = sample_tag_sequences(p, 300, 11, 1), more = sample_tag_sequences(p, 300, 11, 3);
  std::set<Tags> seeds;
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(one[i].tags, more[i].tags);
    EXPECT_EQ(one[i].tags, sample_tags(p, 11, i).tags);
    seeds.insert(sample_tags(p, i, 0).tags);
  }
  EXPECT_GT(seeds.size(), 290u);
}

// The first two of a list without replacement are (a, b) with probability p(a) p(b) / (1 - p(a)).
TEST(ChainSamples, PairsWithoutReplacement) {
  chains::Random random(43);
  const ChainArrays scores = random_chain(3, 2, 1.0, 2.0, random);
  const Sequences all(scores);
  const ChainDistribution p(scores);
  const std::size_t n = all.size();
  Counts counts(n * n, 0);
  std::vector<long double> expected(n * n, 0);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) expected[a * n + b] = a == b ? 0 : all.p(a) * all.p(b) / (1 - all.p(a));
  }
  std::vector<double> uniform;
  for (int seed = 0; seed < repeats(40000); ++seed) {
    const PerturbedTags two = sample_without_replacement(p, 2, seed);
    ++counts[all.number(two.sequences[0].tags) * n + all.number(two.sequences[1].tags)];
    uniform.push_back(std::exp(-std::exp(-two.perturbed[0])));  // the largest of all keys is Gumbel distributed
    ASSERT_GT(two.perturbed[0], two.perturbed[1]);
    ASSERT_GT(two.perturbed[1], two.threshold);
  }
  EXPECT_GT(statistics::fit(counts, expected), kFalseAlarm);
  EXPECT_GT(statistics::uniform(uniform), kFalseAlarm);
}

TEST(ChainSamples, ExhaustTheDistribution) {
  for (const ChainArrays& scores : small_chains()) {
    const Sequences all(scores);
    const ChainDistribution p(scores);
    DistinctTags distinct(p, 3);
    std::vector<char> seen(all.size(), 0);
    double last = HUGE_VAL;
    std::size_t count = 0;
    while (const std::optional<TagSequence> next = distinct.next()) {
      const std::size_t at = all.number(next->tags);
      ASSERT_LT(at, all.size());
      EXPECT_EQ(seen[at]++, 0);
      EXPECT_LE(distinct.perturbed(), last);
      EXPECT_TRUE(close(next->log_prob, all.log_p(at), {1e-11, 1e-12}));
      last = distinct.perturbed();
      ++count;
    }
    EXPECT_EQ(count, all.size());
    const PerturbedTags whole = sample_without_replacement(p, static_cast<int>(count) + 1, 3);
    EXPECT_EQ(whole.sequences.size(), count);
    EXPECT_EQ(whole.threshold, -HUGE_VAL);
    EXPECT_EQ(sample_without_replacement(p, 0, 3).sequences.size(), 0u);
  }
}

// A sum weighted by p / (1 - exp(-exp(log p - threshold))) is unbiased for the sum over all sequences [Kool19].
TEST(ChainSamples, ImportanceWeightsAreUnbiased) {
  chains::Random random(47);
  const ChainArrays scores = random_chain(4, 2, 1.0, 2.0, random), f = chains::random_function(4, 2, random);
  const ChainDistribution p(scores);
  std::vector<double> estimates;
  for (int seed = 0; seed < repeats(20000); ++seed) {
    const PerturbedTags some = sample_without_replacement(p, 4, seed);
    double sum = 0.0;
    for (const TagSequence& s : some.sequences) {
      const double inclusion = -std::expm1(-std::exp(s.log_prob - some.threshold));
      sum += std::exp(s.log_prob) / inclusion * static_cast<double>(Sequences::value(f, s.tags));
    }
    estimates.push_back(sum);
  }
  EXPECT_GT(statistics::mean(estimates, static_cast<double>(Sequences(scores).mean(f))), kFalseAlarm);
}

TEST(ChainSamples, StopsAndArguments) {
  chains::Random random(53);
  const ChainDistribution p(random_chain(6, 4, 1.0, 2.0, random));
  int calls = 0;
  const Stop third = [&] { return ++calls == 3; };
  EXPECT_EQ(sample_without_replacement(p, 100, 1, third).sequences.size(), 3u);
  calls = 0;
  EXPECT_EQ(k_best_tags(p, 100, third).size(), 3u);
  EXPECT_THROW(sample_tag_sequences(p, -1, 0), InputError);
  EXPECT_THROW(sample_without_replacement(p, -1), InputError);
  EXPECT_THROW(k_best_tags(p, -1), InputError);
}

}  // namespace
}  // namespace kirchhoff
