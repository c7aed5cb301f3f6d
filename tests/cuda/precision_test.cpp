// Every marginal of graphs with scores N(0, s^2), s up to 300, against arithmetic with thousands of digits: 1e-11
// relative whenever it is at least 1e-300, log Z to 1e-13, and derivatives of the marginals.
#include "cuda/ask.hpp"

#include "support/compare.hpp"
#include "support/graphs.hpp"
#include "support/high_precision.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace kirchhoff::cuda {
namespace {

using graphs::kInf;

/// log Z is a sum of the words' best scores and a logarithm. When the terms cancel, some ulp of their sizes remain.
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

void compare(const Answered& answered, std::size_t i, const Matrix& scores, const high_precision::Answer& expected) {
  const Tolerance log_z = {1e-13, log_partition_floor(scores)};
  EXPECT_TRUE(close(answered.log_partition[i], expected.log_partition, log_z)) << "log Z";
  EXPECT_GE(answered.entropy[i], 0.0);
  const Matrix m = unlabelled(answered.marginals[i]);
  for (int h = 0; h < m.rows(); ++h) {
    for (int d = 1; d < m.cols(); ++d) {
      if (h == d) continue;
      const auto right = expected.marginals(h, d);
      // Below 1e-300 the double may be subnormal or 0.
      EXPECT_TRUE(close(m(h, d), right, {1e-11, right < 1e-300L ? 1e-300 : 0})) << "marginal " << h << "->" << d;
      if (answered.derivatives.empty()) continue;
      // Terms of the size of the direction's sum over a tree cancel: 1e-11 of the marginal times that.
      const Tolerance t = {1e-10, 1e-300 + 1e-11 * static_cast<double>(right) * static_cast<double>(m.rows())};
      EXPECT_TRUE(close(answered.derivatives[i](h, d, 0), expected.along(h, d), t)) << "along " << h << "->" << d;
    }
  }
}

/// The sizes of tree/precision_test.cpp, and those around 8, 16 and 24 words, of which the kernels make classes.
Asked batch(double s) {
  Asked asked;
  const auto add = [&](const Matrix& scores, graphs::Random& random) {
    asked.scores.push_back(labelled(scores));
    asked.directions.push_back(labelled(graphs::normal(static_cast<int>(scores.rows()) - 1, 1.0, random)));
  };
  for (const int n : {2, 5, 9, 16, 24, 30}) {
    graphs::Random random(1000 * n);
    add(graphs::normal(n, s, random), random);
    if (n > 24) continue;
    for (const double density : {0.7, 0.3})
      add(graphs::masked_feasible(graphs::normal(n, s, random), density, random), random);
  }
  // Three tight pairs and a weak root: what a trained parser's bad sentence looks like.
  graphs::Random random(3);
  Matrix scores = graphs::normal(12, 1, random);
  for (int k : {1, 5, 9}) scores(k, k + 1) += s, scores(k + 1, k) += s;
  scores.row(0).array() -= s;
  add(scores, random);
  return asked;
}

class CudaPrecision : public testing::TestWithParam<double> {};

TEST_P(CudaPrecision, OfMarginalsAndDerivatives) {
  Asked asked = batch(GetParam());
  for (Root root : graphs::kRoots) {
    asked.derivatives = true;
    const Answered with = ask(asked, root);
    asked.derivatives = false;
    const Answered without = ask(asked, root);
    for (std::size_t i = 0; i < asked.scores.size(); ++i) {
      SCOPED_TRACE(testing::Message() << graphs::name(root) << ", graph " << i);
      const Matrix scores = unlabelled(asked.scores[i]);
      const auto expected = high_precision::solve(scores, root, unlabelled(asked.directions[i]));
      compare(with, i, scores, expected);
      compare(without, i, scores, expected);
    }
  }
}

/// Pairs of words that head each other, and all other arcs weaker by `gap`: no weight is too small for doubles, but
/// products of them are, though marginals are of moderate size.
Matrix far_pairs(int words, double gap) {
  graphs::Random random(words);
  Matrix scores = graphs::normal(words, 1.0, random).array() - gap;
  for (int k = 1; k < words; k += 2) scores(k, k + 1) += gap, scores(k + 1, k) += gap;
  return scores;
}

TEST(CudaPrecisionOfProducts, BeyondTheRangeOfDoubles) {
  Asked asked;
  for (const int n : {4, 8, 16, 22}) {
    for (const double gap : {100.0, 300.0, 360.0, 630.0}) {
      asked.scores.push_back(labelled(far_pairs(n, gap)));
      asked.directions.push_back(labelled(far_pairs(n, 0.0)));
    }
  }
  for (Root root : graphs::kRoots) {
    const Answered answered = ask(asked, root);
    EXPECT_GE(std::count(answered.status.begin(), answered.status.end(), GraphStatus::extended), 8);
    for (std::size_t i = 0; i < asked.scores.size(); ++i) {
      SCOPED_TRACE(testing::Message() << graphs::name(root) << ", graph " << i);
      const Matrix scores = unlabelled(asked.scores[i]);
      compare(answered, i, scores, high_precision::solve(scores, root, unlabelled(asked.directions[i])));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Scale, CudaPrecision, testing::Values(1.0, 10.0, 30.0, 100.0, 300.0),
                         [](const auto& p) { return "s" + std::to_string(static_cast<int>(p.param)); });

}  // namespace
}  // namespace kirchhoff::cuda
