// Without replacement: the joint distribution of trees in the order they come, none twice, none missing.
#include "kirchhoff/expectation.hpp"
#include "sample/counting.hpp"

#include <numeric>
#include <set>

namespace kirchhoff {
namespace {

template <class Distribution>
std::vector<Tree> lazily(const Distribution& p, int k, std::uint64_t seed) {
  DistinctTrees source(p, seed);
  std::vector<Tree> trees;
  while (static_cast<int>(trees.size()) < k) {
    std::optional<Tree> tree = source.next();
    if (!tree) break;
    trees.push_back(std::move(*tree));
  }
  return trees;
}

template <class Distribution>
std::vector<Tree> at_once(const Distribution& p, int k, std::uint64_t seed) {
  return sample_without_replacement(p, k, seeded(seed)).trees;
}

/// The probability of every list of `length` different trees, written as a number in base `trees`: each is drawn by its
/// share of what is left. Shares are sums over what is left, in units of the best: right for any log-probabilities.
Scale ordered_probabilities(const Trees& trees, int length) {
  Scale result(static_cast<std::size_t>(std::pow(trees.size(), length) + 0.5), 0);
  std::vector<bool> taken(trees.size(), false);
  const std::function<void(std::size_t, long double, int)> extend = [&](std::size_t code, long double p, int left) {
    if (left == 0) {
      result[code] = p;
      return;
    }
    std::vector<oracle::Real> rest;
    for (std::size_t i = 0; i < trees.size(); ++i)
      if (!taken[i]) rest.push_back(trees[i].log_prob);
    const oracle::Real log_rest = oracle::log_sum_exp(rest);
    for (std::size_t i = 0; i < trees.size(); ++i) {
      if (taken[i]) continue;
      taken[i] = true;
      extend(code * trees.size() + i, p * std::exp(trees[i].log_prob - log_rest), left - 1);
      taken[i] = false;
    }
  };
  extend(0, 1, length);
  return result;
}

template <class Distribution, class Scores>
void expect_ordered(const Scores& scores, Root root, int length, int count) {
  const Trees trees(scores, root);
  length = std::min<int>(length, static_cast<int>(trees.size()));
  const Scale expected = ordered_probabilities(trees, length);
  const Distribution p(scores, root);
  for (const auto draw : {lazily<Distribution>, at_once<Distribution>}) {
    SCOPED_TRACE(draw == lazily<Distribution> ? "DistinctTrees" : "sample_without_replacement");
    statistics::Counts counts(expected.size(), 0);
    for (int seed = 0; seed < count; ++seed) {
      std::size_t code = 0;
      for (const Tree& tree : draw(p, length, seed + (draw == lazily<Distribution> ? 0 : count)))
        code = code * trees.size() + trees.number(tree);
      ++counts[code];
    }
    EXPECT_GT(statistics::fit(counts, expected), kFalseAlarm);
  }
}

TEST(WithoutReplacement, OrderedPairsAndTriples) {
  graphs::Random random(331);
  for (int n : {1, 2, 3})
    for (double gap : {0.0, 2.0, 7.0})
      for (int length : {2, 3})
        for (Root root : graphs::kRoots) {
          SCOPED_TRACE(testing::Message() << graphs::name(root) << ", n = " << n << ", gap " << gap);
          expect_ordered<TreeDistribution>(around_a_tree(n, gap, random), root, length,
                                           repeats(length == 2 ? 4000 : 10000));
        }
}

/// The first tree has all of the probability but e^-35, e^-350, e^-3500. The second and third must still be right.
TEST(WithoutReplacement, OrderedTriplesBehindAlmostAll) {
  graphs::Random random(332);
  for (int n : {2, 3})
    for (double gap : {20.0, 35.0, 350.0, 3500.0})
      for (Root root : graphs::kRoots) {
        SCOPED_TRACE(testing::Message() << graphs::name(root) << ", n = " << n << ", gap " << gap);
        expect_ordered<TreeDistribution>(around_a_tree(n, gap, random), root, 3, repeats(2000));
      }
}

TEST(WithoutReplacement, OrderedPairsOfSparseSteepAndConstrainedGraphs) {
  graphs::Random random(333);
  for (int repeat = 0; repeat < 4; ++repeat)
    for (double s : {1.0, 5.0, 100.0})
      for (Root root : graphs::kRoots) {
        SCOPED_TRACE(testing::Message() << graphs::name(root) << ", N(0, " << s << "^2)");
        const Matrix scores = graphs::masked_feasible(graphs::normal(4, s, random), 0.6, random);
        expect_ordered<TreeDistribution>(scores, root, 2, repeats(2000));
      }
  const Constraints constraints{.require = {{3, 1}}, .forbid = {{0, 2}, {4, 2}}};
  for (Root root : graphs::kRoots)
    expect_ordered<TreeDistribution>(constrained(graphs::normal(4, 1.0, random), root, constraints), root, 2,
                                     repeats(5000));
}

TEST(WithoutReplacement, OrderedPairsOfLabelledTrees) {
  graphs::Random random(334);
  for (int n : {1, 2})
    for (double s : {0.0, 1.0, 10.0, 100.0})
      for (Root root : graphs::kRoots) {
        SCOPED_TRACE(testing::Message() << graphs::name(root) << ", n = " << n << ", N(0, " << s << "^2)");
        expect_ordered<LabelledTreeDistribution>(graphs::normal(n, 3, s, random), root, 2, repeats(5000));
        expect_ordered<LabelledTreeDistribution>(graphs::normal(n, 2, s, random), root, 3, repeats(5000));
      }
}

/// P(tree i is among the first k), for all i. In a race where tree i arrives after an exponential time of rate p_i:
/// integral over t of p_i exp(-p_i t) P(at most k - 1 of the others before t), by the trapezoidal rule in log t.
std::vector<double> inclusion_probabilities(const Scale& p, int k) {
  const std::size_t size = p.size();
  std::vector<double> result(size, 0.0);
  constexpr double kStep = 0.1;
  std::vector<std::vector<double>> before(size + 1, std::vector<double>(k, 0.0)), after = before;
  for (double log_t = -25.0; log_t < 16.0; log_t += kStep) {
    const double t = std::exp(log_t);
    before[0][0] = after[size][0] = 1;  // P(m of the first i, of those after i, have arrived)
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t j = size - 1 - i;
      const double in = -std::expm1(-static_cast<double>(p[i]) * t), in_j = -std::expm1(-static_cast<double>(p[j]) * t);
      for (int m = 0; m < k; ++m) {
        before[i + 1][m] = (1 - in) * before[i][m] + (m > 0 ? in * before[i][m - 1] : 0.0);
        after[j][m] = (1 - in_j) * after[j + 1][m] + (m > 0 ? in_j * after[j + 1][m - 1] : 0.0);
      }
    }
    for (std::size_t i = 0; i < size; ++i) {
      double few = 0, some = 0;
      for (int m = 0; m < k; ++m) {
        some += after[i + 1][m];
        few += before[i][k - 1 - m] * some;
      }
      const auto rate = static_cast<double>(p[i]);
      result[i] += kStep * t * rate * std::exp(-rate * t) * few;
    }
  }
  return result;
}

TEST(WithoutReplacement, InclusionProbabilities) {
  graphs::Random random(335);
  for (Root root : graphs::kRoots)
    for (double s : {1.0, 2.5}) {
      constexpr int kTaken = 8, kRepeats = repeats(1500);
      SCOPED_TRACE(testing::Message() << graphs::name(root) << ", N(0, " << s << "^2)");
      const Matrix scores = graphs::normal(5, s, random);
      const Trees trees(scores, root);
      const std::vector<double> expected = inclusion_probabilities(trees.probabilities(), kTaken);
      ASSERT_NEAR(std::accumulate(expected.begin(), expected.end(), 0.0), kTaken, 1e-3) << "the integral";
      const TreeDistribution p(scores, root);
      for (const auto draw : {lazily<TreeDistribution>, at_once<TreeDistribution>}) {
        statistics::Counts counts(trees.size(), 0);
        for (int seed = 0; seed < kRepeats; ++seed)
          for (const Tree& tree : draw(p, kTaken, seed + (draw == lazily<TreeDistribution> ? 0 : kRepeats)))
            ++counts[trees.number(tree)];
        double worst = 1;
        for (std::size_t i = 0; i < trees.size(); ++i)
          worst = std::min(worst, statistics::binomial(counts[i], kRepeats, std::min(1.0, expected[i])));
        EXPECT_GT(worst * static_cast<double>(trees.size()), kFalseAlarm);
      }
    }
}

/// Both ways, with seeds of their own: the number of samples, of the first k, with each number of arcs of the best
/// tree.
TEST(WithoutReplacement, LazilyAndAtOnceAgreeInDistribution) {
  graphs::Random random(336);
  for (Root root : graphs::kRoots) {
    const TreeDistribution p(around_a_tree(15, 3.0, random), root);
    const Heads best = best_tree(p).heads;
    constexpr int kTaken = 6;
    for (int rank = 0; rank < kTaken; ++rank) {
      std::vector<statistics::Counts> table(2, statistics::Counts(17, 0));
      for (int seed = 0; seed < repeats(400); ++seed)
        for (int way : {0, 1}) {
          const auto trees = way == 0 ? lazily(p, kTaken, seed) : at_once(p, kTaken, 1000 + seed);
          int right = 0;
          for (int d = 1; d <= 15; ++d) right += trees[rank].heads[d] == best[d];
          ++table[way][right];
        }
      EXPECT_GT(statistics::independence(table), kFalseAlarm) << "tree number " << rank;
    }
  }
}

/// Das' and Raj's estimate from the first trees, f(x_3) (1 - p(x_1) - p(x_2)) + p(x_1) f(x_1) + p(x_2) f(x_2), is
/// unbiased exactly when each tree is drawn from what the earlier ones leave. Any number of words.
TEST(WithoutReplacement, LargerGraphsAgainstExactExpectations) {
  graphs::Random random(337);
  for (Root root : graphs::kRoots)
    for (double gap : {5.0, 7.0}) {
      constexpr int kWords = 25;
      const TreeDistribution p(around_a_tree(kWords, gap, random), root);
      const Matrix feature = graphs::normal(kWords, 1.0, random);
      const double expected = expectation(p, Features::from_matrices({feature}))[0];
      std::vector<double> estimates;
      for (int seed = 0; seed < repeats(800); ++seed) {
        double seen = 0, estimate = 0;
        const std::vector<Tree> trees = lazily(p, 4, seed);
        for (const Tree& tree : trees) {
          double f = 0;
          for (int d = 1; d <= kWords; ++d) f += feature(tree.heads[d], d);
          const double mass = &tree == &trees.back() ? 1 - seen : std::exp(*tree.log_prob);
          estimate += mass * f;
          seen += mass;
        }
        estimates.push_back(estimate);
      }
      EXPECT_GT(statistics::mean(estimates, expected), kFalseAlarm) << "gap " << gap << ", " << graphs::name(root);
    }
}

/// One race: the same trees either way, whatever their number.
TEST(WithoutReplacement, SameSeedSameTrees) {
  graphs::Random random(338);
  for (Root root : graphs::kRoots)
    for (double s : {0.5, 4.0, 30.0}) {
      const TreeDistribution p(graphs::normal(12, s, random), root);
      const std::vector<Tree> lazy = lazily(p, 40, 5);
      ASSERT_EQ(lazy.size(), 40U);
      for (int k : {0, 1, 7, 40}) {
        const PerturbedTrees some = sample_without_replacement(p, k, seeded(5));
        ASSERT_EQ(some.trees.size(), static_cast<std::size_t>(k));
        for (int i = 0; i < k; ++i) {
          EXPECT_EQ(some.trees[i].heads, lazy[i].heads);
          EXPECT_EQ(some.trees[i].log_prob, lazy[i].log_prob);
        }
      }
      int differ = 0;
      for (int i = 0; i < 40; ++i) differ += lazily(p, 40, 6)[i].heads != lazy[i].heads;
      EXPECT_GT(differ, 0);
    }
}

TEST(WithoutReplacement, CanBeMoved) {
  const TreeDistribution p(Matrix::Zero(3, 3), Root::multi);
  DistinctTrees trees(p, 1);
  EXPECT_TRUE(trees.next().has_value());
  DistinctTrees moved = std::move(trees);
  EXPECT_TRUE(moved.next().has_value());
  trees = std::move(moved);
  EXPECT_TRUE(trees.next().has_value());
  EXPECT_FALSE(trees.next().has_value());
}

TEST(WithoutReplacement, StoppedIsASampleOfSoMany) {
  graphs::Random random(339);
  const TreeDistribution p(graphs::normal(5, 1.0, random), Root::single);
  for (const int allowed : {1, 4, 9}) {
    int asked = 0;
    const PerturbedTrees stopped = sample_without_replacement(p, 20, seeded(5), [&] { return ++asked == allowed; });
    const PerturbedTrees whole = sample_without_replacement(p, allowed, seeded(5));
    ASSERT_EQ(stopped.trees.size(), static_cast<std::size_t>(allowed));
    for (int k = 0; k < allowed; ++k) EXPECT_EQ(stopped.trees[k].heads, whole.trees[k].heads);
    EXPECT_EQ(stopped.threshold, whole.threshold);
  }
}

TEST(WithoutReplacement, RefusesNegativeK) {
  EXPECT_THROW(sample_without_replacement(TreeDistribution(Matrix::Zero(3, 3), Root::multi), -1), InputError);
  EXPECT_THROW(sample_without_replacement(LabelledTreeDistribution(LabelledMatrix(2, 2), Root::multi), -1), InputError);
}

}  // namespace
}  // namespace kirchhoff
