// The high-precision reference against enumeration, where both can be had, and the checker of gradients against
// functions whose derivative is known.
#include "support/high_precision.hpp"

#include "support/gradient.hpp"
#include "support/graphs.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cmath>

namespace kirchhoff {
namespace {

using graphs::kInf;
using oracle::Real;

/// The oracle adds up to 1296 positive terms and takes exp of scores of a few thousand in long double (eps = 1e-19):
/// 1e-15 relative is generous to both sides.
void expect_relative(Real actual, Real expected, const std::string& what) {
  if (actual == expected) return;
  EXPECT_LE(std::abs(actual - expected), 1e-15L * std::abs(expected)) << what << ": " << actual << " vs " << expected;
}

void compare(const Matrix& scores, Root root, const Matrix& direction) {
  const oracle::Forest p(scores, root);
  const auto answer = high_precision::solve(scores, root, direction);
  expect_relative(answer.log_partition, p.log_partition(), "log Z");
  const auto m = oracle::marginals(p), lm = oracle::log_marginals(p);
  const auto along = oracle::covariance_with_arcs(p, oracle::ArcArray(direction));
  for (int i = 0; i <= p.words(); ++i)
    for (int j = 1; j <= p.words(); ++j) {
      if (i == j) continue;
      expect_relative(answer.marginals(i, j), m(i, j), "marginal");
      EXPECT_LE(lm(i, j) == answer.log_marginals(i, j) ? 0 : std::abs(answer.log_marginals(i, j) - lm(i, j)),
                1e-15L * (1 + std::abs(lm(i, j))));
      // The oracle subtracts a mean of size |r|, the reference does not lose anything: absolute, times p.
      EXPECT_LE(std::abs(answer.along(i, j) - along(i, j)), 1e-15L * m(i, j) * (1 + direction.cwiseAbs().maxCoeff()));
    }
}

TEST(HighPrecision, AgreesWithEnumeration) {
  graphs::Random random(1);
  for (Root root : graphs::kRoots)
    for (double s : {1.0, 30.0, 300.0})
      for (int n : {1, 2, 3, 5}) {
        SCOPED_TRACE(testing::Message() << graphs::name(root) << ", n = " << n << ", s = " << s);
        compare(graphs::normal(n, s, random), root, graphs::normal(n, 1, random));
        compare(graphs::masked_feasible(graphs::normal(n, s, random), 0.4, random), root, graphs::normal(n, 1, random));
      }
}

TEST(HighPrecision, KnowsWhichArcsAreInSomeTree) {
  graphs::Random random(2);
  for (int trial = 0; trial < 200; ++trial)
    for (Root root : graphs::kRoots) {
      const Matrix scores = graphs::masked(graphs::normal(4, 1, random), 0.45, random);
      const auto m = oracle::marginals(oracle::Forest(scores, root));
      for (int i = 0; i <= 4; ++i)
        for (int j = 1; j <= 4; ++j)
          EXPECT_EQ(high_precision::arc_possible(scores, root, i, j), i != j && m(i, j) > 0)
              << "arc " << i << "->" << j << " of\n"
              << scores;
    }
}

double square_sum(const Matrix& x) { return x.squaredNorm() / 2; }

TEST(GradientChecker, AcceptsTheRightGradient) {
  graphs::Random random(3);
  const Matrix x = graphs::normal(2, 1, random);
  expect_gradient(square_sum, x, x, 1e-10, "x^2/2");
  EXPECT_NEAR(derivative([](double t) { return std::exp(t); }, 1.0), std::exp(1.0), 1e-10);
}

TEST(GradientChecker, RefusesAWrongGradient) {
  static Matrix x = Matrix::Constant(1, 1, 0.5), wrong = Matrix::Constant(1, 1, 0.5 + 1e-7);
  EXPECT_NONFATAL_FAILURE(expect_gradient(square_sum, x, wrong, 1e-8, "x^2/2"), "x^2/2");
}

TEST(GradientChecker, RefusesAGradientOfAnImpossibleArc) {
  static Matrix x(1, 2), wrong(1, 2);
  x << 1, -kInf;
  wrong << 1, 1e-300;
  const auto f = [](const Matrix& a) { return a(0, 0); };
  EXPECT_NONFATAL_FAILURE(expect_gradient(f, x, wrong, 1e-8, "x"), "impossible arc");
}

}  // namespace
}  // namespace kirchhoff
