// Runs a law for a family: on random distributions, the same ones every time, beside the judge's list.
#pragma once

#include "laws/enumeration.hpp"
#include "laws/families.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace kirchhoff::laws {

// Log Z and marginals are right to 1e-12 (default Accuracy); what is summed from them has some twenty terms.
inline constexpr double kClose = 1e-10;
template <class Family>
class Laws : public testing::Test {
 protected:
  /// Runs the law on random distributions, the same ones every time.
  template <class Law>
  void for_all(Law law, int cases = 25) {
    for (int seed = 0; seed < cases; ++seed) {
      SCOPED_TRACE("case " + std::to_string(seed));
      graphs::Random random(2021 + seed);
      const Family family(random);
      law(family, family.make(family.weights()), Enumeration(family.structures(), family.weights()), random);
      if (this->HasFatalFailure()) return;
    }
  }
};

inline void expect_close(const Weights& actual, const std::vector<Real>& expected, const char* what) {
  for (std::size_t i = 0; i < actual.size(); ++i) {
    EXPECT_NEAR(actual[i], static_cast<double>(expected[i]), kClose) << what << ", place " << i;
  }
}

inline Weights random_weights(const Weights& like, graphs::Random& random) {
  std::normal_distribution<double> normal(0.0, 1.5);
  Weights other = like;
  for (double& x : other) x = x == -HUGE_VAL ? x : normal(random);
  return other;
}

}  // namespace kirchhoff::laws
