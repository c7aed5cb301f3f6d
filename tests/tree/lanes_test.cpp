// Small graphs of a batch are solved in the lanes of vector registers: they get the robust method's answers there, or
// the fast method's within the tolerance, with bits that depend on nothing else in the batch.
#include "kirchhoff/expectation.hpp"

#include "tree/batches.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

namespace kirchhoff {
namespace {

using batches::all_zero;
using batches::batch_of;
using batches::same_bits;
using batches::some_graphs;
using graphs::kInf;

using Distributions = std::vector<std::optional<TreeDistribution>>;

// Calls check(batch, the robust method's distribution of each graph, or nothing where there is no tree) for many
// batches.
template <class Check>
void for_many_batches(const Check& check) {
  graphs::Random random(150);
  for (const double spread : {0.1, 1.0, 8.0, 40.0}) {
    for (const double density : {1.0, 0.5, 0.15}) {
      std::vector<Matrix> matrices;
      for (int n = 1; n <= 52; ++n) {
        for (int k = 0; k < 3; ++k) {
          matrices.push_back(graphs::masked_feasible(graphs::normal(n, spread, random), density, random));
        }
      }
      for (Root root : graphs::kRoots) {
        SCOPED_TRACE(testing::Message() << graphs::name(root) << ", spread " << spread << ", density " << density);
        const TreeBatch batch(batch_of(matrices), root);
        Distributions alone(matrices.size());
        for (std::size_t k = 0; k < matrices.size(); ++k) {
          try {
            alone[k].emplace(matrices[k], root, graphs::forced(Method::robust));
          } catch (const Infeasible&) {  // masked_feasible promises a multi-root tree
          }
        }
        check(batch, alone);
      }
    }
  }
}

TEST(Lanes, GiveWhatTheRobustMethodGives) {
  for_many_batches([](const TreeBatch& batch, const Distributions& alone) {
    for (std::size_t k = 0; k < alone.size(); ++k) {
      if (!alone[k]) {
        EXPECT_EQ(batch.log_partition()[k], -kInf);
        EXPECT_TRUE(all_zero(batch.marginals(k)));
        continue;
      }
      const TreeDistribution& p = *alone[k];
      EXPECT_NEAR(batch.log_partition()[k], p.log_partition(), 1e-13 * (1 + std::abs(p.log_partition())));
      for (std::size_t i = 0; i < batch.marginals(k).size(); ++i) {
        const double expected = p.marginals().data()[i], found = batch.marginals(k)[i];
        ASSERT_LE(std::abs(found - expected), 1e-12 * expected + 1e-300) << k << ", " << i;
      }
    }
  });
}

// Weights are relative to each word's best: at these distances from it they are the smallest normal doubles, smaller,
// or zeros, in the arc of a word or of the root.
TEST(Lanes, ArcsAtTheEndOfTheRangeOfDoubles) {
  graphs::Random random(152);
  for (const double distance : {-690.0, -707.9, -708.1, -709.5, -720.0, -744.0, -746.0, -900.0}) {
    for (Root root : graphs::kRoots) {
      std::vector<Matrix> matrices;
      for (int n = 3; n <= 20; ++n) {
        matrices.push_back(graphs::normal(n, 0.3, random));
        matrices.back()(n % 2 == 0 ? 0 : 1, 2) = distance;
      }
      const TreeBatch batch(batch_of(matrices), root);
      for (std::size_t k = 0; k < matrices.size(); ++k) {
        const TreeDistribution p(matrices[k], root, graphs::forced(Method::robust));
        for (std::size_t i = 0; i < batch.marginals(k).size(); ++i) {
          const double expected = p.marginals().data()[i], found = batch.marginals(k)[i];
          ASSERT_LE(std::abs(found - expected), 1e-11 * expected + 1e-300) << distance << ", " << k << ", " << i;
        }
      }
    }
  }
}

// Gradients are right relative to the marginal times the size of the scores, as those of one graph are.
TEST(Lanes, EntropiesAreThoseOfTheRobustMethod) {
  for_many_batches([](const TreeBatch& batch, const Distributions& alone) {
    std::vector<double> gradients(batch.array_size());
    const std::vector<double> entropy_of = entropies(batch, gradients);
    EXPECT_TRUE(same_bits(entropy_of, entropies(batch).data()));
    for (std::size_t k = 0; k < alone.size(); ++k) {
      const std::span<double> gradient = batch.part(gradients, k);
      if (!alone[k]) {
        EXPECT_EQ(entropy_of[k], -kInf);
        EXPECT_TRUE(all_zero(gradient));
        continue;
      }
      const TreeDistribution& p = *alone[k];
      const double size = 1 + p.scores().unaryExpr([](double x) { return x == -kInf ? 0.0 : std::abs(x); }).maxCoeff();
      EXPECT_NEAR(entropy_of[k], entropy(p), 1e-14 * size * p.words()) << k;
      const Matrix expected = entropy_gradient(p);
      for (std::size_t i = 0; i < gradient.size(); ++i) {
        const double bound = 1e-12 * size * p.marginals().data()[i];
        ASSERT_LE(std::abs(gradient[i] - expected.data()[i]), bound + 1e-300) << k << ", " << i;
      }
    }
  });
}

TEST(Lanes, AGraphsBitsDoNotDependOnTheOthers) {
  const auto matrices = some_graphs(60);
  for (Root root : graphs::kRoots) {
    const TreeBatch all(batch_of(matrices), root, {.threads = 1});
    for (int threads : {2, kAllCores}) {
      const TreeBatch again(batch_of(matrices), root, {.threads = threads});
      EXPECT_TRUE(same_bits(all.log_partition(), again.log_partition().data()));
      EXPECT_TRUE(same_bits(all.marginals(), again.marginals().data()));
    }
    for (std::size_t k = 0; k < matrices.size(); ++k) {  // beside one other graph, before it and after it
      const std::vector<Matrix> pair{matrices[k], matrices[(k + 17) % matrices.size()]};
      const TreeBatch after(batch_of(pair), root), before(batch_of({pair[1], pair[0]}), root);
      EXPECT_TRUE(same_bits(all.log_partition().subspan(k, 1), after.log_partition().data())) << k;
      EXPECT_TRUE(same_bits(all.marginals(k), after.marginals(0).data())) << k;
      EXPECT_TRUE(same_bits(all.marginals(k), before.marginals(1).data())) << k;
    }
    std::vector<double> gradients(all.array_size());
    const std::vector<double> entropy_of = entropies(all, gradients);
    for (std::size_t k = 0; k < matrices.size(); ++k) {
      const TreeBatch pair(batch_of({matrices[(k + 17) % matrices.size()], matrices[k]}), root);
      std::vector<double> again(pair.array_size());
      EXPECT_EQ(entropies(pair, again)[1], entropy_of[k]) << k;
      EXPECT_TRUE(same_bits(all.part(gradients, k), pair.part(again, 1).data())) << k;
    }
  }
}

// Graphs whose weights are mild are inverted, unless an error is larger than the tolerance; all others are not.
TEST(Lanes, MildGraphsAreInvertedWithinTheTolerance) {
  graphs::Random random(152);
  for (Root root : graphs::kRoots) {
    for (const double tolerance : {1e-15, 2e-14, 1e-13, 1e-12}) {
      for (const double floor : {0.0, 1.0}) {
        int inverted = 0, not_inverted = 0;
        for (const double spread : {0.3, 1.0, 1.5, 2.0}) {
          std::vector<Matrix> matrices;
          for (int k = 0; k < 120; ++k) matrices.push_back(graphs::normal(5 + k % 26, spread, random));
          const TreeBatch batch(batch_of(matrices), root, {.accuracy = {Method::automatic, tolerance, floor}});
          for (std::size_t k = 0; k < matrices.size(); ++k) {
            ASSERT_TRUE(batch.reports()[k].certified);
            const bool fast = batch.reports()[k].method == Method::fast;
            ++(fast ? inverted : not_inverted);
            const TreeDistribution p(matrices[k], root, graphs::forced(Method::robust));
            for (std::size_t i = 0; i < batch.marginals(k).size(); ++i) {
              const double expected = p.marginals().data()[i], error = std::abs(batch.marginals(k)[i] - expected);
              ASSERT_LE(error, tolerance * std::max(expected, floor) + 2e-14 * expected) << k << ", " << i;
            }
          }
        }
        SCOPED_TRACE(testing::Message() << graphs::name(root) << ", tolerance " << tolerance << ", floor " << floor);
        if (floor == 0.0) {
          EXPECT_EQ(inverted > 0, tolerance > 1e-15);
        }
        if (tolerance < 1e-13) {
          EXPECT_GT(not_inverted, 0);
        }
      }
    }
  }
}

// A group may have graphs of all kinds: mild, mild but not certified, certain of a word, without a tree, with numbers
// that leave the range of doubles, and no scores at all.
TEST(Lanes, GraphsOfAllKindsShareAGroup) {
  graphs::Random random(153);
  for (Root root : graphs::kRoots) {
    for (const int n : {2, 5, 9, 14, 26}) {
      std::vector<Matrix> matrices;
      for (int k = 0; k < 4; ++k) {
        for (const double spread : {1.0, 2.5, 8.0, 300.0})
          matrices.push_back(graphs::normal(n - k % 2, spread, random));
        matrices.push_back(graphs::normal(n, 1.0, random));
        matrices.back().col(1 + k % n).setConstant(-kInf);
        matrices.push_back(graphs::masked_feasible(graphs::normal(n, 1.0, random), 0.4, random));
      }
      const TreeBatch all(batch_of(matrices), root);
      for (std::size_t k = 0; k < matrices.size(); ++k) {
        const TreeBatch two(batch_of({matrices[k], matrices[(k + 1) % matrices.size()]}), root);
        const TreeBatch equals(batch_of({matrices[k], matrices[k], matrices[k]}), root);
        EXPECT_EQ(all.reports()[k].method, two.reports()[0].method) << k;
        EXPECT_TRUE(same_bits(all.log_partition().subspan(k, 1), two.log_partition().data())) << k;
        EXPECT_TRUE(same_bits(all.marginals(k), two.marginals(0).data())) << k;
        EXPECT_TRUE(same_bits(all.marginals(k), equals.marginals(2).data())) << k;
        try {
          const TreeDistribution p(matrices[k], root, graphs::forced(Method::robust));
          for (std::size_t i = 0; i < all.marginals(k).size(); ++i) {
            const double expected = p.marginals().data()[i];
            ASSERT_LE(std::abs(all.marginals(k)[i] - expected), 1e-12 * expected + 1e-300) << k << ", " << i;
          }
        } catch (const Infeasible&) {
          EXPECT_TRUE(all_zero(all.marginals(k)));
        }
      }
    }
  }
}

/// A score that is none is refused wherever it is, with derivatives and without.
TEST(Lanes, RefuseWhatIsNoScoreWhereverItIs) {
  graphs::Random random(151);
  for (const double bad : {std::nan(""), kInf, 2e100}) {
    for (Root root : graphs::kRoots) {
      for (const int n : {1, 2, 3, 5, 8, 11, 17, 30}) {
        std::vector<Matrix> matrices;
        for (int k = 0; k < 6; ++k) matrices.push_back(graphs::normal(n, 1.0, random));
        for (int h = 0; h <= n; ++h) {
          for (int d = 1; d <= n; ++d) {
            if (h == d) continue;
            std::vector<Matrix> changed = matrices;
            changed[3](h, d) = bad;
            const TreeBatch batch(batch_of(changed), root);
            EXPECT_THROW(batch.marginals(), InputError) << bad << " at " << h << ", " << d << " of " << n;
            std::vector<double> gradients(batch.array_size());
            EXPECT_THROW(entropies(batch, gradients), InputError) << bad << " at " << h << ", " << d << " of " << n;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace kirchhoff
