// Values of projective distributions against the list of all trees without crossing arcs.
#include "kirchhoff/projective.hpp"
#include "support/compare.hpp"
#include "support/features.hpp"
#include "support/graphs.hpp"
#include "support/message_of.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace kirchhoff {
namespace {

using oracle::Forest;
using oracle::Kind;
constexpr Tolerance kTight{1e-12, 1e-14};

/// A graph that has a projective tree, and the list of them.
template <class Scores>
struct Listed {
  Scores scores;
  Forest forest;
};
template <class Make>
auto listed(Root root, const Make& make) {
  for (;;) {
    auto scores = make();
    Forest forest(scores, root, Kind::projective);
    if (forest.count() > 0) return Listed<decltype(scores)>{scores, forest};
  }
}

/// Calls visit(scores, forest, root, method) for graphs with and without impossible arcs.
template <class Visit>
void for_each_graph(int words, const Visit& visit) {
  graphs::Random random(77);
  for (const Root root : graphs::kRoots) {
    for (const Method method : graphs::kMethods) {
      for (int n = 1; n <= words; ++n) {
        for (const double density : {1.0, 0.6}) {
          SCOPED_TRACE(testing::Message()
                       << graphs::name(root) << " " << graphs::name(method) << " n = " << n << " density " << density);
          const auto x = listed(root, [&] { return graphs::masked(graphs::normal(n, 1.5, random), density, random); });
          visit(x.scores, x.forest, root, method);
        }
      }
    }
  }
}

TEST(Projective, ValuesAreThoseOfTheList) {
  for_each_graph(6, [](const Matrix& scores, const Forest& forest, Root root, Method method) {
    const ProjectiveTreeDistribution p(scores, root, graphs::forced(method));
    EXPECT_TRUE(close(p.log_partition(), forest.log_partition(), {1e-14, 1e-13}));
    expect_arcs(p.marginals(), oracle::marginals(forest), kTight, "marginals");
    expect_arcs(p.log_marginals(), oracle::log_marginals(forest), {1e-12, 1e-12}, "log_marginals", -graphs::kInf);
    EXPECT_TRUE(close(p.log_count(), std::log(static_cast<long double>(forest.count())), {1e-13, 1e-13}));
    EXPECT_TRUE(close(entropy(p), oracle::entropy(forest), {1e-12, 1e-12}));
    for (const double alpha : {0.0, 0.5, 1.0 + 1e-6, 2.0}) {
      EXPECT_TRUE(close(renyi(p, alpha), oracle::renyi(forest, alpha), {1e-9, 1e-9})) << "order " << alpha;
    }
    EXPECT_TRUE(close(norm(p, 2.0), oracle::norm(forest, 2.0), kTight));
    for (const oracle::Tree& tree : forest.trees()) {
      EXPECT_TRUE(is_projective(tree.heads));
      EXPECT_TRUE(close(p.log_prob(tree.heads), tree.log_prob, {1e-13, 1e-12}));
    }
    const Tree best = best_tree(p);
    const auto top = std::max_element(forest.trees().begin(), forest.trees().end(),
                                      [](const auto& a, const auto& b) { return a.score < b.score; });
    EXPECT_EQ(best.heads, top->heads);
    EXPECT_TRUE(close(best.score, top->score, {1e-14, 1e-14}));
  });
}

TEST(Projective, TreesThatAreNotProjectiveHaveNoProbability) {
  graphs::Random random(3);
  for (const Root root : graphs::kRoots) {
    const Matrix scores = graphs::normal(5, 1.0, random);
    const ProjectiveTreeDistribution p(scores, root);
    std::size_t projective = 0;
    const Forest all(scores, root), some(scores, root, Kind::projective);
    for (const oracle::Tree& tree : all.trees()) {
      const bool listed = std::any_of(some.trees().begin(), some.trees().end(),
                                      [&](const oracle::Tree& t) { return t.heads == tree.heads; });
      EXPECT_EQ(is_projective(tree.heads), listed);
      EXPECT_EQ(p.log_prob(tree.heads) > -graphs::kInf, listed);
      projective += listed;
    }
    EXPECT_LT(projective, all.trees().size());
    EXPECT_TRUE(close(log_projective_mass(TreeDistribution(scores, root)), some.log_partition() - all.log_partition(),
                      {1e-11, 1e-11}));
  }
  EXPECT_THROW(is_projective({-1, 2, 1}), InputError);
}

// The numbers of trees are those of ternary trees: binomial(3n, n) / (2n + 1), and n^-1 binomial(3n - 2, n - 1).
TEST(Projective, CountsAreKnownBinomials) {
  for (int n = 1; n <= 60; ++n) {
    const ProjectiveTreeDistribution multi(Matrix::Zero(n + 1, n + 1), Root::multi),
        single(Matrix::Zero(n + 1, n + 1), Root::single);
    const auto log_choose = [](int a, int b) {
      return std::lgamma(a + 1) - std::lgamma(b + 1) - std::lgamma(a - b + 1);
    };
    EXPECT_NEAR(multi.log_count(), log_choose(3 * n, n) - std::log(2 * n + 1), 1e-11 * n) << n;
    EXPECT_NEAR(single.log_partition(), log_choose(3 * n - 2, n - 1) - std::log(n), 1e-11 * n) << n;
    EXPECT_EQ(multi.report().method, Method::fast) << n;
  }
}

TEST(Projective, PairsAndMoments) {
  graphs::Random random(5);
  for (const Root root : graphs::kRoots) {
    for (const Method method : {Method::fast, Method::robust}) {
      const auto x = listed(root, [&] { return graphs::masked(graphs::normal(4, 1.0, random), 0.8, random); });
      const ProjectiveTreeDistribution p(x.scores, root, graphs::forced(method));
      expect_table(p.pair_marginals(), oracle::pair_marginals(x.forest), {1e-12, 1e-14}, "pairs");
      EXPECT_TRUE(
          close(p.pair_marginal({0, 1}, {1, 2}),
                oracle::pair_marginal(x.forest, oracle::ArcArray(4, 1).index(0, 1), oracle::ArcArray(4, 1).index(1, 2)),
                kTight));
      const Features r = features::random(4, 1, 3, 0.5, random), s = features::random(4, 1, 2, 0.5, random);
      const auto dense_r = features::dense(r), dense_s = features::dense(s);
      const std::vector<oracle::Real> mean = oracle::expectation(x.forest, dense_r);
      for (int f = 0; f < 3; ++f) EXPECT_TRUE(close(expectation(p, r)(f), mean[f], {1e-12, 1e-12}));
      expect_table(covariance(p, r, s), oracle::covariance(x.forest, dense_r, dense_s), {1e-11, 1e-12}, "covariance");
      expect_table(second_order(p, r, s), oracle::second_order(x.forest, dense_r, dense_s), {1e-11, 1e-12}, "second");
    }
  }
  EXPECT_THROW(ProjectiveTreeDistribution(Matrix::Zero(42, 42), Root::multi).pair_marginals(), InputError);
}

TEST(Projective, TwoDistributions) {
  graphs::Random random(6);
  for (const Root root : graphs::kRoots) {
    const Matrix a = graphs::normal(4, 1.0, random), b = graphs::normal(4, 1.0, random);
    const ProjectiveTreeDistribution p(a, root), q(b, root);
    const Forest fp(a, root, Kind::projective), fq(b, root, Kind::projective);
    EXPECT_TRUE(close(cross_entropy(p, q), oracle::cross_entropy(fp, fq), {1e-12, 1e-12}));
    EXPECT_TRUE(close(kl(p, q), oracle::kl(fp, fq), {1e-11, 1e-12}));
    EXPECT_EQ(kl(p, q.forbid({1, 2})), graphs::kInf);
    // An arc of p that crosses all it must live with is no matter.
    Matrix chained = Matrix::Constant(5, 5, -graphs::kInf);
    for (int d = 1; d <= 4; ++d) chained(d - 1, d) = 0.0;
    chained(4, 2) = 0.0;  // 4 -> 2 makes a cycle with 2 -> 3 -> 4
    const ProjectiveTreeDistribution narrow(chained, root);
    chained(4, 2) = -graphs::kInf;
    EXPECT_NEAR(kl(narrow, ProjectiveTreeDistribution(chained, root)), 0.0, 1e-15);
  }
}

TEST(Projective, ConstraintsConditionAndInfeasibleIsDecidedByStructure) {
  graphs::Random random(8);
  for (const Root root : graphs::kRoots) {
    const Matrix scores = graphs::normal(5, 1.0, random);
    const ProjectiveTreeDistribution p(scores, root);
    const ProjectiveTreeDistribution given = p.require({2, 4}).forbid({4, 3});
    const Forest forest(scores, root, Kind::projective);
    for (const oracle::Tree& tree : forest.trees()) {
      const bool kept = tree.heads[4] == 2 && tree.heads[3] != 4;
      EXPECT_EQ(given.log_prob(tree.heads) > -graphs::kInf, kept);
    }
    // 1 -> 3 and 2 -> 4 cross: there are trees, but no projective one.
    EXPECT_THROW(p.require({1, 3}).require({2, 4}), Infeasible);
    EXPECT_THROW(best_projective_tree(scores, root, {{{1, 3}, {2, 4}}, {}}), Infeasible);
    Matrix crossing = scores;
    for (int h = 0; h <= 5; ++h) {
      if (h != 1) crossing(h, 3) = -graphs::kInf;
      if (h != 2) crossing(h, 4) = -graphs::kInf;
    }
    EXPECT_EQ(log_projective_mass(TreeDistribution(crossing, root)), -graphs::kInf);
    EXPECT_THROW(ProjectiveTreeDistribution(Matrix::Constant(4, 4, -graphs::kInf), root), Infeasible);
    EXPECT_THROW(ProjectiveTreeDistribution(Matrix::Zero(3, 4), root), InputError);
    Matrix broken = scores;
    broken(1, 2) = std::nan("");
    EXPECT_THROW(ProjectiveTreeDistribution(broken, root), InputError);
    EXPECT_NEAR(p.with_temperature(2.0).log_partition(), ProjectiveTreeDistribution(scores / 2.0, root).log_partition(),
                1e-15);
    EXPECT_THROW(p.with_temperature(0.0), InputError);
  }
}

template <class Scores>
void expect_k_best(const Scores& scores, Root root) {
  const Forest forest(scores, root, Kind::projective);
  std::vector<double> expected;
  for (const oracle::Tree& tree : forest.trees()) {
    if (tree.score > -graphs::kInf) expected.push_back(static_cast<double>(tree.score));
  }
  std::sort(expected.rbegin(), expected.rend());
  const std::vector<Tree> trees = k_best_projective_trees(scores, root, static_cast<int>(expected.size()) + 5);
  ASSERT_EQ(trees.size(), expected.size());
  std::set<std::pair<Heads, std::vector<int>>> seen;
  for (std::size_t i = 0; i < trees.size(); ++i) {
    EXPECT_TRUE(seen.emplace(trees[i].heads, trees[i].labels).second) << "twice, tree " << i;
    EXPECT_FALSE(tree_problem(trees[i].heads, root)) << i;
    EXPECT_TRUE(is_projective(trees[i].heads)) << i;
    EXPECT_NEAR(trees[i].score, expected[i], 1e-12) << i;
  }
  const Tree best = best_projective_tree(scores, root);
  EXPECT_NEAR(best.score, expected[0], 1e-12);
}

TEST(Projective, KBestAreAllInOrder) {
  graphs::Random random(9);
  for (const Root root : graphs::kRoots) {
    for (int n = 1; n <= 5; ++n) {
      for (int repeat = 0; repeat < 4; ++repeat) {
        const double density = repeat < 2 ? 1.0 : 0.6;
        expect_k_best(
            listed(root, [&] { return graphs::masked(graphs::normal(n, 1.0, random), density, random); }).scores, root);
        if (n > 3) continue;
        expect_k_best(
            listed(root, [&] { return graphs::masked(graphs::normal(n, 2, 1.0, random), density, random); }).scores,
            root);
      }
    }
  }
  EXPECT_THROW(k_best_projective_trees(Matrix::Zero(3, 3), Root::multi, -1), InputError);
  int asked = 0;
  EXPECT_EQ(k_best_projective_trees(Matrix::Zero(5, 5), Root::multi, 50, {}, [&] { return ++asked == 3; }).size(), 3u);
}

TEST(Projective, MbrHasTheMostExpectedHeads) {
  graphs::Random random(10);
  for (const Root root : graphs::kRoots) {
    for (int repeat = 0; repeat < 10; ++repeat) {
      const auto x = listed(root, [&] { return graphs::masked(graphs::normal(5, 2.0, random), 0.7, random); });
      const ProjectiveTreeDistribution p(x.scores, root);
      const auto gain = [&](const Heads& heads) {
        double sum = 0;
        for (int d = 1; d <= 5; ++d) sum += p.marginals()(heads[d], d);
        return sum;
      };
      double best = 0;
      for (const oracle::Tree& tree : x.forest.trees()) {
        if (tree.prob > 0) best = std::max(best, gain(tree.heads));
      }
      const Tree mbr = mbr_tree(p);
      EXPECT_NEAR(gain(mbr.heads), best, 1e-12);
      EXPECT_NEAR(*mbr.log_prob, p.log_prob(mbr.heads), 1e-14);
    }
  }
}

TEST(Projective, LabelledValues) {
  graphs::Random random(11);
  for (const Root root : graphs::kRoots) {
    for (int n = 1; n <= 4; ++n) {
      const auto x = listed(root, [&] { return graphs::masked(graphs::normal(n, 2, 1.0, random), 0.7, random); });
      const LabelledProjectiveTreeDistribution p(x.scores, root);
      EXPECT_TRUE(close(p.log_partition(), x.forest.log_partition(), {1e-13, 1e-13}));
      expect_arcs(p.marginals(), oracle::marginals(x.forest), kTight, "marginals");
      EXPECT_TRUE(close(entropy(p), oracle::entropy(x.forest), {1e-12, 1e-12}));
      EXPECT_TRUE(close(renyi(p, 2.0), oracle::renyi(x.forest, 2.0), {1e-11, 1e-11}));
      const Features r = features::random(n, 2, 3, 0.6, random);
      expect_table(covariance(p, r, r), oracle::covariance(x.forest, features::dense(r), features::dense(r)),
                   {1e-11, 1e-12}, "covariance");
      EXPECT_NEAR(best_tree(p).score, k_best_trees(p, 1)[0].score, 1e-13);
    }
  }
}

TEST(Projective, BatchesHaveTheBitsOfEachGraphAlone) {
  graphs::Random random(12);
  MatrixBatch scores;
  for (int n = 1; n <= 40; ++n) scores.add(graphs::normal(n, 1.0, random));
  Matrix none = Matrix::Constant(4, 4, -graphs::kInf);
  scores.add(none);
  scores.add(graphs::normal(30, 200.0, random));  // not for doubles
  for (const Root root : graphs::kRoots) {
    for (const int padded : {0, 50}) {
      const ProjectiveTreeBatch batch(scores, root, {.padded_words = padded});
      ASSERT_EQ(batch.infeasible().size(), 1u);
      EXPECT_EQ(batch.infeasible()[0].graph, 40u);
      EXPECT_EQ(batch.log_partition()[40], -graphs::kInf);
      const std::vector<double> all = entropies(batch);
      for (std::size_t i = 0; i < batch.size(); ++i) {
        if (i == 40) continue;
        const ProjectiveTreeDistribution p(scores[i], root);
        EXPECT_EQ(batch.log_partition()[i], p.log_partition()) << i;
        EXPECT_EQ(batch.reports()[i].method, p.report().method) << i;
        for (int h = 0; h <= p.words(); ++h) {
          for (int d = 0; d <= p.words(); ++d) {
            EXPECT_EQ(batch.marginals(i)[h * batch.row_length(i) + d], p.marginals()(h, d)) << i;
          }
        }
        EXPECT_EQ(all[i], entropy(p)) << i;
      }
    }
  }
}

}  // namespace
}  // namespace kirchhoff
