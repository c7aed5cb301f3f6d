// White box: conditional probabilities along a walk of 200 choices, against a distribution made afresh at each of them.
#include "sample/conditional_walk.hpp"
#include "support/graphs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace kirchhoff {
namespace {

/// The graph given some heads.
Matrix given(Matrix scores, const Heads& heads) {
  for (int d = 1; d < scores.cols(); ++d) {
    if (heads[d] < 0) continue;
    const double score = scores(heads[d], d);
    scores.col(d).setConstant(-graphs::kInf);
    scores(heads[d], d) = score;
  }
  return scores;
}

struct Drift {
  double largest = 0;     // error of a conditional probability
  double unadmitted = 0;  // error in units of what the row says is uncertain
};

enum class Choice { by_probability, any_possible };

/// One walk, head by head; every `every`-th row is compared.
Drift drift_of(const Matrix& scores, Root root, Choice choice, int every, graphs::Random& random) {
  const sample::LaplacianInverse inverse((TreeDistribution(scores, root)));
  sample::ConditionalWalk walk(inverse);
  Drift drift;
  for (int level = 0; !walk.done(); ++level) {
    const sample::ConditionalRow row = walk.row();
    const std::vector<double> p(row.p, row.p + walk.options());
    std::vector<double> odds = choice == Choice::by_probability ? p : walk.exact_logs();
    for (double& x : odds) x = choice == Choice::any_possible ? x > -graphs::kInf : x < row.uncertain ? 0.0 : x;
    const Heads before = walk.heads();
    walk.choose(std::discrete_distribution<int>(odds.begin(), odds.end())(random));
    const bool roots_child = root == Root::single && level == 0;
    if (level % every != 0 && level + 10 < scores.rows()) continue;
    int word = 1;
    while (walk.heads()[word] == before[word]) ++word;
    const TreeDistribution fresh(given(scores, before), root);
    for (int v = roots_child ? 1 : 0; v < walk.options(); ++v) {
      const double error = std::abs(p[v] - (roots_child ? fresh.marginals()(0, v) : fresh.marginals()(v, word)));
      drift.largest = std::max(drift.largest, error);
      drift.unadmitted = std::max(drift.unadmitted, error / std::max(row.uncertain, 1e-12 * p[v]));
    }
  }
  return drift;
}

/// 1e-9 after up to 200 steps; and what cannot be relied on is known.
void expect_no_drift(const Matrix& scores, int every, graphs::Random& random) {
  for (Root root : graphs::kRoots) {
    SCOPED_TRACE(graphs::name(root));
    const Drift drift = drift_of(scores, root, Choice::by_probability, every, random);
    EXPECT_LT(drift.largest, 1e-9);
    EXPECT_LT(drift.unadmitted, 1.0);
  }
}

TEST(Drift, TwoHundredWords) {
  graphs::Random random(371);
  constexpr int kWords = 200, kEvery = 13;
  for (double s : {0.0, 1.0, 3.0}) {
    SCOPED_TRACE(testing::Message() << "N(0, " << s << "^2)");
    expect_no_drift(graphs::normal(kWords, s, random), kEvery, random);
  }
  SCOPED_TRACE("sparse");
  expect_no_drift(graphs::masked_feasible(graphs::normal(kWords, 1.0, random), 0.02, random), kEvery, random);
}

/// Graphs that make the inverse of the Laplacian large: the robust path has to take over.
TEST(Drift, HardGraphs) {
  graphs::Random random(372);
  constexpr int kWords = 60, kEvery = 4;
  for (double gap : {5.0, 10.0, 13.0, 16.0, 20.0, 30.0, 100.0, 800.0})
    for (int length : {2, 7, 40}) {
      SCOPED_TRACE(testing::Message() << "cycle of " << length << ", gap " << gap);
      expect_no_drift(graphs::strong_cycle(kWords, length, gap, random), kEvery, random);
    }
  for (double s : {5.0, 10.0, 20.0, 100.0}) {
    SCOPED_TRACE(testing::Message() << "N(0, " << s << "^2)");
    expect_no_drift(graphs::normal(kWords, s, random), kEvery, random);
  }
}

/// Sampling without replacement comes to take improbable choices. Rounding errors grow with each, and must be admitted:
/// behind them dead ends are told from trees.
TEST(Drift, ImprobableChoices) {
  graphs::Random random(373);
  for (int repeat = 0; repeat < 400; ++repeat) {
    const bool sparse = repeat % 2 == 0;
    const int n = 2 + repeat % 19;
    const double size = std::uniform_real_distribution<double>(0, 40)(random);
    const int length = std::uniform_int_distribution<int>(2, n)(random);
    const Matrix scores = sparse ? graphs::masked_feasible(graphs::normal(n, size / 4, random), 0.6, random)
                                 : graphs::strong_cycle(n, length, size, random);
    for (Root root : graphs::kRoots)
      EXPECT_LT(drift_of(scores, root, Choice::any_possible, 1, random).unadmitted, 1.0)
          << (sparse ? "sparse" : "cycle") << ", " << graphs::name(root) << ", n = " << n << ", size " << size;
  }
}

/// A pivot that cancels to less than nothing: the choice has probability e^-38, its row says 0.
TEST(Drift, ImpossibleByRoundingOnly) {
  graphs::Random random(374);
  for (int repeat = 0; repeat < 60; ++repeat)
    EXPECT_LT(
        drift_of(graphs::strong_cycle(20, 11, 38.0, random), Root::single, Choice::any_possible, 1, random).unadmitted,
        1.0);
}

}  // namespace
}  // namespace kirchhoff
