// Every quantity of expectation.hpp equals its sum over all trees, unlabelled and labelled, by every method.
#include "kirchhoff/expectation.hpp"

#include "support/compare.hpp"
#include "support/features.hpp"
#include "support/graphs.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kirchhoff {
namespace {

using graphs::kInf;
using oracle::Forest;

// Numbers of size 1..20, from marginals right to 1e-11 at worst (fast method, mild scores).
constexpr Tolerance kValue = {1e-11, 1e-11};

template <class D>
Gold gold_of(const D&, const Heads& heads, const std::vector<int>&) {
  return {heads, {}};
}
Gold gold_of(const LabelledTreeDistribution&, const Heads& heads, const std::vector<int>& labels) {
  return {heads, labels};
}

template <class D>
void expect_information(const D& p, const D& q, const Forest& fp, const Forest& fq) {
  EXPECT_TRUE(close(entropy(p), oracle::entropy(fp), kValue)) << "entropy";
  EXPECT_TRUE(close(cross_entropy(p, q), oracle::cross_entropy(fp, fq), kValue)) << "cross_entropy";
  EXPECT_TRUE(close(kl(p, q), oracle::kl(fp, fq), kValue)) << "kl";
  for (double alpha : {0.0, 0.3, 0.999, 1.5, 2.0, 7.0})
    // At 0.999 the difference of two log Z is divided by 1e-3.
    EXPECT_TRUE(close(renyi(p, alpha), oracle::renyi(fp, alpha), kValue)) << "renyi " << alpha;
  for (double k : {0.5, 1.0, 2.0, 3.0}) EXPECT_TRUE(close(norm(p, k), oracle::norm(fp, k), kValue)) << "norm " << k;
}

template <class D>
void expect_objectives(const D& p, const Forest& fp, const Array<D>& log_q, graphs::Random& random) {
  const Heads heads = graphs::random_tree(fp.words(), random);
  const std::vector<int> labels = graphs::random_labels(fp.words(), fp.labels(), random);
  std::vector<std::size_t> arcs;
  for (int j = 1; j <= fp.words(); ++j)
    arcs.push_back(oracle::ArcArray(fp.words(), fp.labels()).index(heads[j], j, labels[j]));
  const Gold gold = gold_of(p, heads, labels);
  EXPECT_TRUE(close(risk(p, gold), oracle::risk(fp, arcs), kValue)) << "risk";
  for (const oracle::Tree& tree : fp.trees())
    if (tree.arcs == arcs) {
      EXPECT_TRUE(close(negative_log_likelihood(p, gold), -tree.log_prob, kValue)) << "negative_log_likelihood";
    }
  const Features f = features::random(fp.words(), fp.labels(), 3, 0.4, random);
  const Vector target = Vector::LinSpaced(3, -1, 2);
  EXPECT_TRUE(close(generalized_expectation(p, f, target),
                    oracle::generalized_expectation(fp, features::dense(f), target), kValue))
      << "ge";
  EXPECT_TRUE(close(log_multiplicative_expectation(p, log_q),
                    oracle::log_multiplicative_expectation(fp, oracle::ArcArray(log_q)), kValue))
      << "multiplicative";
}

TEST(Values, Unlabelled) {
  graphs::Random random(111);
  for (Root root : graphs::kRoots)
    for (Method method : graphs::kMethods)
      for (int n = 1; n <= 6; ++n)
        for (double density : {1.0, 0.6}) {
          SCOPED_TRACE(testing::Message() << graphs::name(root) << ", " << graphs::name(method) << ", n = " << n);
          const Matrix a = graphs::masked_feasible(graphs::normal(n, 1, random), density, random);
          const Matrix b = graphs::normal(n, 1, random);
          const TreeDistribution p(a, root, graphs::forced(method)), q(b, root, graphs::forced(method));
          expect_information(p, q, Forest(a, root), Forest(b, root));
          expect_objectives(p, Forest(a, root), graphs::masked(b, 0.8, random), random);
        }
}

TEST(Values, Labelled) {
  graphs::Random random(112);
  for (Root root : graphs::kRoots)
    for (Method method : graphs::kMethods)
      for (int n = 1; n <= 4; ++n)
        for (int labels = 1; labels <= 3; ++labels) {
          SCOPED_TRACE(testing::Message() << graphs::name(root) << ", " << graphs::name(method) << ", n = " << n);
          const LabelledMatrix a = graphs::masked_feasible(graphs::normal(n, labels, 1, random), 0.6, random);
          const LabelledMatrix b = graphs::normal(n, labels, 1, random);
          const LabelledTreeDistribution p(a, root, graphs::forced(method)), q(b, root, graphs::forced(method));
          expect_information(p, q, Forest(a, root), Forest(b, root));
          expect_objectives(p, Forest(a, root), graphs::masked(b, 0.8, random), random);
        }
}

TEST(Values, RenyiNearOrderOne) {
  graphs::Random random(114);
  for (Root root : graphs::kRoots)
    for (int trial = 0; trial < 10; ++trial) {
      const Matrix scores = graphs::normal(5, 2, random);
      const TreeDistribution p(scores, root);
      const Forest forest(scores, root);
      EXPECT_NEAR(renyi(p, 1), entropy(p), 1e-14);
      EXPECT_NEAR(renyi(p, 1 + 1e-12), entropy(p), 1e-11);
      for (double gap : {1e-8, 9e-6, 1.1e-5, 1e-4, 1e-3})  // at 1e-8 the oracle itself keeps 1e-11
        for (double alpha : {1 - gap, 1 + gap})
          // The plain quotient of two log Z of size 10 keeps 1e-15 / gap; anything worse than 1e-9 is a jump.
          EXPECT_TRUE(close(renyi(p, alpha), oracle::renyi(forest, alpha), {0, 1e-9})) << "1 + " << alpha - 1;
    }
}

TEST(Values, KlIsInfiniteExactlyWhenQForbidsATreeOfP) {
  graphs::Random random(113);
  int infinite = 0, cases = 0;
  for (int trial = 0; trial < 200; ++trial)
    for (Root root : graphs::kRoots) {
      ++cases;
      const Matrix a = graphs::masked_feasible(graphs::normal(4, 1, random), 0.3, random);
      Matrix b = graphs::masked(a, 0.9, random);
      if (Forest(b, root).count() == 0) b = a;
      const TreeDistribution p(a, root), q(b, root);
      const auto expected = oracle::kl(Forest(a, root), Forest(b, root));
      infinite += std::isinf(expected);
      EXPECT_TRUE(close(kl(p, q), expected, kValue)) << graphs::name(root) << "\n" << a << "\n\n" << b;
      EXPECT_TRUE(close(cross_entropy(p, q), oracle::cross_entropy(Forest(a, root), Forest(b, root)), kValue));
      if (std::isinf(expected)) {
        EXPECT_THROW(kl_gradient(p, q), InputError);
        EXPECT_THROW(cross_entropy_gradient(p, q), InputError);
      } else {
        EXPECT_NO_THROW(kl_gradient(p, q));
      }
    }
  EXPECT_GT(infinite, cases / 10);
  EXPECT_LT(infinite, cases * 9 / 10);
}

TEST(Values, KlIsFiniteWhenTheForbiddenArcIsInNoTree) {
  // 3 is reached through 2 only, so 3->2 is in no tree: q may forbid it, and p's finite score there must not count.
  graphs::Random random(116);
  Matrix a = graphs::normal(4, 1, random);
  a(0, 3) = a(1, 3) = a(4, 3) = -kInf;
  Matrix b = a;
  b(3, 2) = -kInf;
  const Accuracy accuracies[] = {
      {}, graphs::forced(Method::fast), graphs::forced(Method::robust), {Method::automatic, 1e-9, 1}};
  for (Root root : graphs::kRoots)
    for (const Accuracy& accuracy : accuracies) {
      const TreeDistribution p(a, root, accuracy), q(b, root, accuracy);
      EXPECT_NEAR(kl(p, q), 0, 1e-14) << graphs::name(root) << ", " << graphs::name(accuracy.method);
      EXPECT_NEAR(kl(q, p), 0, 1e-14) << graphs::name(root) << ", " << graphs::name(accuracy.method);
      EXPECT_NO_THROW(kl_gradient(p, q));
    }
}

TEST(Values, ColumnZeroAndDiagonalAreIgnored) {
  graphs::Random random(115);
  const Matrix a = graphs::normal(4, 1, random), b = graphs::normal(4, 1, random);
  const auto spoil = [](Matrix m) {
    m.col(0).setConstant(kInf);
    m.diagonal().setConstant(std::nan(""));
    return m;
  };
  for (Root root : graphs::kRoots)
    for (Method method : graphs::kMethods) {
      const TreeDistribution p(a, root, graphs::forced(method)), q(b, root, graphs::forced(method));
      const TreeDistribution sp(spoil(a), root, graphs::forced(method)), sq(spoil(b), root, graphs::forced(method));
      EXPECT_EQ(entropy(p), entropy(sp));
      EXPECT_EQ(kl(p, q), kl(sp, sq));
      EXPECT_EQ(renyi(p, 2), renyi(sp, 2));
      EXPECT_EQ(log_multiplicative_expectation(p, b), log_multiplicative_expectation(sp, spoil(b)));
      EXPECT_EQ(entropy_gradient(p), entropy_gradient(sp));
      EXPECT_EQ(kl_gradient(p, q).p, kl_gradient(sp, sq).p);
      EXPECT_EQ(kl_gradient(p, q).q, kl_gradient(sp, sq).q);
      const Features r = Features::from_matrices({b}), s = Features::from_matrices({spoil(b)});
      EXPECT_EQ(covariance(p, r, r), covariance(sp, s, s));
    }
}

TEST(Values, MultiplicativeExpectationOfAnImpossibleFactor) {
  const TreeDistribution p(Matrix::Zero(3, 3), Root::multi);
  Matrix log_q = Matrix::Zero(3, 3);
  log_q.col(1).setConstant(-kInf);  // every tree has an arc into word 1
  EXPECT_EQ(log_multiplicative_expectation(p, log_q), -kInf);
}

}  // namespace
}  // namespace kirchhoff
