// Independent samples by chi-square against the probabilities of all trees: every sampler, both root modes.
#include "sample/counting.hpp"
#include "support/wilson_rc.hpp"

namespace kirchhoff {
namespace {

constexpr const char* kKinds[] = {"uniform", "random", "peaked", "near-deterministic",
                                  "sparse",  "cycle",  "steep",  "shifted"};
constexpr int kKindCount = 8;

Matrix make_graph(int kind, int n, graphs::Random& random) {
  if (kind == 0) return Matrix::Zero(n + 1, n + 1);
  if (kind == 2) return around_a_tree(n, 2.0, random);
  if (kind == 3) return around_a_tree(n, 7.0, random);
  if (kind == 4) return graphs::masked_feasible(graphs::normal(n, 1.0, random), 0.5, random);
  if (kind == 5) return graphs::strong_cycle(n, std::min(n, 3), 4.0, random);
  if (kind == 6) return graphs::normal(n, 10.0, random);
  Matrix scores = graphs::normal(n, 1.0, random);
  if (kind == 7)  // weights beyond the range of doubles, the same distribution
    for (int d = 1; d <= n; ++d) scores.col(d).array() += d % 2 == 0 ? 1000.0 : -1000.0;
  return scores;
}

template <class Scores>
auto distribution(const Scores& scores, Root root) {
  if constexpr (std::is_same_v<Scores, LabelledMatrix>)
    return LabelledTreeDistribution(scores, root);
  else
    return TreeDistribution(scores, root);
}

/// A forced method may take millions of draws on a steep graph; walk_test.cpp looks at those.
template <class Scores>
bool too_slow(const TreeSampler& sampler, const Scores& scores, Root root) {
  const bool rejects = sampler.method() == Sampler::wilson_reject;
  const oracle::Real log_tries =
      rejects ? oracle::Forest(scores, Root::multi).log_partition() - oracle::Forest(scores, root).log_partition() : 0;
  return sampler.expected_draws() * std::exp(log_tries) > 100;
}

template <class Scores>
void expect_unbiased(const Scores& scores, Root root, int count) {
  const Trees trees(scores, root);
  for (Sampler method : samplers(root)) {
    SCOPED_TRACE(testing::Message() << name(method) << ", " << graphs::name(root) << ", " << trees.size() << " trees");
    const TreeSampler sampler(distribution(scores, root), method);
    if (too_slow(sampler, scores, root)) continue;
    std::vector<std::size_t> numbers;
    for (const Tree& tree : sampler.samples(count, {.seed = 7})) {
      numbers.push_back(trees.number(tree));
      if (numbers.size() <= 20) expect_described(tree, trees[numbers.back()], std::is_same_v<Scores, LabelledMatrix>);
    }
    EXPECT_EQ(numbers.size(), static_cast<std::size_t>(count));
    EXPECT_GT(fit(numbers, trees), kFalseAlarm);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Sample, HasTheDistribution) {
  graphs::Random random(301);
  for (int kind = 0; kind < kKindCount; ++kind)
    for (int n = 1; n <= 5; ++n)
      for (int repeat = 0; repeat < (n <= 3 ? 3 : 1); ++repeat) {
        const Matrix scores = make_graph(kind, n, random);
        for (Root root : graphs::kRoots) {
          SCOPED_TRACE(testing::Message() << kKinds[kind] << ", n = " << n);
          expect_unbiased(scores, root, repeats(n <= 3 ? 3000 : 15000));
        }
      }
}

TEST(Sample, HasTheDistributionWithLabels) {
  graphs::Random random(302);
  for (int n = 1; n <= 3; ++n)
    for (int labels : {1, 2, 3})
      for (double s : {0.0, 1.0, 3.0, 30.0}) {
        LabelledMatrix scores = graphs::normal(n, labels, s, random);
        if (s == 3.0) scores = graphs::masked_feasible(scores, 0.5, random);
        for (Root root : graphs::kRoots) {
          SCOPED_TRACE(testing::Message() << "n = " << n << ", " << labels << " labels, N(0, " << s << "^2)");
          expect_unbiased(scores, root, repeats(5000));
        }
      }
}

TEST(Sample, HasTheDistributionGivenConstraints) {
  graphs::Random random(303);
  for (int n = 2; n <= 5; ++n)
    for (int repeat = 0; repeat < 3; ++repeat) {
      const Heads heads = graphs::random_tree(n, random);
      Constraints constraints{.require = {{heads[1], 1}}, .forbid = {}};
      for (int head = 0; head <= n; ++head)
        if (head != 2 && head != heads[2] && random() % 2 == 0) constraints.forbid.push_back({head, 2});
      const Matrix scores = graphs::normal(n, 1.0, random);
      for (Root root : graphs::kRoots) {
        SCOPED_TRACE(testing::Message() << "n = " << n);
        expect_unbiased(constrained(scores, root, constraints), root, repeats(5000));
      }
    }
}

/// Consecutive samples of one seed, and samples of the same index of two seeds, have nothing to do with one another.
TEST(Sample, IndicesAndSeedsAreIndependent) {
  graphs::Random random(304);
  const Matrix scores = graphs::normal(3, 0.5, random);
  for (Root root : graphs::kRoots) {
    const Trees trees(scores, root);
    const TreeDistribution p(scores, root);
    for (Sampler method : samplers(root)) {
      SCOPED_TRACE(testing::Message() << name(method) << ", " << graphs::name(root));
      const TreeSampler sampler(p, method);
      std::vector<statistics::Counts> by_index(trees.size(), statistics::Counts(trees.size(), 0)), by_seed = by_index;
      std::vector<std::size_t> first_of_seed;
      for (int i = 0; i < repeats(10000); ++i) {
        ++by_index[trees.number(sampler.sample(1, 2 * i))][trees.number(sampler.sample(1, 2 * i + 1))];
        ++by_seed[trees.number(sampler.sample(2, i))][trees.number(sampler.sample(3, i))];
        first_of_seed.push_back(trees.number(sampler.sample(i, 0)));
      }
      EXPECT_GT(statistics::independence(by_index), kFalseAlarm);
      EXPECT_GT(statistics::independence(by_seed), kFalseAlarm);
      EXPECT_GT(fit(first_of_seed, trees), kFalseAlarm);
    }
  }
}

/// A graph as in [Stanojevic22, figure 1]: three trees of equal weight, two of which start with the same root arc.
Matrix figure_1() {
  constexpr int kA = 1, kB = 2, kC = 3;
  Matrix scores = Matrix::Constant(4, 4, -graphs::kInf);
  for (const Arc arc : {Arc{0, kA}, Arc{0, kC}, Arc{kA, kB}, Arc{kA, kC}, Arc{kB, kC}, Arc{kC, kA}})
    scores(arc.head, arc.dependent) = 0;
  return scores;
}

TEST(Sample, WilsonRCIsBiasedOursAreNot) {
  const Trees trees(figure_1(), Root::single);
  ASSERT_EQ(trees.size(), 3U);
  std::mt19937_64 random(305);
  const WilsonRC biased(figure_1());
  statistics::Counts counts(3, 0);
  std::size_t from_c = 0;
  for (int i = 0; i < 3000; ++i) ++counts[trees.number(biased.sample(random))];
  for (std::size_t i = 0; i < 3; ++i)
    if (trees[i].heads[3] == 0) from_c = i;
  EXPECT_LT(statistics::fit(counts, trees.probabilities()), 1e-50);
  EXPECT_GT(statistics::binomial(counts[from_c], 3000, 0.5), kFalseAlarm) << "half of its trees, instead of a third";
  expect_unbiased(figure_1(), Root::single, repeats(30000));
}

/// On random graphs WilsonRC has the distribution of [Stanojevic22, eq. 9], which says that it is implemented as meant.
TEST(Sample, WilsonRCHasItsOwnDistribution) {
  std::mt19937_64 random(306);
  const Matrix scores = graphs::normal(4, 1.0, random);
  const Trees trees(scores, Root::single);
  std::vector<long double> of_child(5, 0), expected;
  long double all = 0;
  for (int child = 1; child <= 4; ++child) all += std::exp(static_cast<long double>(scores(0, child)));
  const auto child_of = [](const oracle::Tree& tree) {
    return std::find(tree.heads.begin(), tree.heads.end(), 0) - tree.heads.begin();
  };
  for (std::size_t i = 0; i < trees.size(); ++i) of_child[child_of(trees[i])] += trees[i].prob;
  for (std::size_t i = 0; i < trees.size(); ++i) {
    const auto child = child_of(trees[i]);
    expected.push_back(std::exp(static_cast<long double>(scores(0, child))) / all * trees[i].prob / of_child[child]);
  }
  const WilsonRC biased(scores);
  statistics::Counts counts(trees.size(), 0);
  for (int i = 0; i < 30000; ++i) ++counts[trees.number(biased.sample(random))];
  EXPECT_GT(statistics::fit(counts, expected), kFalseAlarm);
  EXPECT_LT(statistics::fit(counts, trees.probabilities()), 1e-50);
}

/// Larger graphs: the number of trees with each arc, against the marginals.
TEST(Sample, ArcsOfLargerGraphs) {
  graphs::Random random(307);
  for (int n : {12, 40})
    for (int kind : {1, 2, 4, 5})
      for (Root root : graphs::kRoots) {
        const TreeDistribution p(make_graph(kind, n, random), root);
        for (Sampler method : samplers(root)) {
          SCOPED_TRACE(testing::Message() << kKinds[kind] << ", n = " << n << ", " << name(method));
          const TreeSampler sampler(p, method);
          if (sampler.expected_draws() > 5000) continue;
          constexpr int kCount = repeats(1000);
          std::vector<statistics::Counts> heads_of(n + 1, statistics::Counts(n + 1, 0));
          for (const Tree& tree : sampler.samples(kCount, {.seed = 8})) {
            check_tree(tree.heads, n, root, "sample");
            EXPECT_NEAR(*tree.log_prob, p.log_prob(tree.heads), 1e-9);
            for (int d = 1; d <= n; ++d) ++heads_of[d][tree.heads[d]];
          }
          for (int d = 1; d <= n; ++d) {
            std::vector<long double> expected;
            for (int h = 0; h <= n; ++h) expected.push_back(p.marginals()(h, d));
            EXPECT_GT(statistics::fit(heads_of[d], expected), kFalseAlarm) << "heads of word " << d;
          }
        }
      }
}

}  // namespace
}  // namespace kirchhoff
