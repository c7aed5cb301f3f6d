// SparseMAP over labelled trees, proved optimal by listing all trees: the best labelled tree under s - u has, in one of
// them, the best label of every arc. Derivatives are checked by finite differences.
#include "kirchhoff/decode.hpp"
#include "kirchhoff/sparsemap.hpp"
#include "support/graphs.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <set>

namespace kirchhoff {
namespace {

using graphs::kInf;
using graphs::kRoots;
using graphs::Random;

LabelledMatrix random_labelled(int words, int labels, double spread, double density, Random& random) {
  return graphs::masked_feasible(graphs::normal(words, labels, spread, random), density, random);
}

LabelledMatrix plus(const LabelledMatrix& a, double x, const LabelledMatrix& b) {
  LabelledMatrix sum = a;
  for (std::size_t i = 0; i < sum.size(); ++i) sum.data()[i] += x * b.data()[i];
  return sum;
}

Vector flat(const LabelledMatrix& m) { return Eigen::Map<const Vector>(m.data(), static_cast<Eigen::Index>(m.size())); }

Matrix best_label_of(const LabelledMatrix& values) {
  Matrix best = Matrix::Constant(values.words() + 1, values.words() + 1, -kInf);
  for (int h = 0; h <= values.words(); ++h)
    for (int d = 0; d <= values.words(); ++d)
      for (int l = 0; l < values.labels(); ++l) best(h, d) = std::max(best(h, d), values(h, d, l));
  return best;
}

void expect_mixture(const LabelledSparseTrees& p, const LabelledMatrix& scores, Root root) {
  ASSERT_EQ(p.trees.size(), p.probabilities.size());
  ASSERT_EQ(p.trees.size(), p.labels.size());
  LabelledMatrix u(scores.words(), scores.labels());
  double sum = 0.0;
  std::set<std::pair<Heads, std::vector<int>>> different;
  for (std::size_t k = 0; k < p.trees.size(); ++k) {
    ASSERT_FALSE(tree_problem(p.trees[k], root)) << *tree_problem(p.trees[k], root);
    EXPECT_EQ(p.labels[k][0], 0);
    different.insert({p.trees[k], p.labels[k]});
    EXPECT_GT(p.probabilities[k], 0.0);
    if (k > 0) {
      EXPECT_LE(p.probabilities[k], p.probabilities[k - 1]);
    }
    sum += p.probabilities[k];
    for (int d = 1; d <= u.words(); ++d) {
      EXPECT_NE(scores(p.trees[k][d], d, p.labels[k][d]), -kInf);
      u(p.trees[k][d], d, p.labels[k][d]) += p.probabilities[k];
    }
  }
  EXPECT_EQ(different.size(), p.trees.size());
  EXPECT_NEAR(sum, 1.0, 1e-13);
  EXPECT_LT((flat(u) - flat(p.marginals)).cwiseAbs().maxCoeff(), 1e-14);
}

/// By how much the best labelled tree is better than u under s - u.
double gap_of(const LabelledSparseTrees& p, const LabelledMatrix& scores, Root root) {
  const LabelledMatrix slopes = plus(scores, -1.0, p.marginals);
  long double own = 0.0L, highest = -HUGE_VALL;
  for (std::size_t k = 0; k < p.trees.size(); ++k)
    for (int d = 1; d <= scores.words(); ++d)
      own += static_cast<long double>(p.probabilities[k]) * slopes(p.trees[k][d], d, p.labels[k][d]);
  const oracle::Forest forest(best_label_of(slopes), root);
  for (const oracle::Tree& tree : forest.trees()) highest = std::max(highest, tree.score);
  return static_cast<double>(highest - own);
}

TEST(LabelledSparseMap, IsTheProjectionOnAllLabelledTrees) {
  Random random(51);
  std::size_t most = 0;
  for (int words = 1; words <= 5; ++words)
    for (const int labels : {1, 2, 5})
      for (const Root root : kRoots)
        for (const double spread : {0.1, 0.5, 1.0, 4.0})
          for (int repeat = 0; repeat < (words < 5 ? 8 : 2); ++repeat) {
            const LabelledMatrix scores = random_labelled(words, labels, spread, 0.7, random);
            const LabelledSparseTrees p = sparsemap(scores, root);
            EXPECT_EQ(p.status, Status::converged);
            expect_mixture(p, scores, root);
            // Sums of a few numbers up to 20 in double precision.
            EXPECT_LT(gap_of(p, scores, root), 1e-11) << words << " words, " << labels << " labels, " << spread;
            EXPECT_LE(p.gap, 1e-11);
            most = std::max(most, p.trees.size());
          }
  EXPECT_GT(most, 15u) << "no mixture was large enough for the test to mean anything";
}

TEST(LabelledSparseMap, OneLabelIsNone) {
  Random random(52);
  for (int words = 1; words <= 9; ++words)
    for (const Root root : kRoots) {
      const Matrix scores = graphs::normal(words, 0.7, random), v = graphs::normal(words, 1.0, random);
      LabelledMatrix labelled(words, 1), direction(words, 1);
      std::copy_n(scores.data(), scores.size(), labelled.data());
      std::copy_n(v.data(), v.size(), direction.data());
      const LabelledSparseTrees p = sparsemap(labelled, root);
      const SparseTrees q = sparsemap(scores, root);
      EXPECT_EQ(p.trees, q.trees);
      EXPECT_EQ(p.probabilities, q.probabilities);
      EXPECT_TRUE(q.labels.empty());
      const Matrix along = marginals_along(q, v);
      EXPECT_EQ(flat(marginals_along(p, direction)), Vector(Eigen::Map<const Vector>(along.data(), along.size())));
    }
}

// One word has one arc, so u is the projection of the labels' scores on the simplex: max(s - t, 0) with sum 1.
TEST(LabelledSparseMap, OneWordIsSparsemax) {
  Random random(53);
  for (int labels = 1; labels <= 12; ++labels)
    for (const double spread : {0.1, 1.0}) {
      const LabelledMatrix scores = random_labelled(1, labels, spread, 1.0, random);
      double low = -100.0, high = 100.0;
      for (int step = 0; step < 200; ++step) {
        const double t = 0.5 * (low + high);
        double sum = 0.0;
        for (int l = 0; l < labels; ++l) sum += std::max(scores(0, 1, l) - t, 0.0);
        (sum > 1.0 ? low : high) = t;
      }
      const LabelledSparseTrees p = sparsemap(scores, Root::single);
      for (int l = 0; l < labels; ++l) EXPECT_NEAR(p.marginals(0, 1, l), std::max(scores(0, 1, l) - low, 0.0), 1e-13);
    }
}

// Labels share the probability of an arc, which a quadratic term makes cheaper than one label that has all of it.
TEST(LabelledSparseMap, IsNotTheMixtureOfBestLabels) {
  LabelledMatrix scores(2, 2);
  scores(0, 1, 0) = scores(0, 1, 1) = 0.5;  // two labels as good as each other
  scores(0, 2, 0) = 0.5;                    // one, the other is out of the question
  scores(0, 2, 1) = scores(1, 2, 1) = scores(2, 1, 1) = -9.0;
  const LabelledSparseTrees p = sparsemap(scores, Root::single);
  const SparseTrees q = sparsemap(best_label_of(scores), Root::single);
  EXPECT_NEAR(q.marginals(0, 1), 0.5, 1e-12);
  // With x = p(0 -> 1 -> 2): minimise ((x/2 - 1/2)^2 2 + x^2 + (1/2 - x)^2 + (1 - x)^2) / 2.
  EXPECT_NEAR(p.marginals(0, 1, 0) + p.marginals(0, 1, 1), 4.0 / 7.0, 1e-12);
}

TEST(LabelledSparseMap, PenaltiesAndHugeScores) {
  Random random(54);
  for (const Root root : kRoots)
    for (int repeat = 0; repeat < 20; ++repeat) {
      const LabelledMatrix forbidden = random_labelled(5, 3, 1.0, 0.5, random);
      for (const double penalty : {-1e4, -1e100}) {
        LabelledMatrix scores = forbidden;
        for (std::size_t i = 0; i < scores.size(); ++i)
          if (scores.data()[i] == -kInf) scores.data()[i] = penalty;
        EXPECT_EQ(flat(sparsemap(scores, root).marginals), flat(sparsemap(forbidden, root).marginals));
      }
      const LabelledMatrix huge = random_labelled(5, 3, 1e99, 1.0, random);
      const LabelledSparseTrees p = sparsemap(huge, root);
      EXPECT_EQ(p.trees.size(), 1u);
      EXPECT_EQ(p.trees[0], best_tree(huge, root).heads);
      EXPECT_EQ(p.labels[0], best_tree(huge, root).labels);
    }
}

TEST(LabelledSparseMap, MarginalsAlong) {
  Random random(55);
  int checked = 0, kinks = 0;
  for (int words = 1; words <= 6; ++words)
    for (const Root root : kRoots)
      for (const double spread : {0.2, 1.0})
        for (int repeat = 0; repeat < 8; ++repeat) {
          const LabelledMatrix scores = random_labelled(words, 3, spread, 0.8, random);
          const LabelledMatrix v = random_labelled(words, 3, 1.0, 1.0, random);
          constexpr double kStep = 1e-5;
          const auto at = [&](double x) { return flat(sparsemap(plus(scores, x, v), root).marginals); };
          const Vector low = at(-kStep), high = at(kStep), middle = at(0.0);
          if ((low + high - 2.0 * middle).norm() > 1e-3 * kStep) {
            ++kinks;
            continue;
          }
          const LabelledSparseTrees p = sparsemap(scores, root);
          const LabelledMatrix found = marginals_along(p, v);
          EXPECT_LT((flat(found) - (high - low) / (2.0 * kStep)).cwiseAbs().maxCoeff(), 1e-8) << words << " words";
          EXPECT_LT((flat(marginals_along(p, found)) - flat(found)).cwiseAbs().maxCoeff(), 1e-12) << "idempotent";
          checked += flat(found).norm() > 0.01;
        }
  EXPECT_GT(checked, 130);
  EXPECT_LT(kinks, 15);
}

TEST(LabelledSparseMap, BadInput) {
  EXPECT_THROW(sparsemap(LabelledMatrix(2, 2, kInf), Root::single), InputError);
  EXPECT_THROW(sparsemap(LabelledMatrix(2, 2, -kInf), Root::single), Infeasible);
  EXPECT_THROW(sparsemap(LabelledMatrix(2, 2), Root::single, {.tolerance = -1.0}), InputError);
  const LabelledSparseTrees p = sparsemap(LabelledMatrix(2, 2), Root::single);
  EXPECT_THROW(marginals_along(p, LabelledMatrix(2, 3)), InputError);
  EXPECT_THROW(marginals_along(p, LabelledMatrix(3, 2)), InputError);
  EXPECT_THROW(marginals_along(p, LabelledMatrix(2, 2, std::nan(""))), InputError);
}

}  // namespace
}  // namespace kirchhoff
