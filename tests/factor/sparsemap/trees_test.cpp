// SparseMAP over trees, proved optimal by listing all trees: u is the projection of s on their hull if it is a mixture
// of trees, and (s - u).y <= (s - u).u for every tree y.
#include "kirchhoff/decode.hpp"
#include "kirchhoff/sparsemap.hpp"
#include "support/graphs.hpp"
#include "support/message_of.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <set>

namespace kirchhoff {
namespace {

using graphs::kInf;
using graphs::kRoots;
using graphs::Random;

long double slope_of(const Heads& heads, const Matrix& scores, const Matrix& u) {
  long double sum = 0.0L;
  for (int d = 1; d < scores.cols(); ++d) sum += static_cast<long double>(scores(heads[d], d)) - u(heads[d], d);
  return sum;
}

/// The probabilities are those of trees, and mix to the marginals.
void expect_mixture(const SparseTrees& p, const Matrix& scores, Root root) {
  ASSERT_EQ(p.trees.size(), p.probabilities.size());
  Matrix u = Matrix::Zero(scores.rows(), scores.cols());
  double sum = 0.0;
  std::set<Heads> different;
  for (std::size_t k = 0; k < p.trees.size(); ++k) {
    ASSERT_FALSE(tree_problem(p.trees[k], root)) << *tree_problem(p.trees[k], root);
    different.insert(p.trees[k]);
    EXPECT_GT(p.probabilities[k], 0.0);
    if (k > 0) {
      EXPECT_LE(p.probabilities[k], p.probabilities[k - 1]);
    }
    sum += p.probabilities[k];
    for (int d = 1; d < u.cols(); ++d) {
      EXPECT_NE(scores(p.trees[k][d], d), -kInf);
      u(p.trees[k][d], d) += p.probabilities[k];
    }
  }
  EXPECT_EQ(different.size(), p.trees.size());
  EXPECT_NEAR(sum, 1.0, 1e-13);
  EXPECT_LT((u - p.marginals).cwiseAbs().maxCoeff(), 1e-14);
}

/// The gap by enumeration; the mean of the trees' slopes is (s - u).u.
double gap_of(const SparseTrees& p, const Matrix& scores, Root root) {
  long double own = 0.0L, highest = -HUGE_VALL;
  for (std::size_t k = 0; k < p.trees.size(); ++k)
    own += static_cast<long double>(p.probabilities[k]) * slope_of(p.trees[k], scores, p.marginals);
  const oracle::Forest forest(scores, root);
  for (const oracle::Tree& tree : forest.trees()) {
    if (tree.score != -HUGE_VALL) highest = std::max(highest, slope_of(tree.heads, scores, p.marginals));
  }
  return static_cast<double>(highest - own);
}

TEST(SparseMap, IsTheProjectionOnAllTrees) {
  Random random(1);
  std::size_t most = 0;
  for (int words = 1; words <= 5; ++words)
    for (const Root root : kRoots)
      for (const double spread : {0.1, 0.5, 1.0, 4.0})
        for (const double density : {1.0, 0.6})
          for (int repeat = 0; repeat < (words < 5 ? 20 : 4); ++repeat) {
            const Matrix scores = graphs::masked_feasible(graphs::normal(words, spread, random), density, random);
            const SparseTrees p = sparsemap(scores, root);
            EXPECT_EQ(p.status, Status::converged);
            expect_mixture(p, scores, root);
            // Sums of a few numbers up to 20 in double precision.
            EXPECT_LT(gap_of(p, scores, root), 1e-11) << words << " words, spread " << spread;
            EXPECT_LE(p.gap, 1e-11);
            most = std::max(most, p.trees.size());
          }
  EXPECT_GT(most, 8u) << "no mixture was large enough for the test to mean anything";
}

TEST(SparseMap, GoesFromAllTreesToTheBest) {
  Random random(2);
  const Matrix scores = graphs::normal(12, 1.0, random);
  std::size_t before = 1000;
  for (const double scale : {0.2, 1.0, 3.0, 1000.0}) {
    const SparseTrees p = sparsemap(scale * scores, Root::single);
    EXPECT_LT(p.trees.size(), before) << scale;
    before = p.trees.size();
  }
  EXPECT_EQ(before, 1u);
  EXPECT_EQ(sparsemap(1000.0 * scores, Root::single).trees[0], best_tree(scores, Root::single).heads);
}

TEST(SparseMap, LongSentences) {
  Random random(3);
  for (const int words : {25, 60})
    for (const Root root : kRoots) {
      const Matrix scores = graphs::normal(words, 1.0, random);
      const SparseTrees p = sparsemap(scores, root);
      EXPECT_EQ(p.status, Status::converged);
      expect_mixture(p, scores, root);
      const Matrix slopes = scores - p.marginals;
      double own = 0.0;
      for (int d = 1; d <= words; ++d)
        for (int h = 0; h <= words; ++h) own += h == d ? 0.0 : slopes(h, d) * p.marginals(h, d);
      EXPECT_NEAR(best_tree(slopes, root).score, own, 1e-10);
    }
}

TEST(SparseMap, ShiftedColumnsChangeNothing) {
  Random random(4);
  for (const Root root : kRoots) {
    const Matrix scores = graphs::normal(8, 1.0, random);
    Matrix shifted = scores;
    for (int d = 1; d <= 8; ++d) shifted.col(d).array() += 100.0 * d - 300.0;
    const Matrix u = sparsemap(scores, root).marginals, v = sparsemap(shifted, root).marginals;
    EXPECT_LT((u - v).cwiseAbs().maxCoeff(), 1e-11);  // scores lose digits to the shift
  }
}

// A penalty is as good as -inf, to the last bit, since neither arc is a candidate.
TEST(SparseMap, PenaltiesCostNoDigits) {
  Random random(5);
  for (const Root root : kRoots)
    for (int repeat = 0; repeat < 20; ++repeat) {
      const Matrix forbidden = graphs::masked_feasible(graphs::normal(7, 1.0, random), 0.6, random);
      for (const double penalty : {-1e4, -1e12, -1e100}) {
        const Matrix scores = (forbidden.array() == -kInf).select(penalty, forbidden);
        EXPECT_EQ(sparsemap(scores, root).marginals, sparsemap(forbidden, root).marginals) << penalty;
      }
    }
}

// Cycles of high scores cannot be cut off: their digits are lost, and the gap says how many.
TEST(SparseMap, HugeScores) {
  Random random(6);
  for (const double size : {1e3, 1e8, 1e16, 1e100})
    for (const Root root : kRoots)
      for (int repeat = 0; repeat < 20; ++repeat) {
        const Matrix noise = graphs::normal(5, 1.0, random);
        for (const Matrix& scores : {Matrix(graphs::strong_cycle(5, 3, size, random)), Matrix(size / 10.0 * noise)}) {
          const SparseTrees p = sparsemap(scores, root);
          EXPECT_EQ(p.status, Status::converged);
          expect_mixture(p, scores, root);
          EXPECT_TRUE(std::isfinite(p.gap));
          EXPECT_LT(p.gap, 1e-11 * size);
          EXPECT_LT(gap_of(p, scores, root), 1e-11 * size);
          const Matrix along = marginals_along(p, noise);
          EXPECT_TRUE(along.allFinite());
        }
      }
}

TEST(SparseMap, EqualScores) {
  for (int words = 1; words <= 6; ++words) {
    const Matrix single = sparsemap(Matrix::Zero(words + 1, words + 1), Root::single).marginals;
    for (int d = 1; d <= words; ++d) {
      // By symmetry, all root arcs are alike and so are all others; one child of the root among n.
      EXPECT_NEAR(single(0, d), 1.0 / words, 1e-13);
      for (int h = 1; h <= words; ++h) {
        if (h != d) {
          EXPECT_NEAR(single(h, d), (1.0 - 1.0 / words) / (words - 1), 1e-13);
        }
      }
    }
  }
}

TEST(SparseMap, BatchesAreTheSameBits) {
  Random random(7);
  std::vector<Matrix> scores;
  std::vector<GraphView> views;
  for (int i = 0; i < 30; ++i) scores.push_back(graphs::normal(1 + i % 9, 1.0, random));
  for (const Matrix& s : scores) views.push_back(graph_view(s));
  for (const int threads : {1, 3}) {
    const std::vector<SparseTrees> all = sparsemap(views, Root::multi, {}, threads);
    ASSERT_EQ(all.size(), scores.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const SparseTrees one = sparsemap(scores[i], Root::multi);
      EXPECT_EQ(all[i].trees, one.trees);
      EXPECT_EQ(all[i].probabilities, one.probabilities);
      EXPECT_EQ(all[i].marginals, one.marginals);
    }
  }
  scores[4](1, 2) = std::nan("");
  EXPECT_EQ(message_of<InputError>([&] { sparsemap(views, Root::multi); }).substr(0, 20), "graph 4: [sparsemap]");
}

TEST(SparseMap, EndsEarlyWithAMixtureAndItsGap) {
  Random random(8);
  const Matrix scores = graphs::normal(5, 0.3, random);
  const Matrix optimum = sparsemap(scores, Root::multi).marginals;
  const auto expect_valid = [&](const SparseTrees& p) {
    expect_mixture(p, scores, Root::multi);
    EXPECT_NEAR(p.gap, gap_of(p, scores, Root::multi), 1e-12);
    EXPECT_GT(p.gap, 1e-3);
    EXPECT_LE((p.marginals - optimum).norm(), std::sqrt(p.gap));
  };
  for (int steps = 1; steps <= 4; ++steps) {
    const SparseTrees p = sparsemap(scores, Root::multi, {.max_iterations = steps});
    EXPECT_EQ(p.status, Status::iteration_limit);
    EXPECT_EQ(p.iterations, steps);
    expect_valid(p);
  }
  const SparseTrees loose = sparsemap(scores, Root::multi, {.tolerance = 0.05});
  EXPECT_EQ(loose.status, Status::converged);
  expect_valid(loose);
  const Matrix large = graphs::normal(40, 0.3, random);
  const SparseTrees stopped = sparsemap(large, Root::multi, {.stop = [] { return true; }});
  EXPECT_EQ(stopped.status, Status::time_limit);
  expect_mixture(stopped, large, Root::multi);
}

TEST(SparseMap, BadInput) {
  Random random(9);
  const Matrix scores = graphs::normal(3, 1.0, random);
  EXPECT_THROW(sparsemap(Matrix::Zero(3, 4), Root::single), InputError);
  EXPECT_THROW(sparsemap(Matrix::Constant(3, 3, kInf), Root::single), InputError);
  EXPECT_THROW(sparsemap(Matrix::Constant(3, 3, -kInf), Root::single), Infeasible);
  EXPECT_THROW(sparsemap(scores, Root::single, {.tolerance = -1.0}), InputError);
  EXPECT_THROW(sparsemap(scores, Root::single, {.max_iterations = 0}), InputError);
  const SparseTrees p = sparsemap(scores, Root::single);
  EXPECT_THROW(marginals_along(p, Matrix::Zero(3, 3)), InputError);
  EXPECT_THROW(marginals_along(p, Matrix::Constant(4, 4, std::nan(""))), InputError);
}

}  // namespace
}  // namespace kirchhoff
