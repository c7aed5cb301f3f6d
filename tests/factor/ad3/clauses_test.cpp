// AD3's clauses of three inputs, in vectors, against the projection of one OR and the update as it is written.
#include "factor/kernels/clauses.hpp"
#include "factor/factors/factors.hpp"
#include "factor/graphs.hpp"

#include <gtest/gtest.h>

#include <array>

namespace kirchhoff {
namespace {

using brute::Random;
using brute::uniform;

TEST(Clauses, AreProjectedAndUpdatedAsOneByOne) {
  Random random(31);
  const factor::OrFactor one(3);
  constexpr double kPenalty = 0.7;
  for (std::size_t size = 1; size <= 20; ++size) {
    constexpr std::size_t kVariables = 9;
    std::vector<double> p(kVariables), weights(size), u(3 * size, 0.0), q(3 * size), u_sum(3 * size), q_sum(3 * size);
    std::vector<std::int64_t> places(3 * size);
    std::vector<char> agrees(size, 2);
    for (double& x : p)
      x = uniform(random, 0, 1) < 0.5 ? (uniform(random, 0, 1) < 0.3 ? 0.0 : 1.0) : uniform(random, 0, 1);
    for (double& x : weights) x = uniform(random, 0.5, 3);
    for (double& x : q) x = uniform(random, 0, 1) < 0.3 ? 0.0 : uniform(random, -1.5, 1.5);
    for (std::size_t e = 0; e < 3 * size; ++e) {
      places[e] = std::uniform_int_distribution<std::int64_t>(0, 2 * kVariables - 1)(random);
      u_sum[e] = uniform(random, -1, 1);
      q_sum[e] = uniform(random, -1, 1);
    }
    const auto first_q = q, first_u_sum = u_sum, first_q_sum = q_sum;
    const bool with_u_sum = size % 3 != 0;
    const factor::ClauseArrays all{
        size,        places.data(), weights.data(), p.data(), u.data(), q.data(), with_u_sum ? u_sum.data() : nullptr,
        q_sum.data()};
    factor::project_clauses(all, kPenalty);
    const factor::ClauseStep step = factor::update_clauses(all, kPenalty, agrees.data());
    double squares = 0.0, work = 0.0;
    for (std::size_t k = 0; k < size; ++k) {
      std::array<double, 3> target{}, expected{};
      bool agree = true;
      for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t e = 3 * k + i;
        const double t = p[places[e] / 2] + first_q[e] / (kPenalty * weights[k]);
        target[i] = places[e] % 2 == 1 ? 1.0 - t : t;
      }
      one.project(target, 1.0, expected);
      for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t e = 3 * k + i;
        EXPECT_NEAR(u[e], places[e] % 2 == 1 ? 1.0 - expected[i] : expected[i], 1e-14);
        const double apart = u[e] - p[places[e] / 2], moved = first_q[e] - kPenalty * weights[k] * apart;
        EXPECT_NEAR(q[e], moved, 1e-14);
        EXPECT_NEAR(q_sum[e], first_q_sum[e] + moved, 1e-14);
        EXPECT_NEAR(u_sum[e], first_u_sum[e] + (with_u_sum ? u[e] : 0.0), 1e-14);
        squares += weights[k] * apart * apart;
        work += moved * apart;
        agree = agree && apart == 0.0;
      }
      EXPECT_EQ(agrees[k], agree ? 1 : 0);
    }
    EXPECT_NEAR(step.squares, squares, 1e-12);
    EXPECT_NEAR(step.work, work, 1e-12);
  }
}

}  // namespace
}  // namespace kirchhoff
