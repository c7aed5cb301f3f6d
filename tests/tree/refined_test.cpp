// Slopes that cancel in an inverse, computed anew from the others, against those of the elimination, which subtracts
// nothing: on peaked graphs, as trained parsers make them, dense and pruned, and where words hang on each other.
#include "tree/fast/refined.hpp"

#include "support/graphs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

namespace kirchhoff {
namespace {

using graphs::kInf;

constexpr Accuracy kAccuracy;

// Scores N(0, 1), and `gap` more for the arcs of a random tree.
Matrix peaked(int words, double gap, graphs::Random& random) {
  Matrix scores = graphs::normal(words, 1.0, random);
  for (int word = 1; word <= words; ++word) {
    scores(std::uniform_int_distribution<int>(0, word - 1)(random), word) += gap * (0.5 + random() % 2);
  }
  return scores;
}

// What the refinement makes of a graph, or nothing where there was nothing to refine or where it fails.
struct Refined {
  tree::Weights weights;
  tree::Slopes slopes;
  bool asked = false, good = false;

  Refined(const Matrix& scores, Root root, const Accuracy& accuracy) {
    tree::FastInverse inverse;
    tree::weigh(scores, root, weights, inverse.x);
    base::Buffer p;
    const std::size_t n = weights.n;
    const numeric::MatrixSpan marginals{p.take((n + 1) * weights.ld), n + 1, n, weights.ld};
    asked = !weights.underflowed && tree::invert(weights, inverse) &&
            !tree::inverse_marginals(weights, accuracy, inverse, marginals);
    good = asked && tree::refine(weights, accuracy, inverse, slopes);
  }
};

// Compares all slopes of possible arcs, and log Z. Slopes of the elimination are right to 1e-13.
void expect_right(const Refined& refined, const Accuracy& accuracy) {
  const tree::Weights& weights = refined.weights;
  tree::Slopes right;
  tree::robust_slopes(weights, nullptr, right);
  ASSERT_FALSE(right.extended);
  EXPECT_NEAR(refined.slopes.log_z.value(), right.log_z.value(), 1e-12);
  for (int j = 0; j < weights.n; ++j) {
    for (int i = 0; i <= weights.n; ++i) {
      const double w = weights.w.data()[i * weights.ld + j];
      if (w == 0.0 || i == j + 1) continue;
      const auto slope = [&](const tree::Slopes& slopes) {
        return i == 0 ? slopes.root.data()[j] : slopes.rows.data()[j * slopes.stride() + i - 1];
      };
      const double expected = slope(right), found = slope(refined.slopes);
      ASSERT_LE(std::abs(found - expected) * w,
                accuracy.tolerance * std::max(w * expected, accuracy.floor) + 1e-13 * w * expected)
          << weights.n << " words, " << i << " -> " << j + 1 << ": " << found << " instead of " << expected;
    }
  }
}

TEST(Refined, PeakedGraphsHaveTheSlopesOfTheElimination) {
  graphs::Random random(160);
  for (Root root : graphs::kRoots) {
    for (const double density : {1.0, 0.5, 0.2}) {
      int asked = 0, good = 0;
      for (int k = 0; k < 400; ++k) {
        const Matrix scores = graphs::masked_feasible(peaked(3 + k % 45, 4.0 + k % 9, random), density, random);
        std::optional<Refined> refined;
        try {
          refined.emplace(scores, root, kAccuracy);
        } catch (const Infeasible&) {
          continue;  // masked_feasible promises a multi-root tree
        }
        asked += refined->asked;
        good += refined->good;
        if (refined->good) expect_right(*refined, kAccuracy);
      }
      SCOPED_TRACE(testing::Message() << graphs::name(root) << ", density " << density);
      EXPECT_GT(asked, 50);
      EXPECT_GT(good, asked * 3 / 4);
    }
  }
}

TEST(Refined, KeepsToOtherTolerancesAndFloors) {
  graphs::Random random(161);
  for (const Accuracy accuracy : {Accuracy{Method::automatic, 1e-13, 0},
                                  {Method::automatic, 1e-9, 0},
                                  {Method::automatic, 1e-11, 1e-6},
                                  {Method::automatic, 1e-12, 1e-3}}) {
    int good = 0;
    for (int k = 0; k < 200; ++k) {
      const Refined refined(peaked(10 + k % 20, 12.0, random), Root::single, accuracy);
      good += refined.good;
      if (refined.good) expect_right(refined, accuracy);
    }
    EXPECT_GT(good, 0) << accuracy.tolerance << ", " << accuracy.floor;
  }
}

// Two words that prefer each other by far, away from the tree: each slope needs the other one.
TEST(Refined, WordsThatHangOnEachOtherAreRightOrRefused) {
  graphs::Random random(162);
  for (Root root : graphs::kRoots) {
    for (const double gap : {2.0, 5.0, 10.0, 20.0, 30.0}) {
      for (int k = 0; k < 40; ++k) {
        const int n = 6 + k % 20;
        Matrix scores = peaked(n, 6.0, random);
        const int a = 1 + static_cast<int>(random() % n), b = 1 + a % n;
        scores(a, b) += gap;
        scores(b, a) += gap;
        const Refined refined(scores, root, kAccuracy);
        if (refined.good) expect_right(refined, kAccuracy);
        const TreeDistribution p(scores, root), right(scores, root, graphs::forced(Method::robust));
        EXPECT_TRUE(p.report().certified);
        for (Eigen::Index i = 0; i < scores.size(); ++i) {
          const double expected = right.marginals().data()[i];
          ASSERT_LE(std::abs(p.marginals().data()[i] - expected), 1.1e-12 * expected + 1e-300) << gap << ", " << n;
        }
      }
    }
  }
}

// Everything else a distribution can be asked works on slopes that were refined as on those of the elimination.
TEST(Refined, DerivativesAndPairsAreThoseOfTheRobustMethod) {
  graphs::Random random(163);
  for (Root root : graphs::kRoots) {
    for (int k = 0; k < 20; ++k) {
      const Matrix scores = peaked(8 + k, 10.0, random), direction = graphs::normal(8 + k, 1.0, random);
      const TreeDistribution p(scores, root), right(scores, root, graphs::forced(Method::robust));
      const Matrix along = p.marginals_along(direction), expected = right.marginals_along(direction);
      for (Eigen::Index i = 0; i < along.size(); ++i) {
        const double marginal = right.marginals().data()[i];
        EXPECT_NEAR(along.data()[i], expected.data()[i], 1e-11 * marginal + 1e-300);
      }
      for (int i = 2; i <= p.words(); ++i) {
        const Arc first{0, 1}, second{1, i};
        const double pair = right.pair_marginal(first, second);
        EXPECT_NEAR(p.pair_marginal(first, second), pair, 1e-11 * pair + 1e-16);
      }
    }
  }
}

}  // namespace
}  // namespace kirchhoff
