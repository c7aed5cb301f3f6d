// What walks cost: the number of draws, its mean, its independence of the tree, and the budget.
#include "sample/counting.hpp"

#include <algorithm>
#include <chrono>

namespace kirchhoff {
namespace {

oracle::Real log_z(const Matrix& scores) { return oracle::Forest(scores, Root::multi).log_partition(); }

/// The graph where the root is the only head of a word, with weight 1.
Matrix hung_up(Matrix scores, int word) {
  scores.col(word).setConstant(-graphs::kInf);
  scores(0, word) = 0;
  return scores;
}

/// Mean number of draws of Wilson's algorithm that starts with the tree {top}: the mean number of visits to each word
/// by the walk from it until `top` is met, which is the word's sum of weights times Z of the graph where the walk ends
/// at the word, too, over Z. A walk towards a word does not use the root's arcs.
oracle::Real mean_draws(Matrix scores, int top) {
  if (top != 0) {
    scores.row(0).setConstant(-graphs::kInf);
    scores = hung_up(scores, top);
  }
  oracle::Real sum = 0;
  for (int d = 1; d < scores.rows(); ++d) {
    if (d == top) continue;
    std::vector<oracle::Real> into;
    for (int h = 0; h < scores.rows(); ++h)
      if (h != d) into.push_back(scores(h, d));
    sum += std::exp(oracle::log_sum_exp(into) + log_z(hung_up(scores, d)) - log_z(scores));
  }
  return sum;
}

oracle::Real mean_draws(const Matrix& scores, Root root, Sampler method) {
  if (root == Root::multi || method == Sampler::wilson_reject) return mean_draws(scores, 0);
  const oracle::ArcArray p = oracle::marginals(oracle::Forest(scores, root));
  oracle::Real sum = 0;
  for (int child = 1; child < scores.rows(); ++child)
    if (p(0, child) > 0) sum += p(0, child) * mean_draws(scores, child);
  return sum;
}

void expect_exact_mean(const Matrix& scores, Root root) {
  for (Sampler method : samplers(root)) {
    SCOPED_TRACE(testing::Message() << name(method) << ", " << graphs::name(root) << ", n = " << scores.rows() - 1);
    const TreeSampler sampler(TreeDistribution(scores, root), method);
    EXPECT_NE(sampler.method(), Sampler::automatic);
    EXPECT_TRUE(method == Sampler::automatic || method == sampler.method());
    const auto expected =
        static_cast<double>(sampler.method() == Sampler::colbourn ? 0 : mean_draws(scores, root, sampler.method()));
    EXPECT_NEAR(sampler.expected_draws(), expected, 1e-9 * expected);
  }
}

TEST(Walk, ExpectedDrawsIsExact) {
  graphs::Random random(311);
  for (int n = 1; n <= 4; ++n)
    for (Root root : graphs::kRoots) {
      for (double s : {0.0, 1.0, 3.0}) {
        expect_exact_mean(graphs::normal(n, s, random), root);
        expect_exact_mean(graphs::masked_feasible(graphs::normal(n, s, random), 0.5, random), root);
      }
      for (double gap : {5.0, 15.0, 30.0})
        for (int length = 2; length <= n; ++length)
          expect_exact_mean(graphs::strong_cycle(n, length, gap, random), root);
    }
}

TEST(Walk, TakesTheExpectedNumberOfDraws) {
  graphs::Random random(312);
  for (int n : {1, 2, 3, 5, 10, 30})
    for (double s : {0.0, 1.0, 2.0})
      for (Root root : graphs::kRoots)
        for (Sampler method : samplers(root)) {
          if (method == Sampler::automatic) continue;
          SCOPED_TRACE(testing::Message() << name(method) << ", " << graphs::name(root) << ", n = " << n);
          const TreeSampler sampler(TreeDistribution(graphs::normal(n, s, random), root), method);
          std::vector<double> draws, excess;
          for (int i = 0; i < repeats(2000); ++i) {
            const Walk walk = sampler.walk(9, i);
            EXPECT_FALSE(walk.budget_spent);
            EXPECT_GE(walk.tries, 1);
            EXPECT_TRUE(method == Sampler::wilson_reject || walk.tries == 1);
            draws.push_back(static_cast<double>(walk.draws));
            excess.push_back(draws.back() - walk.tries * sampler.expected_draws());  // mean 0, by Wald's identity
          }
          if (method == Sampler::colbourn)
            EXPECT_EQ(draws, std::vector<double>(draws.size(), 0.0));
          else if (*std::max_element(draws.begin(), draws.end()) == *std::min_element(draws.begin(), draws.end()))
            EXPECT_NEAR(draws[0], sampler.expected_draws(), 1e-9);
          else
            EXPECT_GT(statistics::mean(excess, 0.0), kFalseAlarm);
        }
}

/// Where the sets of nodes of a walk get longer, or are given up: heads by their marginals, draws as many as expected.
TEST(Walk, IsRightWhereItsSetsGetLonger) {
  graphs::Random random(313);
  for (int n : {62, 63, 64, 126, 127, 128})
    for (Root root : graphs::kRoots) {
      SCOPED_TRACE(testing::Message() << graphs::name(root) << ", n = " << n);
      const TreeDistribution p(graphs::normal(n, 2.0, random), root);
      const TreeSampler sampler(p, root == Root::multi ? Sampler::wilson : Sampler::wilson_marginal);
      std::vector<statistics::Counts> counts(n + 1, statistics::Counts(n + 1));
      std::vector<double> draws;
      for (int i = 0; i < repeats(2000); ++i) {
        const Walk walk = sampler.walk(10, i);
        ASSERT_NE(p.log_prob(walk.heads), -graphs::kInf);
        draws.push_back(static_cast<double>(walk.draws));
        for (int word = 1; word <= n; ++word) ++counts[word][walk.heads[word]];
      }
      EXPECT_GT(statistics::mean(draws, sampler.expected_draws()), kFalseAlarm);
      for (int word : {1, 2, 61, n - 1, n}) {
        const Eigen::VectorXd marginals = p.marginals().col(word);
        const std::vector<long double> expected(marginals.data(), marginals.data() + n + 1);
        EXPECT_GT(statistics::fit(counts[word], expected), kFalseAlarm) << "word " << word;
      }
    }
}

TEST(Walk, RejectTriesZMultiOverZSingleTimes) {
  graphs::Random random(313);
  for (int n : {2, 4, 20}) {
    const Matrix scores = graphs::normal(n, 1.0, random);
    const TreeDistribution p(scores, Root::single);
    const TreeSampler sampler(p, Sampler::wilson_reject);
    std::vector<double> tries;
    for (int i = 0; i < repeats(4000); ++i) tries.push_back(sampler.walk(10, i).tries);
    const double expected = std::exp(TreeDistribution(scores, Root::multi).log_partition() - p.log_partition());
    EXPECT_GT(statistics::mean(tries, expected), kFalseAlarm) << expected;
  }
}

TEST(Walk, HasTheHeadsOfTheSample) {
  graphs::Random random(314);
  const Matrix scores = graphs::normal(8, 1.0, random);
  for (Root root : graphs::kRoots)
    for (Sampler method : samplers(root)) {
      const TreeSampler sampler(TreeDistribution(scores, root), method);
      for (std::uint64_t i = 0; i < 100; ++i) EXPECT_EQ(sampler.walk(11, i).heads, sampler.sample(11, i).heads);
    }
}

/// The law that makes budgets unbiased. With wilson_marginal it holds given the root's child.
TEST(Walk, DrawsAreIndependentOfTheTree) {
  graphs::Random random(315);
  for (double s : {0.0, 1.0})
    for (Root root : graphs::kRoots)
      for (Sampler method : samplers(root)) {
        if (method == Sampler::automatic || method == Sampler::colbourn) continue;
        SCOPED_TRACE(testing::Message() << name(method) << ", " << graphs::name(root));
        const Matrix scores = graphs::normal(3, s, random);
        const Trees trees(scores, root);
        const TreeSampler sampler(TreeDistribution(scores, root), method);
        constexpr std::size_t kLongest = 12;
        std::map<int, std::vector<statistics::Counts>> tables;  // by root child
        for (int i = 0; i < repeats(30000); ++i) {
          const Walk walk = sampler.walk(12, i);
          const auto child = std::find(walk.heads.begin(), walk.heads.end(), 0) - walk.heads.begin();
          auto& table = tables[method == Sampler::wilson_marginal ? static_cast<int>(child) : 0];
          table.resize(trees.size(), statistics::Counts(kLongest + 1, 0));
          ++table[trees.number(walk.heads)][std::min<std::size_t>(walk.draws, kLongest)];
        }
        for (auto& [child, table] : tables) {
          std::erase_if(table, [](const statistics::Counts& row) {
            return std::all_of(row.begin(), row.end(), [](auto count) { return count == 0; });
          });
          EXPECT_GT(statistics::independence(table), kFalseAlarm);
        }
      }
}

/// Words 1 and 2 prefer each other by `gap` nats.
Matrix stalling(int n, double gap) {
  Matrix scores = Matrix::Zero(n + 1, n + 1);
  scores(1, 2) = scores(2, 1) = gap;
  return scores;
}

TEST(Budget, StallingGraphsAnswerPromptlyAndUnbiased) {
  for (double gap : {0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 15.0, 25.0, 100.0, 800.0, 5000.0})
    for (Root root : graphs::kRoots) {
      SCOPED_TRACE(testing::Message() << "gap " << gap << ", " << graphs::name(root));
      const Matrix scores = stalling(4, gap);
      const Trees trees(scores, root);
      const auto start = std::chrono::steady_clock::now();
      std::vector<std::size_t> numbers;
      for (const Tree& tree : TreeSampler(TreeDistribution(scores, root)).samples(repeats(4000), {.seed = 13}))
        numbers.push_back(trees.number(tree));
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
      EXPECT_GT(fit(numbers, trees), kFalseAlarm);
      EXPECT_LT(seconds.count(), 5.0) << "0.05 s is usual; a stalled walk takes years";
    }
}

TEST(Budget, ForcedWalksGiveUpAndAnswer) {
  for (double gap : {25.0, 800.0}) {
    const TreeSampler sampler(TreeDistribution(stalling(4, gap), Root::multi), Sampler::wilson);
    EXPECT_GT(sampler.expected_draws(), 1e10);
    const Walk walk = sampler.walk(14, 0);
    EXPECT_TRUE(walk.budget_spent);
    EXPECT_LE(walk.draws, kLargestWalk);
    check_tree(walk.heads, 4, Root::multi, "walk");
  }
  // No tree has one root child, or nearly: rejection would go on for ever.
  Matrix scores = Matrix::Constant(4, 4, -50.0);
  scores.row(0).setZero();
  const Walk walk = TreeSampler(TreeDistribution(scores, Root::single), Sampler::wilson_reject).walk(14, 1);
  EXPECT_TRUE(walk.budget_spent);
  check_tree(walk.heads, 3, Root::single, "walk");
}

/// Two trees, by the root's child: below 1 a walk needs two draws; below 2, in one tree of ten, it goes round and round
/// between 1 and 3. A walk that was given up must keep the child it started with.
Matrix slow_below_2(double gap) {
  Matrix scores = Matrix::Constant(4, 4, -graphs::kInf);
  scores(0, 1) = scores(0, 2) = scores(1, 2) = scores(2, 1) = scores(1, 3) = 0;
  scores(0, 2) = -std::log(9.0);
  scores(3, 1) = gap;
  return scores;
}

TEST(Budget, WalksGivenUpKeepTheRootsChild) {
  std::int64_t most_given_up = 0;
  for (double gap : {2.0, 3.0, 4.0, 4.5, 5.0, 6.0, 9.0, 25.0, 800.0}) {
    SCOPED_TRACE(testing::Message() << "gap " << gap);
    const Trees trees(slow_below_2(gap), Root::single);
    ASSERT_EQ(trees.size(), 2U);
    const TreeSampler sampler(TreeDistribution(slow_below_2(gap), Root::single));
    std::vector<std::size_t> numbers;
    std::int64_t given_up = 0;
    for (std::uint64_t i = 0; i < 20000; ++i) {
      const Walk walk = sampler.walk(15, i);
      numbers.push_back(trees.number(walk.heads));
      given_up += walk.budget_spent;
    }
    EXPECT_GT(fit(numbers, trees), kFalseAlarm);
    most_given_up = std::max(most_given_up, given_up);
  }
  EXPECT_GT(most_given_up, 100) << "no graph here where Sampler::automatic walks and some walks are given up";
  const TreeSampler forced(TreeDistribution(slow_below_2(25.0), Root::single), Sampler::wilson_marginal);
  int given_up = 0;
  for (std::uint64_t i = 0; i < 30; ++i) {
    const Walk walk = forced.walk(16, i);
    given_up += walk.budget_spent;
    EXPECT_EQ(walk.heads[2] == 0, walk.budget_spent);
  }
  EXPECT_GT(given_up, 0);
}

}  // namespace
}  // namespace kirchhoff
