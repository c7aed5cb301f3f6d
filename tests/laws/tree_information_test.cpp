// Inequalities and identities of information theory for trees, also for trees too large to list and peaked scores.
#include "kirchhoff/expectation.hpp"

#include "laws/tree_generator.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace kirchhoff::laws {
namespace {

using graphs::kInf;

// Entropies are differences of sums of at most 12 scores of size 200 * 4, in doubles: 12 * 800 * 1e-16 * a few.
constexpr double kRounding = 1e-11;

/// q allows whatever p allows.
Matrix other_scores(const Matrix& scores) {
  graphs::Random random(*rc::gen::inRange<unsigned>(0, 1000000));
  return graphs::normal(static_cast<int>(scores.rows()) - 1, *rc::gen::element(1.0, 30.0), random);
}

RC_GTEST_PROP(InformationLaws, EntropyIsBetweenZeroAndTheLogOfTheCount, ()) {
  const ScoredGraph g = any_graph();
  const TreeDistribution p(g.scores, g.root);
  RC_ASSERT(entropy(p) >= -kRounding);
  RC_ASSERT(entropy(p) <= p.log_count() + kRounding);
}

RC_GTEST_PROP(InformationLaws, KlIsZeroForEqualsAndPositiveElse, ()) {
  const ScoredGraph g = any_graph();
  const TreeDistribution p(g.scores, g.root), q(other_scores(g.scores), g.root);
  RC_ASSERT(near(kl(p, p), 0, kRounding));
  RC_ASSERT(kl(p, q) >= -kRounding);
}

RC_GTEST_PROP(InformationLaws, CrossEntropyIsEntropyPlusKl, ()) {
  const ScoredGraph g = any_graph();
  const TreeDistribution p(g.scores, g.root), q(other_scores(g.scores), g.root);
  RC_ASSERT(near(cross_entropy(p, q), entropy(p) + kl(p, q), kRounding));
  RC_ASSERT(near(cross_entropy(p, p), entropy(p), kRounding));
}

RC_GTEST_PROP(InformationLaws, RenyiFallsWithItsOrder, ()) {
  const ScoredGraph g = any_graph();
  const TreeDistribution p(g.scores, g.root);
  double previous = p.log_count();
  for (double alpha : {0.0, 0.25, 0.5, 0.9, 1.1, 2.0, 5.0, 20.0}) {
    const double value = renyi(p, alpha);
    // Divided by |1 - alpha| = 0.1 at worst.
    RC_ASSERT(value <= previous + 10 * kRounding);
    RC_ASSERT(value >= -10 * kRounding);
    if (alpha < 1) RC_ASSERT(value >= entropy(p) - 10 * kRounding);
    if (alpha > 1) RC_ASSERT(value <= entropy(p) + 10 * kRounding);
    previous = value;
  }
}

RC_GTEST_PROP(InformationLaws, NormsOfProbabilities, ()) {
  const ScoredGraph g = any_graph(8);
  const TreeDistribution p(g.scores, g.root);
  RC_ASSERT(near(norm(p, 1), 1, kRounding));
  RC_ASSERT(norm(p, 2) <= 1 + kRounding);
  RC_ASSERT(norm(p, 4) <= norm(p, 2) + kRounding);
  // ||p||_2^2 = exp(-Renyi entropy of order 2).
  RC_ASSERT(near(std::log(norm(p, 2)), -renyi(p, 2) / 2, kRounding));
}

RC_GTEST_PROP(InformationLaws, TheUniformDistributionHasAllEntropiesEqual, ()) {
  const int n = any_size();
  const TreeDistribution p(Matrix::Constant(n + 1, n + 1, *rc::gen::element(0.0, -3.0, 700.0)), any_root());
  RC_ASSERT(near(entropy(p), p.log_count(), kRounding));
  RC_ASSERT(near(renyi(p, 0.5), p.log_count(), kRounding));
  RC_ASSERT(near(renyi(p, 3), p.log_count(), kRounding));
}

RC_GTEST_PROP(InformationLaws, GradientsOfAColumnSumToZero, ()) {
  // A column shift changes no probability, so no quantity that depends on probabilities alone.
  const ScoredGraph g = any_graph(8);
  const TreeDistribution p(g.scores, g.root), q(other_scores(g.scores), g.root);
  graphs::Random random(1);
  const Gold gold{graphs::random_tree(p.words(), random), {}};
  const PairGradient<TreeDistribution> d = kl_gradient(p, q);
  for (const Matrix& gradient : {entropy_gradient(p), renyi_gradient(p, 2), d.p, d.q, risk_gradient(p, gold)})
    for (int j = 1; j <= p.words(); ++j) RC_ASSERT(near(gradient.col(j).sum(), 0, 1e-9));
}

RC_GTEST_PROP(InformationLaws, RiskIsAFraction, ()) {
  const ScoredGraph g = any_graph();
  const TreeDistribution p(g.scores, g.root);
  graphs::Random random(2);
  const Gold gold{graphs::random_tree(p.words(), random), {}};
  RC_ASSERT(risk(p, gold) >= 0.0);
  RC_ASSERT(risk(p, gold) <= 1.0 + 1e-12);
  RC_ASSERT(negative_log_likelihood(p, gold) >= -kRounding);
}

RC_GTEST_PROP(InformationLaws, AFactorOfOneChangesNothing, ()) {
  const ScoredGraph g = any_graph(8);
  const TreeDistribution p(g.scores, g.root);
  const Matrix log_q = Matrix::Constant(g.scores.rows(), g.scores.cols(), 0.25);
  // Every tree has n arcs, so the product is exp(n / 4).
  RC_ASSERT(near(log_multiplicative_expectation(p, log_q), 0.25 * p.words(), kRounding));
}

}  // namespace
}  // namespace kirchhoff::laws
