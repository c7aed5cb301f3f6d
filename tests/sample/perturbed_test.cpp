// Perturbed log-probabilities: log p(tree) plus independent standard Gumbel noise, in order, down to the threshold.
#include "kirchhoff/projective.hpp"
#include "sample/counting.hpp"

#include <atomic>

namespace kirchhoff {
namespace {

/// Uniform in [0, 1] when x is standard Gumbel.
double gumbel_cdf(double x) { return std::exp(-std::exp(-x)); }

TEST(Perturbed, TheHighestIsStandardGumbel) {
  graphs::Random random(351);
  for (int n : {1, 2, 4, 12})
    for (double s : {0.0, 1.0, 30.0})
      for (Root root : graphs::kRoots) {
        SCOPED_TRACE(testing::Message() << graphs::name(root) << ", n = " << n << ", N(0, " << s << "^2)");
        const TreeDistribution p(graphs::normal(n, s, random), root);
        std::vector<double> highest;
        for (int seed = 0; seed < repeats(2000); ++seed) {
          const PerturbedTrees one = sample_without_replacement(p, 1, seeded(seed));
          highest.push_back(gumbel_cdf(one.perturbed[0]));
          EXPECT_LT(one.threshold, one.perturbed[0]);
        }
        EXPECT_GT(statistics::uniform(highest), kFalseAlarm);
      }
}

/// With all trees in the sample, the noise of each is Gumbel, and of two of them independent.
TEST(Perturbed, NoiseOfEveryTreeIsIndependentGumbel) {
  graphs::Random random(352);
  for (double s : {0.0, 1.0, 30.0, 1000.0})
    for (Root root : graphs::kRoots) {
      SCOPED_TRACE(testing::Message() << graphs::name(root) << ", N(0, " << s << "^2)");
      const Matrix scores = graphs::normal(3, s, random);
      const Trees trees(scores, root);
      const TreeDistribution p(scores, root);
      constexpr int kRepeats = repeats(1500), kBins = 4;
      std::vector<std::vector<double>> noise(trees.size());
      for (int seed = 0; seed < kRepeats; ++seed) {
        const PerturbedTrees all = sample_without_replacement(p, 1000, seeded(seed));
        ASSERT_EQ(all.trees.size(), trees.size());
        for (std::size_t i = 0; i < trees.size(); ++i)
          noise[trees.number(all.trees[i])].push_back(gumbel_cdf(all.perturbed[i] - *all.trees[i].log_prob));
      }
      for (std::size_t a = 0; a < trees.size(); ++a) {
        EXPECT_GT(statistics::uniform(noise[a]), kFalseAlarm) << "tree " << a << ", log p " << trees[a].log_prob;
        for (std::size_t b = 0; b < a; ++b) {
          std::vector<statistics::Counts> table(kBins, statistics::Counts(kBins, 0));
          const auto bin = [](double u) { return std::min(kBins - 1, static_cast<int>(u * kBins)); };
          for (int i = 0; i < kRepeats; ++i) ++table[bin(noise[a][i])][bin(noise[b][i])];
          EXPECT_GT(statistics::independence(table), kFalseAlarm) << "trees " << a << " and " << b;
        }
      }
    }
}

/// Trees behind several improbable choices, next to a preferred cycle: rounding errors grow with every such choice. The
/// mean of standard Gumbel noise is Euler's constant.
void expect_mean_noise(const Matrix& scores, Root root) {
  const Trees trees(scores, root);
  const TreeDistribution p(scores, root);
  std::vector<std::vector<double>> noise(trees.size());
  for (int seed = 0; seed < repeats(200); ++seed) {
    const PerturbedTrees all = sample_without_replacement(p, static_cast<int>(trees.size()), seeded(seed));
    for (std::size_t i = 0; i < all.trees.size(); ++i)
      noise[trees.number(all.trees[i])].push_back(all.perturbed[i] - *all.trees[i].log_prob);
  }
  for (std::size_t i = 0; i < trees.size(); ++i)
    EXPECT_GT(statistics::mean(noise[i], 0.57721566490153286) * static_cast<double>(trees.size()), kFalseAlarm)
        << testing::PrintToString(trees[i].heads) << ", log p " << trees[i].log_prob;
}

TEST(Perturbed, NoiseOfImprobableTrees) {
  Matrix found(5, 5);                     // four trees were wrong by 1 to 1.5
  found << 0, -0.78, 0.29, 0.122, 0.043,  //
      0, 0, -1.89, 34.176, -1.456,        //
      0, 34.559, 0, -0.063, 1.835,        //
      0, -0.541, 34.082, 0, 1.215,        //
      0, -0.899, 0.904, 0.097, 0;
  expect_mean_noise(found, Root::single);
  graphs::Random random(356);
  for (double gap : {20.0, 30.0, 40.0})
    for (int length : {2, 3})
      for (Root root : graphs::kRoots) {
        SCOPED_TRACE(testing::Message() << graphs::name(root) << ", cycle of " << length << ", gap " << gap);
        expect_mean_noise(graphs::strong_cycle(4, length, gap, random), root);
      }
}

/// P(at most k trees have arrived at time t): then the threshold of k is at most -log t.
double at_most(const Scale& p, int k, double t) {
  std::vector<double> arrived(k + 1, 0.0);
  arrived[0] = 1;
  for (long double rate : p) {
    const double in = -std::expm1(-static_cast<double>(rate) * t);
    for (int m = k; m >= 0; --m) arrived[m] = (1 - in) * arrived[m] + (m > 0 ? in * arrived[m - 1] : 0.0);
  }
  double sum = 0;
  for (double x : arrived) sum += x;
  return std::min(1.0, sum);
}

TEST(Perturbed, ThresholdIsTheNextHighest) {
  graphs::Random random(353);
  for (int k : {0, 1, 3, 8})
    for (double s : {0.0, 1.0, 5.0})
      for (Root root : graphs::kRoots) {
        SCOPED_TRACE(testing::Message() << graphs::name(root) << ", k = " << k << ", N(0, " << s << "^2)");
        const Matrix scores = graphs::normal(4, s, random);
        const Trees trees(scores, root);
        const TreeDistribution p(scores, root);
        std::vector<double> values;
        for (int seed = 0; seed < repeats(1000); ++seed) {
          const PerturbedTrees sample = sample_without_replacement(p, k, seeded(seed));
          ASSERT_EQ(sample.trees.size(), static_cast<std::size_t>(k));
          ASSERT_EQ(sample.perturbed.size(), sample.trees.size());
          EXPECT_TRUE(std::is_sorted(sample.perturbed.rbegin(), sample.perturbed.rend()));
          EXPECT_TRUE(k == 0 || sample.perturbed.back() > sample.threshold);
          values.push_back(at_most(trees.probabilities(), k, std::exp(-sample.threshold)));
        }
        EXPECT_GT(statistics::uniform(values), kFalseAlarm);
      }
}

/// The threshold of k trees is the perturbed log-probability of the next one.
TEST(Perturbed, MoreTreesContinueTheSameList) {
  graphs::Random random(354);
  for (Root root : graphs::kRoots)
    for (double s : {0.0, 3.0, 50.0}) {
      const TreeDistribution p(graphs::normal(20, s, random), root);
      const PerturbedTrees many = sample_without_replacement(p, 60, seeded(41));
      for (int k : {0, 1, 2, 17, 59}) {
        const PerturbedTrees few = sample_without_replacement(p, k, seeded(41));
        EXPECT_EQ(few.threshold, many.perturbed[k]);
        EXPECT_TRUE(std::equal(few.perturbed.begin(), few.perturbed.end(), many.perturbed.begin()));
      }
    }
}

TEST(Perturbed, LabelledNoiseIsGumbel) {
  graphs::Random random(355);
  for (double s : {1.0, 100.0}) {
    const LabelledMatrix scores = graphs::normal(2, 2, s, random);
    const Trees trees(scores, Root::multi);
    const LabelledTreeDistribution p(scores, Root::multi);
    std::vector<std::vector<double>> noise(trees.size());
    for (int seed = 0; seed < repeats(1500); ++seed) {
      const PerturbedTrees all = sample_without_replacement(p, 100, seeded(seed));
      for (std::size_t i = 0; i < all.trees.size(); ++i)
        noise[trees.number(all.trees[i])].push_back(gumbel_cdf(all.perturbed[i] - *all.trees[i].log_prob));
    }
    for (const std::vector<double>& of_tree : noise) {
      EXPECT_EQ(of_tree.size(), static_cast<std::size_t>(repeats(1500)));
      EXPECT_GT(statistics::uniform(of_tree), kFalseAlarm);
    }
  }
}

/// Noise and thresholds of trees that are given one by one are those of trees that are drawn at once.
template <class List, class Distribution>
void expect_noise_of(const Distribution& p) {
  const PerturbedTrees all = sample_without_replacement(p, 1000, seeded(8));
  for (const bool look : {false, true}) {
    List trees(p, 8);
    for (std::size_t i = 0; i < all.trees.size(); ++i) {
      if (look) {
        EXPECT_EQ(trees.threshold(), all.perturbed[i]);
      }
      EXPECT_EQ(trees.next()->heads, all.trees[i].heads);
      EXPECT_EQ(trees.perturbed(), all.perturbed[i]);
    }
    EXPECT_EQ(trees.threshold(), -HUGE_VAL);
    EXPECT_FALSE(trees.next().has_value());
  }
}

TEST(Perturbed, OneByOneIsTheSameAsAtOnce) {
  graphs::Random random(340);
  for (const Root root : graphs::kRoots) {
    const Matrix scores = graphs::normal(3, 2.0, random);
    expect_noise_of<DistinctTrees>(TreeDistribution(scores, root));
    expect_noise_of<DistinctProjectiveTrees>(ProjectiveTreeDistribution(scores, root));
    const LabelledMatrix labelled = graphs::normal(2, 2, 1.0, random);
    expect_noise_of<DistinctTrees>(LabelledTreeDistribution(labelled, root));
    expect_noise_of<DistinctProjectiveTrees>(LabelledProjectiveTreeDistribution(labelled, root));
  }
}

/// Bit by bit, labels and threshold included.
void expect_same(const PerturbedTrees& a, const PerturbedTrees& b) {
  ASSERT_EQ(a.trees.size(), b.trees.size());
  EXPECT_EQ(a.perturbed, b.perturbed);
  EXPECT_EQ(a.threshold, b.threshold);
  for (std::size_t i = 0; i < a.trees.size(); ++i) {
    EXPECT_EQ(a.trees[i].heads, b.trees[i].heads) << i;
    EXPECT_EQ(a.trees[i].labels, b.trees[i].labels) << i;
    EXPECT_EQ(a.trees[i].log_prob, b.trees[i].log_prob) << i;
  }
}

TEST(Perturbed, TreesDoNotDependOnTheNumberOfThreads) {
  graphs::Random random(357);
  for (const int n : {2, 6, 40})
    for (const double s : {0.5, 5.0, 100.0})
      for (const Root root : graphs::kRoots) {
        SCOPED_TRACE(testing::Message() << graphs::name(root) << ", n = " << n << ", N(0, " << s << "^2)");
        const TreeDistribution p(graphs::normal(n, s, random), root);
        const LabelledTreeDistribution labelled(graphs::normal(n, 3, s, random), root);
        for (const int k : {0, 1, 5, 60}) {
          const PerturbedTrees one = sample_without_replacement(p, k, seeded(9));
          const PerturbedTrees one_labelled = sample_without_replacement(labelled, k, seeded(9));
          for (const int threads : {2, 5, kAllCores}) {
            expect_same(one, sample_without_replacement(p, k, {.seed = 9, .threads = threads}));
            expect_same(one_labelled, sample_without_replacement(labelled, k, {.seed = 9, .threads = threads}));
          }
        }
      }
}

TEST(BatchSamples, AreThoseOfEachGraphWithItsSeed) {
  graphs::Random random(359);
  MatrixBatch scores;
  for (const int n : {3, 12, 1, 7}) scores.add(graphs::normal(n, 2.0, random));
  scores.add(Matrix::Constant(4, 4, -graphs::kInf));  // no tree
  const TreeBatch batch(scores, Root::single, {.threads = 2});
  const std::vector<std::vector<Tree>> samples = sample_trees(batch, 9, 70);
  const std::vector<PerturbedTrees> distinct = sample_without_replacement(batch, 6, 70);
  ASSERT_EQ(samples.size(), 5u);
  for (std::size_t i = 0; i < 4; ++i) {
    const TreeDistribution p(scores[i], Root::single);
    expect_same(distinct[i], sample_without_replacement(p, 6, seeded(70 + i)));
    const std::vector<Tree> expected = sample_trees(p, 9, seeded(70 + i));
    ASSERT_EQ(samples[i].size(), 9u);
    for (std::size_t k = 0; k < 9; ++k) EXPECT_EQ(samples[i][k].heads, expected[k].heads);
  }
  EXPECT_TRUE(samples[4].empty());
  EXPECT_TRUE(distinct[4].trees.empty());
  EXPECT_EQ(distinct[4].threshold, -graphs::kInf);
  EXPECT_THROW(sample_trees(batch, -1), InputError);
  EXPECT_THROW(sample_without_replacement(batch, -1), InputError);
  EXPECT_THROW(sample_trees(batch, 1, 0, [] { return true; }), Stopped);
  for (const int graphs : {1, 3}) {  // also within the last graph, and by an answer that is given once
    MatrixBatch same;
    for (int i = 0; i < graphs; ++i) same.add(scores[1]);
    std::atomic<int> asked = 0;
    EXPECT_THROW(sample_without_replacement(TreeBatch(same, Root::single, {.threads = 1}), 5, 0,
                                            [&] { return ++asked == 6 * graphs - 1; }),
                 Stopped);
  }
}

TEST(Perturbed, WhatThreadsHaveWhenStoppedComesFirst) {
  graphs::Random random(358);
  const TreeDistribution p(graphs::normal(20, 1.0, random), Root::single);
  const PerturbedTrees all = sample_without_replacement(p, 200, seeded(10));
  for (const int threads : {1, 4}) {
    std::atomic<int> asked = 0;
    const PerturbedTrees some =
        sample_without_replacement(p, 200, {.seed = 10, .threads = threads}, [&] { return ++asked == 50; });
    // A thread that waits for its turn may hold an early arrival, and what comes below it is not known then.
    if (threads == 1) {
      EXPECT_EQ(some.trees.size(), 50u);
    }
    ASSERT_LE(some.trees.size(), 50u + threads);
    for (std::size_t i = 0; i < some.trees.size(); ++i) EXPECT_EQ(some.trees[i].heads, all.trees[i].heads);
    EXPECT_EQ(some.threshold, all.perturbed[some.trees.size()]);
  }
}

}  // namespace
}  // namespace kirchhoff
