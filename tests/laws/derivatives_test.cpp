// Laws of second derivatives: the Hessian of log Z is the covariance of the counts, and is symmetric.
#include "laws/fixture.hpp"
#include "support/gradient.hpp"

namespace kirchhoff::laws {
namespace {

template <class Family>
class DerivativeLaws : public Laws<Family> {};
TYPED_TEST_SUITE(DerivativeLaws, Families);

/// A direction, or the values of an additive function: 0 where a structure cannot be, so that sums may go over all.
/// It is short, since the error of a difference grows with its fifth power.
Weights random_function(const Weights& like, graphs::Random& random) {
  Weights f = random_weights(like, random);
  for (double& x : f) x = x == -HUGE_VAL ? 0.0 : 0.1 * x;
  return f;
}

double value(const Weights& f, const Structure& s) {
  double sum = 0.0;
  for (std::size_t i = 0; i < s.size(); ++i) sum += f[i] * s[i];
  return sum;
}

TYPED_TEST(DerivativeLaws, TheHessianIsTheCovarianceOfTheCounts) {
  this->for_all([](const auto& family, const auto& p, const Enumeration& all, auto& random) {
    if constexpr (HasAlong<TypeParam>) {
      const Weights f = random_function(family.weights(), random);
      const Real mean = all.mean([&](std::size_t i) { return value(f, all[i]); });
      std::vector<Real> expected(f.size(), 0);
      for (std::size_t k = 0; k < f.size(); ++k) {
        expected[k] = all.mean([&](std::size_t i) { return (value(f, all[i]) - mean) * all[i][k]; });
      }
      expect_close(family.along(p, f), expected, "along");
    }
  });
}

TYPED_TEST(DerivativeLaws, TheHessianIsTheDerivativeOfTheMarginals) {
  this->for_all(
      [](const auto& family, const auto& p, const Enumeration&, auto& random) {
        if constexpr (HasAlong<TypeParam>) {
          const Weights f = random_function(family.weights(), random), g = random_function(family.weights(), random);
          const auto mean_of_g = [&](double step) {
            Weights moved = family.weights();
            for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += step * f[i];
            const Weights m = family.marginals(family.make(moved));
            double sum = 0.0;
            for (std::size_t i = 0; i < m.size(); ++i) sum += g[i] * m[i];
            return sum;
          };
          const Weights along = family.along(p, f), back = family.along(p, g);
          double forth = 0.0, symmetric = 0.0;
          for (std::size_t i = 0; i < along.size(); ++i) forth += g[i] * along[i], symmetric += f[i] * back[i];
          EXPECT_NEAR(forth, derivative(mean_of_g, 0.0), 1e-8);
          EXPECT_NEAR(forth, symmetric, kClose);
        }
      },
      10);
}

TYPED_TEST(DerivativeLaws, CovariancesAreThoseOfAllStructures) {
  this->for_all([](const auto& family, const auto& p, const Enumeration& all, auto& random) {
    if constexpr (HasCovariance<TypeParam>) {
      const Weights f = random_function(family.weights(), random), g = random_function(family.weights(), random);
      const Real mean_f = all.mean([&](std::size_t i) { return value(f, all[i]); });
      const Real mean_g = all.mean([&](std::size_t i) { return value(g, all[i]); });
      const Real expected =
          all.mean([&](std::size_t i) { return (value(f, all[i]) - mean_f) * (value(g, all[i]) - mean_g); });
      EXPECT_NEAR(family.covariance(p, f, g), static_cast<double>(expected), kClose);
      EXPECT_GE(family.covariance(p, f, f), -kClose);
    }
  });
}

}  // namespace
}  // namespace kirchhoff::laws
