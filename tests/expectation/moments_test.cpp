// T1 and T2 against enumeration, and T2 against T2h (the materialised Hessian), dense and sparse, unlabelled and
// labelled.
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

// Sums of at most 300 terms of size 1..10 with marginals right to 1e-11.
constexpr Tolerance kFirst = {1e-11, 1e-12};
// A covariance subtracts numbers of size n^2: absolute.
constexpr Tolerance kSecond = {1e-10, 1e-11};

template <class D>
void expect_moments(const D& p, const oracle::Forest& expected, const Features& r, const Features& s) {
  const auto dr = features::dense(r), ds = features::dense(s);
  const Vector first = expectation(p, r);
  ASSERT_EQ(first.size(), r.size());
  const auto er = oracle::expectation(expected, dr);
  for (int f = 0; f < r.size(); ++f) EXPECT_TRUE(close(first(f), er[f], kFirst)) << "feature " << f;

  const Matrix second = second_order(p, r, s), cov = covariance(p, r, s);
  ASSERT_EQ(second.rows(), r.size());
  ASSERT_EQ(second.cols(), s.size());
  ASSERT_EQ(cov.rows(), r.size());
  ASSERT_EQ(cov.cols(), s.size());
  expect_table(second, oracle::second_order(expected, dr, ds), kSecond, "second_order");
  expect_table(cov, oracle::covariance(expected, dr, ds), kSecond, "covariance");

  const Matrix pairs = features::labelled_pairs(p);
  expect_same(second, features::hessian_second_order(pairs, r, s), kSecond, "second_order against T2h");
  expect_same(cov, features::hessian_covariance(pairs, r, s), kSecond, "covariance against T2h");
}

TEST(Moments, UnlabelledAgainstEnumeration) {
  graphs::Random random(101);
  for (Root root : graphs::kRoots)
    for (Method method : graphs::kMethods)
      for (int n = 1; n <= 5; ++n)
        for (double arcs : {1.0, 0.5})
          for (double density : {1.0, 0.15}) {
            SCOPED_TRACE(testing::Message() << graphs::name(root) << ", " << graphs::name(method) << ", n = " << n
                                            << ", arcs " << arcs << ", features " << density);
            const Matrix scores = graphs::masked_feasible(graphs::normal(n, 1, random), arcs, random);
            const TreeDistribution p(scores, root, graphs::forced(method));
            const Features r = features::random(n, 1, 3, density, random),
                           s = features::random(n, 1, 2, density, random);
            expect_moments(p, oracle::Forest(scores, root), r, s);
          }
}

TEST(Moments, MatricesAgainstEnumeration) {
  graphs::Random random(109);
  for (Root root : graphs::kRoots)
    for (Method method : graphs::kMethods)
      for (int n = 1; n <= 5; ++n)
        for (double arcs : {1.0, 0.5}) {
          SCOPED_TRACE(testing::Message() << graphs::name(root) << ", " << graphs::name(method) << ", n = " << n);
          const Matrix scores = graphs::masked_feasible(graphs::normal(n, 1, random), arcs, random);
          const TreeDistribution p(scores, root, graphs::forced(method));
          const Features r = features::random_matrices(n, 3, random), s = features::random_matrices(n, 2, random);
          const Features sparse = features::random(n, 1, 2, 0.3, random);
          const oracle::Forest forest(scores, root);
          expect_moments(p, forest, r, s);
          expect_moments(p, forest, r, sparse);
          expect_moments(p, forest, sparse, s);
        }
}

TEST(Moments, LabelledAgainstEnumeration) {
  graphs::Random random(102);
  for (Root root : graphs::kRoots)
    for (Method method : graphs::kMethods)
      for (int n = 1; n <= 3; ++n)
        for (int labels : {1, 2, 3})
          for (double density : {1.0, 0.2}) {
            SCOPED_TRACE(testing::Message() << graphs::name(root) << ", " << graphs::name(method) << ", n = " << n
                                            << ", " << labels << " labels, features " << density);
            const LabelledMatrix scores = graphs::masked_feasible(graphs::normal(n, labels, 1, random), 0.7, random);
            const LabelledTreeDistribution p(scores, root, graphs::forced(method));
            const Features r = features::random(n, labels, 2, density, random);
            const Features s = features::random(n, labels, 3, density, random);
            expect_moments(p, oracle::Forest(scores, root), r, s);
          }
}

TEST(Moments, LargerGraphsAgainstTheMaterialisedHessian) {
  graphs::Random random(103);
  for (Root root : graphs::kRoots)
    for (int n : {8, 12, 17})
      for (double density : {1.0, 0.05}) {
        const TreeDistribution p(graphs::normal(n, 1, random), root, graphs::forced(Method::robust));
        const Features r = features::random(n, 1, 5, density, random), s = features::random(n, 1, 40, density, random);
        const Matrix pairs = p.pair_marginals();
        expect_same(covariance(p, r, s), features::hessian_covariance(pairs, r, s), kSecond, "covariance");
        expect_same(second_order(p, r, s), features::hessian_second_order(pairs, r, s), kSecond, "second_order");
        const TreeDistribution q(p.scores(), root, graphs::forced(Method::fast));
        const Features f = features::random_matrices(n, 5, random), g = features::random_matrices(n, 21, random);
        expect_same(covariance(q, f, g), features::hessian_covariance(pairs, f, g), kSecond, "covariance of matrices");
        expect_same(covariance(q, f, f), features::hessian_covariance(pairs, f, f), kSecond, "covariance with itself");
        expect_same(covariance(q, r, s), features::hessian_covariance(pairs, r, s), kSecond, "covariance, fast");
      }
}

TEST(Moments, CovarianceWithItselfIsSymmetricAndPositive) {
  graphs::Random random(104);
  for (Root root : graphs::kRoots) {
    const TreeDistribution p(graphs::normal(10, 1, random), root);
    const Features r = features::random(10, 1, 6, 0.5, random);
    const Matrix c = covariance(p, r, r);
    expect_same(c, c.transpose(), {0, 1e-11}, "symmetry");
    for (int f = 0; f < 6; ++f) EXPECT_GT(c(f, f), 0.0);
  }
}

TEST(Moments, NoFeatures) {
  const TreeDistribution p(Matrix::Zero(4, 4), Root::single);
  graphs::Random random(105);
  const Features none(3, 0, {}), silent(3, 2, {}), some = features::random(3, 1, 3, 1, random);
  EXPECT_EQ(expectation(p, none).size(), 0);
  EXPECT_EQ(covariance(p, none, some).rows(), 0);
  EXPECT_EQ(covariance(p, none, some).cols(), 3);
  EXPECT_EQ(second_order(p, some, none).rows(), 3);
  EXPECT_EQ(second_order(p, some, none).cols(), 0);
  EXPECT_EQ(expectation(p, silent), Vector(Vector::Zero(2)));
  EXPECT_EQ(covariance(p, silent, some), Matrix(Matrix::Zero(2, 3)));
  EXPECT_EQ(second_order(p, some, silent), Matrix(Matrix::Zero(3, 2)));
}

TEST(Moments, RepeatedEntriesAddUp) {
  graphs::Random random(106);
  const Matrix scores = graphs::normal(3, 1, random);
  const TreeDistribution p(scores, Root::multi);
  const Features twice(3, 2, {{1, 2, 0, 0.5}, {0, 1, 1, 1.0}, {1, 2, 0, 0.25}, {1, 2, 1, -2.0}, {1, 2, 0, 1.0}});
  const Features once(3, 2, {{1, 2, 0, 1.75}, {0, 1, 1, 1.0}, {1, 2, 1, -2.0}});
  expect_moments(p, oracle::Forest(scores, Root::multi), twice, once);
  expect_same(covariance(p, twice, twice), covariance(p, once, once), {0, 1e-15}, "covariance");
}

TEST(Moments, FeaturesOfImpossibleArcsDoNotMatter) {
  graphs::Random random(107);
  Matrix scores = graphs::normal(4, 1, random);
  scores(1, 2) = scores(0, 3) = -kInf;
  for (Root root : graphs::kRoots) {
    const TreeDistribution p(scores, root);
    const Features r(4, 1, {{1, 2, 0, 1e6}, {0, 3, 0, -1e6}, {2, 3, 0, 1.0}}), s(4, 1, {{2, 3, 0, 1.0}});
    EXPECT_EQ(expectation(p, r), expectation(p, s));
    expect_same(covariance(p, r, r), covariance(p, s, s), {1e-12, 0}, "covariance");
  }
}

TEST(Moments, FromMatrices) {
  graphs::Random random(108);
  std::vector<Matrix> matrices = {graphs::normal(4, 1, random), graphs::normal(4, 1, random)};
  const Matrix scores = graphs::normal(4, 1, random);
  const Features r = Features::from_matrices(matrices);
  EXPECT_EQ(r.words(), 4);
  EXPECT_EQ(r.size(), 2);
  EXPECT_EQ(r.labels(), 1);
  const oracle::Forest forest(scores, Root::single);
  const auto expected = oracle::expectation(forest, {oracle::ArcArray(matrices[0]), oracle::ArcArray(matrices[1])});
  const Vector actual = expectation(TreeDistribution(scores, Root::single), r);
  for (int f = 0; f < 2; ++f) EXPECT_TRUE(close(actual(f), expected[f], kFirst));
}

}  // namespace
}  // namespace kirchhoff
