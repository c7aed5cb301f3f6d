// Every marginal of graphs of up to 30 words with scores N(0, s^2), s up to 300, against arithmetic with thousands of
// digits: 1e-11 relative whenever it is at least 1e-300, log Z to 1e-13.
#include "kirchhoff/tree.hpp"

#include "support/compare.hpp"
#include "support/graphs.hpp"
#include "support/high_precision.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <tuple>

namespace kirchhoff {
namespace {

using graphs::kInf;

/// log Z = sum of the columns' maxima c_j + the logarithm of a scaled sum: when the terms cancel and log Z is near 0,
/// no double computation can do better than a few ulp of sum |c_j|.
double log_partition_floor(const Matrix& scores) {
  double sum = 0;
  for (int j = 1; j < scores.cols(); ++j) {
    double top = -kInf;
    for (int i = 0; i < scores.rows(); ++i)
      if (i != j) top = std::max(top, scores(i, j));
    sum += std::abs(top);
  }
  return 4 * std::numeric_limits<double>::epsilon() * sum;
}

void compare(const TreeDistribution& p, const high_precision::Answer& expected) {
  EXPECT_TRUE(close(p.log_partition(), expected.log_partition, {1e-13, log_partition_floor(p.scores())})) << "log Z";
  const Matrix m = p.marginals(), lm = p.log_marginals();
  for (int i = 0; i <= p.words(); ++i)
    for (int j = 1; j <= p.words(); ++j) {
      if (i == j) continue;
      const auto right = expected.marginals(i, j);
      // Below 1e-300 the double may be subnormal or 0: only its size is checked here, its logarithm below.
      EXPECT_TRUE(close(m(i, j), right, {1e-11, right < 1e-300L ? 1e-300 : 0})) << "marginal " << i << "->" << j;
      // 1e-11 relative in p is 1e-11 absolute in log p; of a logarithm of -1000, 1e-11 of it.
      EXPECT_TRUE(close(lm(i, j), expected.log_marginals(i, j), {1e-11, 1e-11})) << "log marginal " << i << "->" << j;
    }
}

void compare_methods(const Matrix& scores, Root root) {
  const auto expected = high_precision::solve(scores, root);
  for (Method method : {Method::automatic, Method::robust}) {
    SCOPED_TRACE(graphs::name(method));
    compare(TreeDistribution(scores, root, graphs::forced(method)), expected);
  }
}

class Precision : public testing::TestWithParam<std::tuple<double, Root>> {};

TEST_P(Precision, DenseGraphs) {
  const auto [s, root] = GetParam();
  for (int n : {2, 5, 10, 20, 30})
    for (unsigned seed = 0; seed < (n * s > 3000 ? 1 : 3); ++seed) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", seed " << seed);
      graphs::Random random(1000 * n + seed);
      compare_methods(graphs::normal(n, s, random), root);
    }
}

TEST_P(Precision, SparseGraphs) {
  const auto [s, root] = GetParam();
  for (int n : {5, 10, 20})
    for (double density : {0.7, 0.3})
      for (unsigned seed = 0; seed < (n * s > 3000 ? 1 : 2); ++seed) {
        SCOPED_TRACE(testing::Message() << "n = " << n << ", density " << density << ", seed " << seed);
        graphs::Random random(2000 * n + seed);
        compare_methods(graphs::masked_feasible(graphs::normal(n, s, random), density, random), root);
      }
}

/// Three tight pairs and a weak root: what a trained parser's bad sentence looks like.
TEST_P(Precision, StrongPairs) {
  const auto [s, root] = GetParam();
  graphs::Random random(3);
  Matrix scores = graphs::normal(12, 1, random);
  for (int k : {1, 5, 9}) scores(k, k + 1) += s, scores(k + 1, k) += s;
  scores.row(0).array() -= s;
  compare_methods(scores, root);
}

INSTANTIATE_TEST_SUITE_P(Scale, Precision,
                         testing::Combine(testing::Values(1.0, 10.0, 30.0, 100.0, 300.0),
                                          testing::Values(Root::single, Root::multi)),
                         [](const auto& p) {
                           return "s" + std::to_string(static_cast<int>(std::get<0>(p.param))) +
                                  (std::get<1>(p.param) == Root::single ? "_single" : "_multi");
                         });

}  // namespace
}  // namespace kirchhoff
