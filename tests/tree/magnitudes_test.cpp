// The methods for trees against each other over scores from 1e-12 to 1e12: what the fast method certifies, the robust
// one says too, in the range of doubles and beyond it. The instruction sets' tests run this file for each vector width.
#include "kirchhoff/tree.hpp"

#include "support/compare.hpp"
#include "support/graphs.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kirchhoff {
namespace {

constexpr double kTolerance = 1e-12;

/// All of one size, or every score of a size of its own.
Matrix random_scores(int n, double exponent, bool mixed, graphs::Random& random) {
  Matrix scores = graphs::normal(n, 1.0, random);
  std::uniform_real_distribution<double> any(-12.0, exponent);
  for (double& x : scores.reshaped()) x *= std::pow(10.0, mixed ? any(random) : exponent);
  return scores;
}

struct Count {
  int certified = 0, robust = 0, extended = 0;
};

void compare_methods(const Matrix& scores, Root root, Count& count) {
  const TreeDistribution robust(scores, root, {.method = Method::robust, .tolerance = kTolerance});
  const Matrix right = robust.marginals();
  count.extended += robust.report().extended ? 1 : 0;
  for (const Method method : {Method::fast, Method::automatic}) {
    SCOPED_TRACE(graphs::name(method));
    const TreeDistribution p(scores, root, {.method = method, .tolerance = kTolerance});
    const Report report = p.report();
    if (method == Method::automatic) {
      EXPECT_TRUE(report.certified);
      count.robust += report.method == Method::robust ? 1 : 0;
    }
    if (!report.certified) continue;
    count.certified += method == Method::fast ? 1 : 0;
    EXPECT_TRUE(close(p.log_partition(), robust.log_partition(), {1e-13, 1e-13}));
    const Matrix m = p.marginals();
    for (int h = 0; h <= p.words(); ++h)
      for (int d = 1; d <= p.words(); ++d) {
        // Both have the accuracy asked for; what underflows may do so by one method and not by the other.
        EXPECT_TRUE(close(m(h, d), right(h, d), {4 * kTolerance, 1e-300})) << h << "->" << d;
      }
  }
  for (int d = 1; d <= robust.words(); ++d) EXPECT_NEAR(right.col(d).sum(), 1.0, 1e-12) << "one head";
}

TEST(Magnitudes, FastRobustAndExtendedAgree) {
  graphs::Random random(51);
  Count count;
  int graphs = 0;
  for (int exponent = -12; exponent <= 12; ++exponent)
    for (const int n : {1, 2, 3, 7, 16, 33})
      for (const bool mixed : {false, true})
        for (const Root root : {Root::single, Root::multi}) {
          SCOPED_TRACE(testing::Message() << "1e" << exponent << ", n = " << n << (mixed ? ", mixed" : ""));
          compare_methods(random_scores(n, exponent, mixed, random), root, count);
          ++graphs;
        }
  std::printf("%d graphs: the fast method certified %d; %d were left to the robust one; %d were of extended range\n",
              graphs, count.certified, count.robust, count.extended);
  EXPECT_GT(count.certified, graphs / 4);
  EXPECT_GT(count.robust, graphs / 20);
  EXPECT_GT(count.extended, graphs / 20);
}

}  // namespace
}  // namespace kirchhoff
