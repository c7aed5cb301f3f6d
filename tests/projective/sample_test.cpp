// Samples of projective trees, with and without replacement, against the probabilities of all trees.
#include "kirchhoff/projective.hpp"
#include "support/chi_square.hpp"
#include "support/graphs.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace kirchhoff {
namespace {

using oracle::Forest;
using oracle::Kind;

/// The possible trees, and their numbers.
struct Numbered {
  std::vector<long double> p;
  std::map<std::pair<Heads, std::vector<int>>, std::size_t> number;

  template <class Scores>
  Numbered(const Scores& scores, Root root) {
    const Forest forest(scores, root, Kind::projective);
    for (const oracle::Tree& tree : forest.trees()) {
      if (tree.score == -HUGE_VALL) continue;
      number[{tree.heads, forest.labels() > 1 ? tree.labels : std::vector<int>{}}] = p.size();
      p.push_back(tree.prob);
    }
  }
  std::size_t operator()(const Tree& tree) const { return number.at({tree.heads, tree.labels}); }
};

template <class D, class Scores>
void expect_samples(const Scores& scores, Root root, Method method) {
  const Numbered trees(scores, root);
  const D p(scores, root, graphs::forced(method));
  statistics::Counts counts(trees.p.size(), 0);
  const std::vector<Tree> sample = sample_trees(p, 20000, {.seed = 5});
  for (const Tree& tree : sample) {
    const std::size_t i = trees(tree);
    ++counts[i];
    EXPECT_NEAR(*tree.log_prob, static_cast<double>(std::log(trees.p[i])), 1e-11);
  }
  EXPECT_GT(statistics::fit(counts, trees.p), statistics::kFalseAlarm);
  const std::vector<Tree> again = sample_trees(p, 100, {.seed = 5, .threads = 1});
  for (std::size_t i = 0; i < again.size(); ++i) EXPECT_EQ(again[i].heads, sample[i].heads);
}

TEST(ProjectiveSamples, FollowTheDistribution) {
  graphs::Random random(61);
  for (const Root root : graphs::kRoots) {
    for (const Method method : {Method::fast, Method::robust}) {
      SCOPED_TRACE(testing::Message() << graphs::name(root) << " " << graphs::name(method));
      expect_samples<ProjectiveTreeDistribution>(graphs::normal(4, 1.0, random), root, method);
      expect_samples<LabelledProjectiveTreeDistribution>(graphs::normal(3, 2, 1.0, random), root, method);
    }
  }
  EXPECT_THROW(sample_trees(ProjectiveTreeDistribution(Matrix::Zero(3, 3), Root::multi), -1), InputError);
}

template <class D, class Scores>
void expect_every_tree_once(const Scores& scores, Root root) {
  const Numbered trees(scores, root);
  const D p(scores, root);
  std::set<std::size_t> seen;
  DistinctProjectiveTrees source(p, 3);
  while (const std::optional<Tree> tree = source.next()) EXPECT_TRUE(seen.insert(trees(*tree)).second);
  EXPECT_EQ(seen.size(), trees.p.size());
  const int count = static_cast<int>(trees.p.size());
  const PerturbedTrees all = sample_without_replacement(p, count + 2, {.seed = 3});
  EXPECT_EQ(all.trees.size(), trees.p.size());
  EXPECT_EQ(all.threshold, -graphs::kInf);
  EXPECT_TRUE(std::is_sorted(all.perturbed.rbegin(), all.perturbed.rend()));
  EXPECT_GT(sample_without_replacement(p, count - 1, {.seed = 3}).threshold, -graphs::kInf);
}

TEST(ProjectiveSamples, WithoutReplacementAllTreesComeOnce) {
  graphs::Random random(62);
  for (const Root root : graphs::kRoots) {
    for (const double s : {0.0, 1.0, 30.0, 300.0, 1e4, 1e7}) {
      SCOPED_TRACE(testing::Message() << graphs::name(root) << ", N(0, " << s << "^2)");
      for (int n = 1; n <= 5; ++n)
        expect_every_tree_once<ProjectiveTreeDistribution>(graphs::normal(n, s, random), root);
      expect_every_tree_once<LabelledProjectiveTreeDistribution>(graphs::normal(3, 2, s, random), root);
    }
  }
}

// The first two trees of a sample without replacement have the probability p_i p_j / (1 - p_i).
TEST(ProjectiveSamples, PairsWithoutReplacementFollowTheDistribution) {
  graphs::Random random(63);
  for (const Root root : graphs::kRoots) {
    const Matrix scores = graphs::normal(3, 1.0, random);
    const Numbered trees(scores, root);
    const std::size_t count = trees.p.size();
    const ProjectiveTreeDistribution p(scores, root);
    statistics::Counts counts(count * count, 0);
    std::vector<long double> expected(count * count, 0);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < count; ++j) {
        if (i != j) expected[i * count + j] = trees.p[i] * trees.p[j] / (1 - trees.p[i]);
      }
    }
    std::vector<double> uniform;
    for (int seed = 0; seed < 20000; ++seed) {
      const PerturbedTrees two = sample_without_replacement(p, 2, {.seed = static_cast<std::uint64_t>(seed)});
      ++counts[trees(two.trees[0]) * count + trees(two.trees[1])];
      uniform.push_back(std::exp(-std::exp(-two.perturbed[0])));  // the maximum is a standard Gumbel number
    }
    EXPECT_GT(statistics::fit(counts, expected), statistics::kFalseAlarm);
    EXPECT_GT(statistics::uniform(uniform), statistics::kFalseAlarm);
  }
}

}  // namespace
}  // namespace kirchhoff
