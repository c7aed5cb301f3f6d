// Laws of the marginals of trees that the common laws do not have, and trees too large to list: random scores, from
// mild to peaked.
#include "kirchhoff/tree.hpp"

#include "laws/tree_generator.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kirchhoff::laws {
namespace {

using graphs::kInf;

// Each marginal is right to 1e-12 relative (default Accuracy), so sums of at most 13 of them are right to:
constexpr double kSum = 1e-11;

RC_GTEST_PROP(MarginalLaws, AreProbabilities, ()) {
  const ScoredGraph g = any_graph();
  const Matrix m = TreeDistribution(g.scores, g.root).marginals();
  RC_ASSERT(m.minCoeff() >= 0.0);
  RC_ASSERT(m.maxCoeff() <= 1.0);
}

RC_GTEST_PROP(MarginalLaws, EveryWordHasOneHead, ()) {
  const ScoredGraph g = any_graph();
  const TreeDistribution p(g.scores, g.root);
  for (int j = 1; j <= p.words(); ++j) RC_ASSERT(near(p.marginals().col(j).sum(), 1.0, kSum));
  RC_ASSERT(p.marginals().col(0).sum() == 0.0);
}

RC_GTEST_PROP(MarginalLaws, TheRootHasAsManyChildrenAsItMay, ()) {
  const ScoredGraph g = any_graph();
  const TreeDistribution p(g.scores, g.root);
  const double children = p.marginals().row(0).sum();
  if (g.root == Root::single) RC_ASSERT(near(children, 1.0, kSum));
  RC_ASSERT(children >= 1.0 - kSum);
}

RC_GTEST_PROP(MarginalLaws, ImpossibleArcsHaveMarginalZero, ()) {
  const ScoredGraph g = any_graph();
  const TreeDistribution p(g.scores, g.root);
  const Matrix m = p.marginals(), lm = p.log_marginals();
  for (int i = 0; i <= p.words(); ++i)
    for (int j = 1; j <= p.words(); ++j) {
      if (i == j || g.scores(i, j) > -kInf) continue;
      RC_ASSERT(m(i, j) == 0.0);
      RC_ASSERT(lm(i, j) == -kInf);
    }
}

RC_GTEST_PROP(MarginalLaws, LogMarginalsAreTheirLogarithms, ()) {
  const ScoredGraph g = any_graph();
  const TreeDistribution p(g.scores, g.root);
  const Matrix m = p.marginals(), lm = p.log_marginals();
  for (int i = 0; i <= p.words(); ++i)
    for (int j = 1; j <= p.words(); ++j)
      if (i != j && m(i, j) > 1e-300) RC_ASSERT(near(lm(i, j), std::log(m(i, j)), 1e-11));
}

RC_GTEST_PROP(MarginalLaws, AColumnShiftMovesLogZOnly, ()) {
  const ScoredGraph g = any_graph();
  const TreeDistribution p(g.scores, g.root);
  Matrix shifted = g.scores;
  double total = 0;
  for (int j = 1; j <= p.words(); ++j) {
    const double shift = *rc::gen::inRange(-1000, 1001);
    shifted.col(j).array() += shift;
    total += shift;
  }
  const TreeDistribution q(shifted, g.root);
  // The shift rounds scores of up to 1600 by 1e-13 each, twelve of them in a tree.
  RC_ASSERT(near(q.marginals(), p.marginals(), 1e-11, 0));
  RC_ASSERT(near(q.log_partition(), p.log_partition() + total, 1e-11));
}

RC_GTEST_PROP(MarginalLaws, SingleRootAShiftOfTheRootRowMovesLogZOnly, ()) {
  const Matrix scores = any_scores(any_size());
  const double shift = *rc::gen::inRange(-1000, 1001);
  Matrix shifted = scores;
  shifted.row(0).array() += shift;  // every tree has exactly one root arc
  const TreeDistribution p(scores, Root::single), q(shifted, Root::single);
  RC_ASSERT(near(q.marginals(), p.marginals(), 1e-11, 0));
  RC_ASSERT(near(q.log_partition(), p.log_partition() + shift, 1e-11));
}

RC_GTEST_PROP(MarginalLaws, RenamingWordsRenamesMarginals, ()) {
  const ScoredGraph g = any_graph();
  const TreeDistribution p(g.scores, g.root);
  std::vector<int> to(p.words() + 1);
  std::iota(to.begin(), to.end(), 0);
  graphs::Random random(*rc::gen::inRange<unsigned>(0, 1000));
  std::shuffle(to.begin() + 1, to.end(), random);
  Matrix renamed = g.scores, expected = g.scores;
  for (int i = 0; i <= p.words(); ++i)
    for (int j = 0; j <= p.words(); ++j) {
      renamed(to[i], to[j]) = g.scores(i, j);
      expected(to[i], to[j]) = p.marginals()(i, j);
    }
  const TreeDistribution q(renamed, g.root);
  RC_ASSERT(near(q.marginals(), expected, 1e-11, 0));
  RC_ASSERT(near(q.log_partition(), p.log_partition(), 1e-13 * (1 + std::abs(p.log_partition())) + 1e-11));
}

RC_GTEST_PROP(MarginalLaws, TemperaturesMultiply, ()) {
  const ScoredGraph g = any_graph(8);
  const TreeDistribution p(g.scores, g.root);
  RC_ASSERT(near(p.with_temperature(1).marginals(), p.marginals(), 0, 0));
  const TreeDistribution twice = p.with_temperature(4).with_temperature(0.5), once = p.with_temperature(2);
  RC_ASSERT(near(twice.marginals(), once.marginals(), 0, 0));  // powers of two: no rounding
}

RC_GTEST_PROP(MarginalLaws, RequireAndForbidShareTheMass, ()) {
  const ScoredGraph g = any_graph(8);
  const TreeDistribution p(g.scores, g.root);
  const int j = *rc::gen::inRange(1, p.words() + 1), i = (j + *rc::gen::inRange(1, p.words() + 1)) % (p.words() + 1);
  double log_with = -kInf, log_without = -kInf;
  try {
    log_with = p.require({i, j}).log_partition();
  } catch (const Infeasible&) {
  }
  try {
    log_without = p.forbid({i, j}).log_partition();
  } catch (const Infeasible&) {
  }
  // Z = Z_require + Z_forbid and p(arc) = Z_require / Z, in logarithms; scores of up to 1000 in a sum of 8.
  const double top = std::max(log_with, log_without), low = std::min(log_with, log_without);
  RC_ASSERT(near(top + std::log1p(std::exp(low - top)), p.log_partition(), 1e-11));
  RC_ASSERT(near(log_with - p.log_partition(), p.log_marginals()(i, j), 1e-11));
}

RC_GTEST_PROP(MarginalLaws, PairsSumToMarginals, ()) {
  const ScoredGraph g = any_graph(6);
  const TreeDistribution p(g.scores, g.root);
  const Matrix pairs = p.pair_marginals();
  const int size = p.words() + 1;
  for (int a = 0; a < size * size; ++a) {
    const double marginal = p.marginals()(a / size, a % size);
    RC_ASSERT(near(pairs(a, a), marginal, 1e-11));
    for (int j = 1; j < size; ++j) {
      double sum = 0;
      for (int i = 0; i < size; ++i) sum += pairs(a, i * size + j);
      RC_ASSERT(near(sum, marginal, 1e-11));
    }
  }
}

RC_GTEST_PROP(MarginalLaws, OneLabelIsNoLabel, ()) {
  const ScoredGraph g = any_graph(8);
  LabelledMatrix scores(static_cast<int>(g.scores.rows()) - 1, 1);
  std::copy(g.scores.data(), g.scores.data() + g.scores.size(), scores.data());
  const LabelledTreeDistribution labelled(scores, g.root);
  const TreeDistribution p(g.scores, g.root);
  // The labelled distribution takes each word's largest score off before the tree is summed: the same numbers, rounded
  // at other places; a score of size 100 has an ulp of 1.4e-14.
  RC_ASSERT(std::abs(labelled.log_partition() - p.log_partition()) <= 1e-12);
  const Eigen::Map<const Matrix> m(labelled.marginals().data(), g.scores.rows(), g.scores.cols());
  RC_ASSERT(near(m, p.marginals(), 1e-11, 0));
}

}  // namespace
}  // namespace kirchhoff::laws
