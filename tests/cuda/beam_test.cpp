// Trees without replacement by the device's beam search: the right joint distribution, the right probabilities, and the
// same trees in every batch.
#include "cuda/executor.hpp"
#include "kirchhoff/cuda_beam.hpp"
#include "sample/counting.hpp"
#include "support/compare.hpp"

#include <algorithm>
#include <set>

namespace kirchhoff::cuda {
namespace {

std::vector<PerturbedTrees> beam(const std::vector<Matrix>& graphs, Root root, int k, std::uint64_t seed = 0) {
  MatrixBatch batch;
  for (const Matrix& scores : graphs) batch.add(scores);
  return beam_sample(batch, root, k, seed, test_executor());
}
std::vector<PerturbedTrees> repeated_beam(const Matrix& scores, Root root, int k, int count, std::uint64_t seed = 0) {
  return beam(std::vector<Matrix>(count, scores), root, k, seed);
}

/// The probabilities of the first two trees, at first * trees + second.
Scale ordered_pairs(const Trees& trees) {
  Scale result(trees.size() * trees.size(), 0);
  for (std::size_t a = 0; a < trees.size(); ++a) {
    std::vector<oracle::Real> rest;
    for (std::size_t i = 0; i < trees.size(); ++i)
      if (i != a) rest.push_back(trees[i].log_prob);
    const oracle::Real log_rest = oracle::log_sum_exp(rest);
    for (std::size_t b = 0; b < trees.size(); ++b)
      if (a != b) result[a * trees.size() + b] = trees[a].prob * std::exp(trees[b].log_prob - log_rest);
  }
  return result;
}

void expect_ordered_pairs(const Matrix& scores, Root root, int count) {
  const Trees trees(scores, root);
  if (trees.size() < 2) return;
  statistics::Counts counts(trees.size() * trees.size(), 0);
  for (const PerturbedTrees& sample : repeated_beam(scores, root, 2, count)) {
    ASSERT_EQ(sample.trees.size(), 2U);
    ++counts[trees.number(sample.trees[0]) * trees.size() + trees.number(sample.trees[1])];
  }
  EXPECT_GT(statistics::fit(counts, ordered_pairs(trees)), kFalseAlarm);
}

TEST(CudaBeam, OrderedPairsAsEnumerationSays) {
  graphs::Random random(901);
  for (int n : {2, 3, 4})
    for (double s : {0.0, 1.0, 4.0, 20.0, 300.0})
      for (Root root : graphs::kRoots) {
        SCOPED_TRACE(testing::Message() << graphs::name(root) << ", n = " << n << ", N(0, " << s << "^2)");
        expect_ordered_pairs(graphs::normal(n, s, random), root, repeats(5000));
        expect_ordered_pairs(graphs::masked_feasible(graphs::normal(n, s, random), 0.6, random), root, repeats(2000));
      }
}

/// The first k trees are those of any larger k: the noise of a tree does not depend on the beam's width.
TEST(CudaBeam, WiderBeamsBeginWithTheSameTrees) {
  graphs::Random random(902);
  for (int n : {5, 17, 33})
    for (Root root : graphs::kRoots) {
      const Matrix scores = graphs::normal(n, 1.0, random);
      const PerturbedTrees most = beam({scores}, root, 400, 5)[0];
      ASSERT_EQ(most.trees.size(), 400U);
      EXPECT_TRUE(std::is_sorted(most.perturbed.rbegin(), most.perturbed.rend()));
      for (int k : {0, 1, 2, 7, 40, 150}) {
        SCOPED_TRACE(testing::Message() << graphs::name(root) << ", n = " << n << ", k = " << k);
        const PerturbedTrees some = beam({scores}, root, k, 5)[0];
        ASSERT_EQ(some.trees.size(), static_cast<std::size_t>(k));
        for (int i = 0; i < k; ++i) EXPECT_EQ(some.trees[i].heads, most.trees[i].heads) << "tree " << i;
        EXPECT_EQ(some.threshold, most.perturbed[k]);
      }
    }
}

/// Every tree once, with its probability, and the noise of each is Gumbel.
TEST(CudaBeam, FindsAllTreesWithTheirProbabilities) {
  graphs::Random random(903);
  for (int n : {1, 2, 3, 4, 5})
    for (double s : {0.0, 1.0, 30.0, 300.0})
      for (const double density : {1.0, 0.5})
        for (Root root : graphs::kRoots) {
          SCOPED_TRACE(testing::Message()
                       << graphs::name(root) << ", n = " << n << ", N(0, " << s << "^2), " << density);
          const Matrix scores = graphs::masked_feasible(graphs::normal(n, s, random), density, random);
          const Trees trees(scores, root);
          const PerturbedTrees all = beam({scores}, root, static_cast<int>(trees.size()) + 3)[0];
          ASSERT_EQ(all.trees.size(), trees.size());
          EXPECT_EQ(all.threshold, -graphs::kInf);
          std::set<std::size_t> found;
          std::vector<double> noise;
          for (std::size_t i = 0; i < trees.size(); ++i) {
            const std::size_t number = trees.number(all.trees[i]);
            found.insert(number);
            const double expected = static_cast<double>(trees[number].log_prob);
            EXPECT_NEAR(*all.trees[i].log_prob, expected, 1e-12 + 1e-14 * std::abs(expected));
            noise.push_back(std::exp(-std::exp(*all.trees[i].log_prob - all.perturbed[i])));
          }
          EXPECT_EQ(found.size(), trees.size());
          EXPECT_GT(statistics::uniform(noise), kFalseAlarm);
        }
}

void expect_probabilities(const Matrix& scores, Root root, int k) {
  const TreeDistribution p(scores, root, graphs::forced(Method::robust));
  const PerturbedTrees sample = beam({scores}, root, k, 17)[0];
  ASSERT_FALSE(sample.trees.empty());
  std::set<Heads> found;
  for (const Tree& tree : sample.trees) {
    found.insert(tree.heads);
    const double expected = p.log_prob(tree.heads);
    ASSERT_NEAR(*tree.log_prob, expected, 1e-11 + 1e-13 * std::abs(expected));
  }
  EXPECT_EQ(found.size(), sample.trees.size());
}

TEST(CudaBeam, ProbabilitiesOfHardGraphsAreTheCpus) {
  graphs::Random random(904);
  for (int n : {6, 11, 24, 40})
    for (double s : {1.0, 10.0, 60.0, 300.0})
      for (Root root : graphs::kRoots) {
        SCOPED_TRACE(testing::Message() << graphs::name(root) << ", n = " << n << ", N(0, " << s << "^2)");
        expect_probabilities(graphs::normal(n, s, random), root, 60);
        expect_probabilities(graphs::masked_feasible(graphs::normal(n, s, random), 3.0 / n, random), root, 60);
        expect_probabilities(graphs::strong_cycle(n, n / 2, s, random), root, 60);
      }
}

TEST(CudaBeam, ProbabilitiesOfLargeGraphsAreTheCpus) {
  graphs::Random random(907);
  for (int n : {100, 131, 200})
    for (Root root : graphs::kRoots) {
      SCOPED_TRACE(testing::Message() << graphs::name(root) << ", n = " << n);
      expect_probabilities(graphs::normal(n, 2.0, random), root, 15);
    }
}

/// Importance weights make estimates unbiased: here of the probability of an arc, and of a constant.
TEST(CudaBeam, EstimatesAreUnbiased) {
  graphs::Random random(905);
  for (double s : {1.0, 5.0})
    for (Root root : graphs::kRoots) {
      SCOPED_TRACE(testing::Message() << graphs::name(root) << ", N(0, " << s << "^2)");
      const Matrix scores = graphs::normal(4, s, random);
      const TreeDistribution p(scores, root);
      std::vector<double> arcs, constants;
      for (const PerturbedTrees& sample : repeated_beam(scores, root, 5, repeats(4000), 77)) {
        std::vector<double> values;
        for (const Tree& tree : sample.trees) values.push_back(tree.heads[2] == 1 ? 1.0 : 0.0);
        arcs.push_back(importance_estimate(sample, values));
        constants.push_back(importance_estimate(sample, std::vector<double>(sample.trees.size(), 1.0)));
      }
      EXPECT_GT(statistics::mean(arcs, p.marginals()(1, 2)), kFalseAlarm);
      EXPECT_GT(statistics::mean(constants, 1.0), kFalseAlarm);
    }
}

TEST(CudaBeam, SameTreesInEveryBatch) {
  graphs::Random random(906);
  std::vector<Matrix> graphs;
  for (int n : {3, 20, 1, 9, 31, 20})
    for (double s : {1.0, 200.0}) graphs.push_back(graphs::normal(n, s, random));
  for (Root root : graphs::kRoots) {
    const std::vector<PerturbedTrees> together = beam(graphs, root, 30, 40);
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      SCOPED_TRACE(testing::Message() << graphs::name(root) << ", graph " << i);
      const PerturbedTrees alone = beam({graphs[i]}, root, 30, 40 + i)[0];
      EXPECT_EQ(alone.perturbed, together[i].perturbed);
      EXPECT_EQ(alone.threshold, together[i].threshold);
      ASSERT_EQ(alone.trees.size(), together[i].trees.size());
      for (std::size_t t = 0; t < alone.trees.size(); ++t) {
        EXPECT_EQ(alone.trees[t].heads, together[i].trees[t].heads);
        EXPECT_EQ(alone.trees[t].log_prob, together[i].trees[t].log_prob);
      }
    }
  }
}

}  // namespace
}  // namespace kirchhoff::cuda
