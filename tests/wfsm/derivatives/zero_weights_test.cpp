// Derivatives by weights that are 0, where trajectories say nothing: Z still grows with such a weight.
#include "kirchhoff/wfsm_derivatives.hpp"
#include "support/compare.hpp"
#include "support/message_of.hpp"
#include "wfsm/oracle.hpp"

#include <cmath>

namespace kirchhoff {
namespace {

using namespace wfsm_oracle;

constexpr double kNone = -HUGE_VAL;

std::vector<std::vector<int>> tuples(int size, int order) {
  std::vector<std::vector<int>> all = {{}};
  for (int k = 0; k < order; ++k) {
    std::vector<std::vector<int>> longer;
    for (const std::vector<int>& tuple : all) {
      for (int t = 0; t < size; ++t) {
        longer.push_back(tuple);
        longer.back().push_back(t);
      }
    }
    all = std::move(longer);
  }
  return all;
}

void expect_all_derivatives(const Parts& parts) {
  const Wfsm machine = parts.build();
  const Exact exact(parts);
  const int size = static_cast<int>(parts.transitions.size());
  const auto expected = [&](const std::vector<int>& tuple) {
    return static_cast<long double>(exact.derivative({tuple.begin(), tuple.end()}));
  };
  const std::vector<double> g = flat(gradient(machine));
  for (int i = 0; i < static_cast<int>(g.size()); ++i) EXPECT_TRUE(close(g[i], expected({i}), {1e-11, 1e-14})) << i;
  const Matrix h = hessian(machine);
  for (const std::vector<int>& t : tuples(size, 2)) {
    EXPECT_TRUE(close(h(t[0], t[1]), expected(t), {1e-11, 1e-14})) << t[0] << " " << t[1];
  }
  for (int order = 1; order <= 3; ++order) {
    const std::vector<double> all = derivatives(machine, order);
    std::size_t index = 0;
    for (const std::vector<int>& t : tuples(size, order)) {
      EXPECT_TRUE(close(all[index], expected(t), {1e-11, 1e-14})) << order << ": " << index;
      EXPECT_TRUE(close(derivative(machine, t), all[index], {1e-12, 1e-15})) << order << ": " << index;
      ++index;
    }
  }
  Random random(1);
  const std::vector<double> v = random_values(parts.places(), random);
  const std::vector<double> hv = flat(hessian_vector(machine, weights_of(parts, v)));
  for (int i = 0; i < static_cast<int>(v.size()); ++i) {
    long double sum = 0;
    for (int k = 0; k < static_cast<int>(v.size()); ++k) sum += expected({i, k}) * v[k];
    EXPECT_TRUE(close(hv[i], sum, {1e-11, 1e-12})) << i;
  }
}

TEST(WfsmZeroWeights, BesideAnother) {
  const Parts parts{2, {{0, 1, 1, std::log(0.5)}, {0, 1, 2, kNone}}, {0.0, kNone}, {kNone, 0.0}};
  EXPECT_EQ(gradient(parts.build()).transitions, (Vector(2) << 1, 1).finished());
  expect_all_derivatives(parts);
}

/// The only way to state 2 and to state 3 has weight 0, and so has the only way back from both.
TEST(WfsmZeroWeights, ToStatesThatNothingElseReaches) {
  expect_all_derivatives({5,
                          {{0, 1, 1, -0.7},
                           {0, 2, 1, kNone},
                           {2, 3, 1, -0.3},
                           {3, 2, 1, -0.9},
                           {2, 2, 1, -1.5},
                           {3, 1, 1, kNone},
                           {4, 1, 1, 0.4}},
                          {0.0, kNone, kNone, kNone, kNone},
                          {kNone, 0.2, kNone, kNone, kNone}});
}

TEST(WfsmZeroWeights, InsideCycles) {
  expect_all_derivatives({3,
                          {{0, 1, 1, -0.7}, {1, 0, 1, kNone}, {1, 1, 2, kNone}, {1, 2, 1, 0.1}, {2, 0, 1, -1.0}},
                          {0.0, kNone, kNone},
                          {kNone, kNone, 0.0}});
}

/// A transition of weight 0 leads from a state with a tiny total to one with a huge total.
TEST(WfsmZeroWeights, BetweenTotalsFarApart) {
  const Parts parts{4,
                    {{0, 1, 1, -800.0}, {1, 3, 1, 0.0}, {0, 2, 1, 0.0}, {2, 3, 1, 600.0}, {1, 2, 1, kNone}},
                    {0.0, kNone, kNone, kNone},
                    {kNone, kNone, kNone, -500.0}};
  const Wfsm machine = parts.build();
  // Z = e^-500 (w0 w1 + w2 w3 + w0 w4 w3).
  EXPECT_TRUE(close(gradient(machine).transitions(4), std::exp(-700.0L), {1e-12, 0}));
  EXPECT_TRUE(close(hessian(machine)(0, 4), std::exp(100.0L), {1e-12, 0}));
  EXPECT_TRUE(close(derivatives(machine, 3)[(0 * 5 + 4) * 5 + 3], std::exp(-500.0L), {1e-12, 0}));
}

/// Z is infinite as soon as the weight is above 0: so is its derivative.
TEST(WfsmZeroWeights, InfiniteDerivatives) {
  const Parts parts{2, {{0, 0, 1, -1.0}, {0, 1, 1, kNone}, {1, 1, 1, 0.5}}, {0.0, kNone}, {0.0, 0.0}};
  const Wfsm machine = parts.build();
  EXPECT_EQ(gradient(machine).transitions(1), HUGE_VAL);
  EXPECT_EQ(gradient(machine).transitions(2), 0.0);
  EXPECT_EQ(derivative(machine, {0, 1}), HUGE_VAL);
  EXPECT_EQ(log_derivative(machine, {1}), HUGE_VAL);
  EXPECT_EQ(hessian(machine)(0, 1), HUGE_VAL);
  EXPECT_EQ(closure_rows(machine, {1})(0, 1), HUGE_VAL);
  EXPECT_EQ(closure_rows(machine, {1})(0, 0), 0.0);
  EXPECT_EQ(hessian_vector(machine, weights_of(parts, {1, 1, 0, 0, 0, 0, 0})).transitions(0), HUGE_VAL);
  EXPECT_EQ(message_of<InputError>([&] {
              hessian_vector(machine, weights_of(parts, {1, 1, 0, -1, 0, 0, 0}));
            }),
            "[hessian_vector] a sum of derivatives is the difference of two that are infinite");
}

}  // namespace
}  // namespace kirchhoff
