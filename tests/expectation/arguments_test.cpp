// Wrong arguments of the functions in expectation.hpp are refused with an InputError.
#include "kirchhoff/expectation.hpp"

#include "support/graphs.hpp"
#include "support/message_of.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kirchhoff {
namespace {

using graphs::kInf;
const double kNaN = std::nan("");

TEST(Arguments, FeaturesOutOfRange) {
  const FeatureEntry bad[] = {
      {4, 1, 0, 1.0, 0}, {-1, 1, 0, 1.0, 0}, {0, 4, 0, 1.0, 0}, {0, -1, 0, 1.0, 0},  // no such node
      {0, 1, 2, 1.0, 0}, {0, 1, -1, 1.0, 0}, {0, 1, 0, 1.0, 2}, {0, 1, 0, 1.0, -1},  // no such feature, no such label
  };
  for (const FeatureEntry& entry : bad) EXPECT_THROW(Features(3, 2, {entry}, 2), InputError);
  for (double value : {kNaN, kInf, -kInf}) EXPECT_THROW(Features(3, 2, {{0, 1, 0, value}}), InputError);
  EXPECT_THROW(Features(3, -1, {}), InputError);
  EXPECT_THROW(Features(0, 1, {}), InputError);
  EXPECT_NO_THROW(Features(3, 2, {{3, 1, 1, 1.0, 1}}, 2));
}

TEST(Arguments, FeatureMatricesOfWrongShape) {
  EXPECT_THROW(Features::from_matrices({Matrix::Zero(3, 4)}), InputError);
  EXPECT_THROW(Features::from_matrices({Matrix::Zero(3, 3), Matrix::Zero(4, 4)}), InputError);
  Matrix bad = Matrix::Zero(3, 3);
  bad(1, 2) = kNaN;
  EXPECT_THROW(Features::from_matrices({bad}), InputError);
  Matrix ignored = Matrix::Zero(3, 3);
  ignored(1, 1) = ignored(2, 0) = kNaN;
  EXPECT_NO_THROW(Features::from_matrices({ignored}));
}

TEST(Arguments, DirectionsOfTheCovariancesGradient) {
  const TreeDistribution p(Matrix::Zero(4, 4), Root::single);
  const Matrix good = Matrix::Zero(4, 4);
  EXPECT_NO_THROW(covariance_gradient(p, good, good));
  EXPECT_THROW(covariance_gradient(p, Matrix::Zero(3, 3), good), InputError);
  EXPECT_THROW(covariance_gradient(p, good, Matrix::Zero(4, 5)), InputError);
  for (const double value : {kNaN, kInf}) {
    Matrix bad = good;
    bad(2, 3) = value;
    EXPECT_THROW(covariance_gradient(p, bad, good), InputError);
    EXPECT_THROW(covariance_gradient(p, good, bad), InputError);
  }
}

TEST(Arguments, DirectionsOfTheLabelledCovariancesGradient) {
  const LabelledTreeDistribution p(LabelledMatrix(4, 2), Root::single);
  const LabelledMatrix good(4, 2);
  EXPECT_NO_THROW(covariance_gradient(p, good, good));
  for (const LabelledMatrix& bad : {LabelledMatrix(3, 2), LabelledMatrix(4, 3)}) {
    EXPECT_THROW(covariance_gradient(p, bad, good), InputError);
    EXPECT_THROW(covariance_gradient(p, good, bad), InputError);
  }
  for (const double value : {kNaN, kInf}) {
    LabelledMatrix bad = good;
    bad(2, 3, 1) = value;
    EXPECT_THROW(covariance_gradient(p, bad, good), InputError);
    EXPECT_THROW(covariance_gradient(p, good, bad), InputError);
  }
}

TEST(Arguments, GoldLabelsThatDoNotExist) {
  const LabelledTreeDistribution p(LabelledMatrix(2, 3), Root::single);
  EXPECT_NO_THROW(risk(p, {{-1, 0, 1}, {0, 0, 2}}));
  for (const int bad : {-1, 3}) {
    EXPECT_EQ(message_of<InputError>([&] {
                risk(p, {{-1, 0, 1}, {0, 1, bad}});
              }),
              "[risk] gold label " + std::to_string(bad) + " of word 2 is not in 0..2");
  }
}

TEST(Arguments, FeaturesOfAnotherGraph) {
  const TreeDistribution p(Matrix::Zero(4, 4), Root::single);
  const Features good(3, 1, {}), longer(4, 1, {}), labelled(3, 1, {}, 2);
  EXPECT_THROW(expectation(p, longer), InputError);
  EXPECT_THROW(expectation(p, labelled), InputError);
  EXPECT_THROW(covariance(p, good, longer), InputError);
  EXPECT_THROW(covariance(p, longer, good), InputError);
  EXPECT_THROW(second_order(p, good, labelled), InputError);
  const LabelledTreeDistribution q(LabelledMatrix(3, 2), Root::single);
  EXPECT_THROW(expectation(q, good), InputError);
  EXPECT_NO_THROW(expectation(q, labelled));
}

TEST(Arguments, GeneralizedExpectationTarget) {
  const TreeDistribution p(Matrix::Zero(4, 4), Root::single);
  const Features f(3, 2, {});
  EXPECT_THROW(generalized_expectation(p, f, Vector::Zero(3)), InputError);
  EXPECT_THROW(generalized_expectation_gradient(p, f, Vector::Zero(1)), InputError);
  EXPECT_NO_THROW(generalized_expectation(p, f, Vector::Zero(2)));
}

TEST(Arguments, Orders) {
  const TreeDistribution p(Matrix::Zero(4, 4), Root::single);
  for (double alpha : {-0.5, kNaN, kInf}) {
    EXPECT_THROW(renyi(p, alpha), InputError) << alpha;
    EXPECT_THROW(renyi_gradient(p, alpha), InputError) << alpha;
  }
  for (double k : {0.0, -1.0, kNaN}) {
    EXPECT_THROW(norm(p, k), InputError) << k;
    EXPECT_THROW(norm_gradient(p, k), InputError) << k;
  }
}

TEST(Arguments, TwoDistributionsOfDifferentShape) {
  const TreeDistribution p(Matrix::Zero(4, 4), Root::single), q(Matrix::Zero(5, 5), Root::single);
  EXPECT_THROW(kl(p, q), InputError);
  EXPECT_THROW(cross_entropy(p, q), InputError);
  EXPECT_THROW(kl_gradient(p, q), InputError);
  EXPECT_THROW(log_multiplicative_expectation(p, Matrix(Matrix::Zero(5, 5))), InputError);
  const LabelledTreeDistribution a(LabelledMatrix(3, 2), Root::multi), b(LabelledMatrix(3, 3), Root::multi);
  EXPECT_THROW(kl(a, b), InputError);
}

TEST(Arguments, MultiplicativeFactors) {
  const TreeDistribution p(Matrix::Zero(3, 3), Root::single);
  for (double bad : {kNaN, kInf}) {
    Matrix log_q = Matrix::Zero(3, 3);
    log_q(1, 2) = bad;
    EXPECT_THROW(log_multiplicative_expectation(p, log_q), InputError) << bad;
  }
}

TEST(Arguments, Gold) {
  const TreeDistribution p(Matrix::Zero(4, 4), Root::single);
  EXPECT_THROW(risk(p, {{-1, 0, 0, 1}, {}}), InputError);  // two root children
  EXPECT_THROW(risk(p, {{-1, 2, 1, 0}, {}}), InputError);  // a cycle
  EXPECT_THROW(risk_gradient(p, {{-1, 0}, {}}), InputError);
  EXPECT_THROW(negative_log_likelihood(p, {{-1, 0}, {}}), InputError);
  const LabelledTreeDistribution q(LabelledMatrix(3, 2), Root::single);
  EXPECT_THROW(risk(q, {{-1, 0, 1, 1}, {}}), InputError);  // labels are missing
  EXPECT_THROW(risk(q, {{-1, 0, 1, 1}, {0, 0, 0, 2}}), InputError);
  EXPECT_NO_THROW(risk(q, {{-1, 0, 1, 1}, {0, 0, 0, 1}}));
}

}  // namespace
}  // namespace kirchhoff
