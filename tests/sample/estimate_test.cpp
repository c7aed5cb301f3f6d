// Estimates from samples against exact expectations: unbiased, or at least on their way there.
#include "kirchhoff/expectation.hpp"
#include "sample/counting.hpp"

#include <functional>
#include <numeric>

namespace kirchhoff {
namespace {

using Values = std::vector<double>;

double additive(const Tree& tree, const Matrix& feature) {
  double sum = 0;
  for (std::size_t d = 1; d < tree.heads.size(); ++d) sum += feature(tree.heads[d], static_cast<int>(d));
  return sum;
}

Values values_of(const std::vector<Tree>& trees, const std::function<double(const Tree&)>& f) {
  Values values;
  for (const Tree& tree : trees) values.push_back(f(tree));
  return values;
}

TEST(MeanEstimate, KnownNumbers) {
  EXPECT_EQ(mean_estimate({3.0}).value, 3.0);
  EXPECT_EQ(mean_estimate({3.0}).standard_error, graphs::kInf);
  EXPECT_EQ(mean_estimate({1.0, 3.0}).value, 2.0);
  EXPECT_NEAR(mean_estimate({1.0, 3.0}).standard_error, 1.0, 1e-15);
  EXPECT_NEAR(mean_estimate({1, 2, 3, 4}).standard_error, std::sqrt(5.0 / 3 / 4), 1e-15);
  EXPECT_EQ(mean_estimate({2.0, 2.0, 2.0}).standard_error, 0.0);
  EXPECT_NEAR(mean_estimate({1e15 + 1, 1e15 + 3}).standard_error, 1.0, 1e-12);
}

/// E[value] = E[f], and E[standard_error^2] = Var f / count.
TEST(MeanEstimate, IsUnbiasedAndKnowsItsError) {
  graphs::Random random(361);
  for (Root root : graphs::kRoots) {
    const TreeDistribution p(graphs::normal(10, 1.0, random), root);
    const Matrix feature = graphs::normal(10, 1.0, random);
    const Features features = Features::from_matrices({feature});
    const TreeSampler sampler(p);
    constexpr int kCount = 20;
    Values means, squares;
    for (std::uint64_t seed = 0; seed < std::uint64_t{repeats(1000)}; ++seed) {
      const std::vector<Tree> trees = sampler.samples(kCount, {.seed = seed});
      const Estimate estimate = mean_estimate(values_of(trees, [&](const Tree& t) { return additive(t, feature); }));
      means.push_back(estimate.value);
      squares.push_back(estimate.standard_error * estimate.standard_error);
    }
    EXPECT_GT(statistics::mean(means, expectation(p, features)[0]), kFalseAlarm);
    EXPECT_GT(statistics::mean(squares, covariance(p, features, features)(0, 0) / kCount), kFalseAlarm);
  }
}

/// Functions of a tree that are not additive, too: the number of words below word 1, and one tree's indicator.
TEST(ImportanceEstimate, IsUnbiased) {
  graphs::Random random(362);
  for (double s : {0.0, 1.0, 3.0})
    for (int k : {4, 10})
      for (Root root : graphs::kRoots) {
        SCOPED_TRACE(testing::Message() << graphs::name(root) << ", k = " << k << ", N(0, " << s << "^2)");
        const Matrix scores = graphs::normal(4, s, random), feature = graphs::normal(4, 1.0, random);
        const TreeDistribution p(scores, root);
        const Heads best = best_tree(p).heads;
        const Trees trees(scores, root);
        const std::function<double(const Tree&)> functions[] = {
            [&](const Tree& t) { return additive(t, feature); },
            [&](const Tree& t) { return std::exp(additive(t, feature)); },
            [&](const Tree& t) { return t.heads == best ? 1.0 : 0.0; },
            [&](const Tree&) { return 1.0; },
        };
        for (const auto& f : functions) {
          long double expected = 0;
          for (std::size_t i = 0; i < trees.size(); ++i)
            expected += trees[i].prob * f(Tree{trees[i].heads, {}, 0.0, std::nullopt});
          Values estimates;
          for (int seed = 0; seed < repeats(1000); ++seed) {
            const PerturbedTrees sample = sample_without_replacement(p, k, seeded(seed));
            estimates.push_back(importance_estimate(sample, values_of(sample.trees, f)));
          }
          EXPECT_GT(statistics::mean(estimates, static_cast<double>(expected)), kFalseAlarm);
        }
      }
}

TEST(ImportanceEstimate, IsUnbiasedForLongSentences) {
  graphs::Random random(363);
  constexpr int kWords = 30;
  for (double gap : {3.0, 6.0, 8.0})
    for (Root root : graphs::kRoots) {
      SCOPED_TRACE(testing::Message() << graphs::name(root) << ", gap " << gap);
      const TreeDistribution p(around_a_tree(kWords, gap, random), root);
      const Matrix feature = graphs::normal(kWords, 1.0, random);
      const double expected = expectation(p, Features::from_matrices({feature}))[0];
      Values estimates;
      for (int seed = 0; seed < repeats(400); ++seed) {
        const PerturbedTrees sample = sample_without_replacement(p, 8, seeded(seed));
        estimates.push_back(
            importance_estimate(sample, values_of(sample.trees, [&](const Tree& t) { return additive(t, feature); })));
      }
      EXPECT_GT(statistics::mean(estimates, expected), kFalseAlarm);
    }
}

TEST(ImportanceEstimate, IsUnbiasedForLabelledTrees) {
  graphs::Random random(364);
  const LabelledMatrix scores = graphs::normal(3, 2, 1.0, random);
  for (Root root : graphs::kRoots) {
    const LabelledTreeDistribution p(scores, root);
    Values estimates;
    for (int seed = 0; seed < repeats(1000); ++seed) {
      const PerturbedTrees sample = sample_without_replacement(p, 6, seeded(seed));
      estimates.push_back(importance_estimate(
          sample, values_of(sample.trees, [](const Tree& t) { return t.heads[1] == 0 && t.labels[1] == 1; })));
    }
    EXPECT_GT(statistics::mean(estimates, p.marginals()(0, 1, 1)), kFalseAlarm);
  }
}

/// exp(log p) / (1 - exp(-exp(log p - threshold))), in long double.
TEST(ImportanceWeights, AreTheFormula) {
  graphs::Random random(365);
  for (double s : {0.0, 1.0, 30.0, 300.0})
    for (int k : {1, 3, 8}) {
      const PerturbedTrees sample =
          sample_without_replacement(TreeDistribution(graphs::normal(5, s, random), Root::single), k, seeded(43));
      const Values weights = importance_weights(sample);
      ASSERT_EQ(weights.size(), sample.trees.size());
      for (int i = 0; i < k; ++i) {
        const long double log_p = *sample.trees[i].log_prob;
        const long double expected = std::exp(log_p) / -std::expm1(-std::exp(log_p - sample.threshold));
        EXPECT_NEAR(weights[i], static_cast<double>(expected), 1e-12 * static_cast<double>(expected));
      }
    }
}

TEST(ImportanceWeights, AllTreesHaveTheirProbabilities) {
  graphs::Random random(366);
  for (double s : {0.0, 1.0, 30.0, 1000.0})
    for (Root root : graphs::kRoots) {
      const TreeDistribution p(graphs::normal(4, s, random), root);
      const Matrix feature = graphs::normal(4, 1.0, random);
      const PerturbedTrees all = sample_without_replacement(p, 1000, seeded(44));
      const Values weights = importance_weights(all);
      for (std::size_t i = 0; i < weights.size(); ++i)
        EXPECT_NEAR(weights[i], std::exp(*all.trees[i].log_prob), 1e-12 * weights[i]);
      const Values values = values_of(all.trees, [&](const Tree& t) { return additive(t, feature); });
      const double expected = expectation(p, Features::from_matrices({feature}))[0];
      EXPECT_NEAR(importance_estimate(all, values), expected, 1e-11);
      EXPECT_NEAR(normalised_estimate(all, values), expected, 1e-11);
    }
  EXPECT_TRUE(importance_weights({}).empty());
}

TEST(NormalisedEstimate, IsExactForConstantsAndConsistent) {
  graphs::Random random(367);
  const TreeDistribution p(graphs::normal(6, 1.0, random), Root::single);
  const Matrix feature = graphs::normal(6, 1.0, random);
  const double expected = expectation(p, Features::from_matrices({feature}))[0];
  Values mean_square_errors;
  for (int k : {1, 8, 64, 512}) {
    Values squares;
    for (int seed = 0; seed < 150; ++seed) {
      const PerturbedTrees sample = sample_without_replacement(p, k, seeded(seed));
      EXPECT_NEAR(normalised_estimate(sample, Values(k, 2.5)), 2.5, 1e-14);
      const double estimate =
          normalised_estimate(sample, values_of(sample.trees, [&](const Tree& t) { return additive(t, feature); }));
      squares.push_back((estimate - expected) * (estimate - expected));
    }
    mean_square_errors.push_back(mean_estimate(squares).value);
  }
  // Without replacement at least as good as with it: 1/k, here asked for with a factor of two to spare.
  for (std::size_t i = 1; i < mean_square_errors.size(); ++i)
    EXPECT_LT(mean_square_errors[i], mean_square_errors[i - 1] / 4);
}

/// Improbable trees only: weights far below the smallest double must not become 0 / 0.
TEST(NormalisedEstimate, IsNeverNaN) {
  PerturbedTrees sample;
  sample.trees = {Tree{{-1, 0}, {}, 0.0, -2000.0}, Tree{{-1, 0}, {}, 0.0, -2001.0}};
  sample.perturbed = {-1990.0, -1995.0};
  sample.threshold = -1996.0;
  try {
    const double estimate = normalised_estimate(sample, {1.0, 2.0});
    EXPECT_GE(estimate, 1.0);
    EXPECT_LE(estimate, 2.0);
  } catch (const InputError&) {
  }
  EXPECT_FALSE(std::isnan(importance_estimate(sample, {1.0, 2.0})));
}

TEST(Estimate, RefusesWrongValues) {
  const PerturbedTrees sample =
      sample_without_replacement(TreeDistribution(Matrix::Zero(4, 4), Root::multi), 3, seeded(45));
  EXPECT_THROW(mean_estimate({}), InputError);
  for (const auto estimate : {importance_estimate, normalised_estimate}) {
    EXPECT_THROW(estimate(sample, {}), InputError);
    EXPECT_THROW(estimate(sample, {1.0, 2.0}), InputError);
    EXPECT_THROW(estimate(sample, {1.0, 2.0, 3.0, 4.0}), InputError);
    EXPECT_THROW(estimate({}, {}), InputError);
    EXPECT_THROW(estimate(sample, {1.0, 2.0, std::nan("")}), InputError);
    EXPECT_THROW(estimate(sample, {1.0, 2.0, graphs::kInf}), InputError);
  }
  EXPECT_THROW(mean_estimate({1.0, std::nan("")}), InputError);
  PerturbedTrees decoded = sample;
  decoded.trees[1].log_prob.reset();
  EXPECT_THROW(importance_weights(decoded), InputError);
}

}  // namespace
}  // namespace kirchhoff
