// Cumulants of additive functions of a tree against sums over all trees, for all kinds of trees.
#include "kirchhoff/projective.hpp"
#include "support/compare.hpp"
#include "support/features.hpp"
#include "support/graphs.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace kirchhoff {
namespace {

using oracle::Forest;
using oracle::Kind;
using oracle::Real;

template <class D>
constexpr bool kProjective =
    std::is_same_v<D, ProjectiveTreeDistribution> || std::is_same_v<D, LabelledProjectiveTreeDistribution>;

/// The cumulants by the moments about the mean, and by how far trees are from the mean.
struct Expected {
  std::vector<Real> kappa;
  Real range = 0;
};
Expected expected_cumulants(const Forest& forest, const oracle::ArcArray& f, int order) {
  const auto value = [&](const oracle::Tree& tree) { return tree.prob > 0 ? oracle::additive(tree, f) : Real(0); };
  const Real mean = oracle::mean(forest, value);
  Expected out{std::vector<Real>(order + 1, 0)};
  std::vector<Real> mu(order + 1, 0);
  mu[0] = 1;
  for (int k = 2; k <= order; ++k) {
    mu[k] = oracle::mean(
        forest, [&](const oracle::Tree& tree) { return tree.prob > 0 ? std::pow(value(tree) - mean, k) : Real(0); });
  }
  for (const oracle::Tree& tree : forest.trees()) {
    if (tree.prob > 0) out.range = std::max(out.range, std::abs(value(tree) - mean));
  }
  for (int n = 1; n <= order; ++n) {
    out.kappa[n] = mu[n];
    Real choose = 1;  // of k - 1 among n - 1
    for (int k = 1; k < n; ++k) {
      out.kappa[n] -= choose * out.kappa[k] * mu[n - k];
      choose *= Real(n - k) / k;
    }
  }
  out.kappa[1] = mean;
  return out;
}

Matrix function_of(const Matrix& scores, graphs::Random& random) {
  return graphs::normal(static_cast<int>(scores.rows()) - 1, 1.0, random);
}
LabelledMatrix function_of(const LabelledMatrix& scores, graphs::Random& random) {
  return graphs::normal(scores.words(), scores.labels(), 1.0, random);
}

template <class D>
class Cumulants : public testing::Test {
 public:
  static constexpr int kWords = kHasLabels<D> ? 4 : 5;

  template <class Visit>
  static void for_each_graph(const Visit& visit) {
    graphs::Random random(2024);
    for (const Root root : graphs::kRoots) {
      for (int n = 1; n <= kWords; ++n) {
        for (const double s : {0.0, 1.5, 30.0, 300.0}) {
          for (const double density : {1.0, 0.6}) {
            SCOPED_TRACE(testing::Message() << graphs::name(root) << " n = " << n << " s = " << s << " d " << density);
            const Array<D> scores = make(n, s, density, random);
            const Forest forest(scores, root, kProjective<D> ? Kind::projective : Kind::any);
            if (forest.count() > 0) visit(D(scores, root), forest, function_of(scores, random));
          }
        }
      }
    }
  }

 private:
  static Array<D> make(int n, double s, double density, graphs::Random& random) {
    if constexpr (kHasLabels<D>) {
      return graphs::masked_feasible(graphs::normal(n, 2, s, random), density, random);
    } else {
      return graphs::masked_feasible(graphs::normal(n, s, random), density, random);
    }
  }
};

using Distributions = testing::Types<TreeDistribution, LabelledTreeDistribution, ProjectiveTreeDistribution,
                                     LabelledProjectiveTreeDistribution>;
TYPED_TEST_SUITE(Cumulants, Distributions);

TYPED_TEST(Cumulants, AreThoseOfTheList) {
  TestFixture::for_each_graph([](const TypeParam& p, const Forest& forest, const Array<TypeParam>& f) {
    for (const int order : {1, 2, 3, 4, 6, 8, 10}) {
      const Vector kappa = cumulants(p, f, order);
      ASSERT_EQ(kappa.size(), order + 1);
      EXPECT_EQ(kappa[0], 0.0);
      const Expected expected = expected_cumulants(forest, oracle::ArcArray(f), order);
      Real size = 1;  // of (k - 1)! range^k, as which cumulants can grow
      for (int k = 1; k <= order; ++k) {
        size *= (k > 1 ? k - 1 : 1) * expected.range;
        EXPECT_TRUE(close(kappa[k], expected.kappa[k], {1e-11, static_cast<double>(1e-13 * size)}))
            << "cumulant " << k << " of " << order;
      }
    }
  });
}

TYPED_TEST(Cumulants, BeginWithMeanAndVariance) {
  TestFixture::for_each_graph([](const TypeParam& p, const Forest&, const Array<TypeParam>& f) {
    std::vector<FeatureEntry> entries;
    const int labels = oracle::ArcArray(f).labels();
    for (int h = 0; h <= p.words(); ++h) {
      for (int d = 1; d <= p.words(); ++d) {
        for (int y = 0; h != d && y < labels; ++y) {
          entries.push_back({h, d, 0, static_cast<double>(oracle::ArcArray(f)(h, d, y)), y});
        }
      }
    }
    const Features r(p.words(), 1, entries, labels);
    const Vector kappa = cumulants(p, f, 3);
    EXPECT_TRUE(close(kappa[1], expectation(p, r)(0), {1e-12, 1e-12}));
    EXPECT_TRUE(close(kappa[2], covariance(p, r, r)(0, 0), {1e-10, 1e-11}));
    const Array<TypeParam> third = covariance_gradient<TypeParam>(p, f, f);
    double sum = 0.0;
    for (Eigen::Index i = 0; i < static_cast<Eigen::Index>(third.size()); ++i) {
      if (third.data()[i] != 0.0) sum += third.data()[i] * f.data()[i];
    }
    EXPECT_TRUE(close(kappa[3], sum, {1e-8, 1e-8}));
  });
}

// Each word has a constant of its own, and so have the root's arcs where there is one of them. Values and constants are
// sums of few powers of 2, so that f has all its digits.
TYPED_TEST(Cumulants, ConstantsCostNoDigits) {
  TestFixture::for_each_graph([](const TypeParam& p, const Forest& forest, Array<TypeParam> f) {
    const int labels = oracle::ArcArray(f).labels();
    const auto at = [&](int h, int d, int y) -> double& { return f.data()[oracle::ArcArray(f).index(h, d, y)]; };
    const bool one_child = p.root() == Root::single;
    for (int h = 0; h <= p.words(); ++h) {
      for (int d = 1; d <= p.words(); ++d) {
        for (int y = 0; h != d && y < labels; ++y) at(h, d, y) = std::nearbyint(8 * at(h, d, y)) / 8;
      }
    }
    const Vector small = cumulants(p, f, 5);
    for (int h = 0; h <= p.words(); ++h) {
      for (int d = 1; d <= p.words(); ++d) {
        for (int y = 0; h != d && y < labels; ++y) at(h, d, y) += 1e12 * d + (h == 0 && one_child ? 3e12 : 0.0);
      }
    }
    const Vector large = cumulants(p, f, 5);
    const Expected expected = expected_cumulants(forest, oracle::ArcArray(f), 5);
    EXPECT_TRUE(close(large[1], expected.kappa[1], {1e-15, 0}));
    Real size = expected.range;
    for (int k = 2; k <= 5; ++k) {
      size *= (k - 1) * expected.range;
      EXPECT_TRUE(close(large[k], small[k], {1e-9, static_cast<double>(1e-12 * size)})) << k;
    }
  });
}

// Independent words: with all arcs from the root, cumulants are sums of those of the words, here of coins.
TEST(CumulantsOfTrees, AddUpOverIndependentParts) {
  const int n = 60;
  LabelledMatrix scores(n, 2, -HUGE_VAL), f(n, 2);
  double expected[5] = {};
  for (int d = 1; d <= n; ++d) {
    const double q = d / (n + 1.0);
    scores(0, d, 0) = std::log1p(-q);
    scores(0, d, 1) = std::log(q);
    f(0, d, 1) = 1.0;
    expected[1] += q;
    expected[2] += q * (1 - q);
    expected[3] += q * (1 - q) * (1 - 2 * q);
    expected[4] += q * (1 - q) * (1 - 6 * q * (1 - q));
  }
  const Vector any = cumulants(LabelledTreeDistribution(scores, Root::multi), f, 4);
  const Vector projective = cumulants(LabelledProjectiveTreeDistribution(scores, Root::multi), f, 4);
  for (int k = 1; k <= 4; ++k) {
    EXPECT_TRUE(close(any[k], expected[k], {1e-12, 1e-13})) << k;
    EXPECT_TRUE(close(projective[k], expected[k], {1e-9, 1e-11})) << k;
  }
}

// Two words that prefer each other by e^gap, where an inverse would lose all digits: variance p (1 - p) of a coin.
TEST(CumulantsOfTrees, StrongCycles) {
  for (const double gap : {20.0, 200.0, 2000.0, 1e6, 1e12}) {
    Matrix scores = Matrix::Zero(3, 3), f = Matrix::Zero(3, 3);
    scores(1, 2) = scores(2, 1) = gap;
    f(0, 1) = 1.0;
    for (const Root root : graphs::kRoots) {  // trees of weights e^gap, e^gap, and 1 with several children of the root
      const Vector kappa = cumulants(TreeDistribution(scores, root), f, 4);
      const double p = root == Root::single ? 0.5 : (1 + std::exp(-gap)) / (2 + std::exp(-gap));
      EXPECT_TRUE(close(kappa[1], p, {1e-14, 0}));
      EXPECT_TRUE(close(kappa[2], p * (1 - p), {1e-14, 0}));
      EXPECT_TRUE(close(kappa[3], p * (1 - p) * (1 - 2 * p), {0, 1e-15}));
      EXPECT_TRUE(close(kappa[4], p * (1 - p) * (1 - 6 * p * (1 - p)), {1e-13, 0}));
    }
  }
}

// Larger graphs, with the weights that parsers have and far beyond: derivatives of the marginals are another way.
TEST(CumulantsOfTrees, AgreeWithDerivativesOfMarginals) {
  graphs::Random random(8);
  for (const Root root : graphs::kRoots) {
    for (const double s : {1.0, 10.0, 100.0}) {
      const int n = 25;
      const Matrix scores = graphs::masked_feasible(graphs::normal(n, s, random), 0.7, random);
      const Matrix f = graphs::normal(n, 1.0, random);
      const TreeDistribution p(scores, root, graphs::forced(Method::robust));
      const Vector kappa = cumulants(p, f, 3);
      const auto along_f = [&](const Matrix& slope) { return slope.cwiseProduct(f).rightCols(n).sum(); };
      EXPECT_TRUE(close(kappa[1], along_f(p.marginals()), {1e-12, 1e-13})) << s;
      EXPECT_TRUE(close(kappa[2], along_f(p.marginals_along(f)), {1e-9, 1e-13})) << s;
      EXPECT_TRUE(close(kappa[3], along_f(covariance_gradient(p, f, f)), {1e-8, 1e-12})) << s;
    }
  }
}

// E[r s t] from covariances and their gradient, as docs/methods/expectations.md has it.
TEST(CumulantsOfTrees, ProductsOfThree) {
  graphs::Random random(9);
  for (const Root root : graphs::kRoots) {
    const int n = 4;
    const Matrix scores = graphs::normal(n, 1.0, random);
    const Matrix r = graphs::normal(n, 1.0, random), s = graphs::normal(n, 1.0, random),
                 t = graphs::normal(n, 1.0, random);
    const TreeDistribution p(scores, root);
    const Features f = Features::from_matrices({r, s, t});
    const Vector mean = expectation(p, f);
    const Matrix cov = covariance(p, f, f);
    const double kappa = covariance_gradient(p, r, s).cwiseProduct(t).rightCols(n).sum();
    const double product = kappa + mean[0] * cov(1, 2) + mean[1] * cov(0, 2) + mean[2] * cov(0, 1) + mean.prod();
    const oracle::ArcArray fr(r), fs(s), ft(t);
    const Real expected = oracle::mean(Forest(scores, root), [&](const oracle::Tree& tree) {
      return oracle::additive(tree, fr) * oracle::additive(tree, fs) * oracle::additive(tree, ft);
    });
    EXPECT_TRUE(close(product, expected, {1e-11, 1e-11}));
  }
}

TEST(CumulantsOfTrees, HighOrders) {
  Matrix scores = Matrix::Zero(3, 3), f = Matrix::Zero(3, 3);  // two trees with one root child
  f(0, 1) = 1.0;
  // The cumulants of a fair coin are those of its logistic function: k! times the series of log cosh(t / 2).
  const Vector kappa = cumulants(TreeDistribution(scores, Root::single), f, 30);
  const double bernoulli[] = {1. / 6, -1. / 30, 1. / 42, -1. / 30, 5. / 66, -691. / 2730, 7. / 6, -3617. / 510};
  for (int k = 2; k <= 16; k += 2) {
    EXPECT_TRUE(close(kappa[k], bernoulli[k / 2 - 1] * (std::exp2(k) - 1) / k, {1e-12, 0})) << k;
    EXPECT_NEAR(kappa[k + 1], 0.0, 1e-12 * std::abs(kappa[k])) << k;
  }
}

TEST(CumulantsOfTrees, WrongArguments) {
  const TreeDistribution p(Matrix::Zero(3, 3), Root::multi);
  EXPECT_THROW(cumulants(p, Matrix::Zero(3, 3), 0), InputError);
  EXPECT_THROW(cumulants(p, Matrix::Zero(3, 3), 31), InputError);
  EXPECT_THROW(cumulants(p, Matrix::Zero(4, 4), 2), InputError);
  Matrix f = Matrix::Zero(3, 3);
  f(1, 2) = NAN;
  EXPECT_THROW(cumulants(p, f, 2), InputError);
  f(1, 2) = 1e80;
  EXPECT_THROW(cumulants(p, f, 4), InputError);  // 1e320
  f.setZero();
  f(1, 1) = f(1, 0) = NAN;  // no arcs
  EXPECT_EQ(cumulants(p, f, 2)[2], 0.0);
  const LabelledTreeDistribution labelled(LabelledMatrix(2, 2), Root::multi);
  EXPECT_THROW(cumulants(labelled, LabelledMatrix(2, 3), 2), InputError);
}

}  // namespace
}  // namespace kirchhoff
