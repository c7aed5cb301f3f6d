// Comparison of arrays with relative and absolute tolerance, naming the entry that differs.
#pragma once

#include "kirchhoff/tree.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace kirchhoff {

/// |actual - expected| <= relative |expected| + absolute; infinities must be equal; NaN never passes.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

/// What each method owes on graphs with mild scores (N(0, 1), n <= 6). Robust: no subtraction, so a few hundred
/// roundings of 1e-16. Automatic: the default Accuracy, 1e-12, and as much again for rounding. Fast subtracts: its
/// error is about n eps w K, on such graphs at most 1e4 n eps p, or 1e-14 where p is 0 by structure.
inline Tolerance mild(Method method) {
  if (method == Method::robust) return {1e-13, 0};
  if (method == Method::automatic) return {2e-12, 0};
  return {1e-11, 1e-14};
}

inline ::testing::AssertionResult close(double actual, long double expected, Tolerance t) {
  if (std::isinf(expected) || std::isinf(actual)) {
    if (static_cast<long double>(actual) == expected) return ::testing::AssertionSuccess();
  } else if (std::abs(actual - expected) <= t.relative * std::abs(expected) + t.absolute) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << actual << " instead of " << expected << ", off by " << actual - expected
                                       << " (relative " << (actual - expected) / std::abs(expected) << ")";
}

/// All arcs; column 0 and the diagonal, which hold no arcs, must be exactly `elsewhere`.
inline void expect_arcs(const Matrix& actual, const oracle::ArcArray& expected, Tolerance t, const std::string& what,
                        double elsewhere = 0.0) {
  ASSERT_EQ(actual.rows(), expected.words() + 1) << what;
  ASSERT_EQ(actual.cols(), expected.words() + 1) << what;
  for (int i = 0; i < actual.rows(); ++i)
    for (int j = 0; j < actual.cols(); ++j) {
      if (i == j || j == 0)
        EXPECT_EQ(actual(i, j), elsewhere) << what << ": (" << i << "," << j << ") is no arc";
      else
        EXPECT_TRUE(close(actual(i, j), expected(i, j), t)) << what << ": arc " << i << "->" << j;
    }
}

inline void expect_arcs(const LabelledMatrix& actual, const oracle::ArcArray& expected, Tolerance t,
                        const std::string& what, double elsewhere = 0.0) {
  ASSERT_EQ(actual.words(), expected.words()) << what;
  ASSERT_EQ(actual.labels(), expected.labels()) << what;
  for (int i = 0; i <= actual.words(); ++i)
    for (int j = 0; j <= actual.words(); ++j)
      for (int y = 0; y < actual.labels(); ++y) {
        if (i == j || j == 0)
          EXPECT_EQ(actual(i, j, y), elsewhere) << what << ": (" << i << "," << j << ") is no arc";
        else
          EXPECT_TRUE(close(actual(i, j, y), expected(i, j, y), t)) << what << ": arc " << i << "->" << j << ":" << y;
      }
}

/// An R x S matrix against the oracle's row-by-row list.
inline void expect_table(const Matrix& actual, const std::vector<oracle::Real>& expected, Tolerance t,
                         const std::string& what) {
  ASSERT_EQ(static_cast<std::size_t>(actual.size()), expected.size()) << what;
  for (Eigen::Index k = 0; k < actual.size(); ++k)
    EXPECT_TRUE(close(actual.data()[k], expected[k], t)) << what << ": entry " << k;
}

/// Two arrays of the library, e.g. from two methods.
inline void expect_same(const Matrix& actual, const Matrix& expected, Tolerance t, const std::string& what) {
  ASSERT_EQ(actual.rows(), expected.rows()) << what;
  ASSERT_EQ(actual.cols(), expected.cols()) << what;
  for (int i = 0; i < actual.rows(); ++i)
    for (int j = 0; j < actual.cols(); ++j)
      EXPECT_TRUE(close(actual(i, j), expected(i, j), t)) << what << ": (" << i << "," << j << ")";
}

}  // namespace kirchhoff
