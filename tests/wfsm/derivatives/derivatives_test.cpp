// Derivatives of Z against repeated differentiation with 100 digits.
#include "kirchhoff/wfsm_derivatives.hpp"
#include "kirchhoff/wfsm_expectation.hpp"
#include "support/compare.hpp"
#include "wfsm/oracle.hpp"

#include <Eigen/LU>

#include <cmath>

namespace kirchhoff {
namespace {

using namespace wfsm_oracle;

long double to_long(const Real& x) { return static_cast<long double>(x); }

class Derivatives : public ::testing::TestWithParam<int> {
 protected:
  Random random{static_cast<std::uint64_t>(GetParam())};
  int states = 1 + GetParam() % 4;
  Parts parts = random_cyclic(states, states + 3 + GetParam() % 4, 2, 1.0, 0.8, random);
  Wfsm machine = parts.build();
  Exact exact{parts};
  int size = static_cast<int>(parts.transitions.size());
  Tolerance near{1e-11, 1e-14};

  long double expected(const std::vector<int>& tuple) const {
    return to_long(exact.derivative({tuple.begin(), tuple.end()}));
  }
};

TEST_P(Derivatives, Gradient) {
  const std::vector<double> g = flat(gradient(machine));
  for (std::size_t i = 0; i < g.size(); ++i) {
    EXPECT_TRUE(close(g[i], to_long(exact.derivative({i})), near)) << i;
  }
}

TEST_P(Derivatives, Hessian) {
  const Matrix h = hessian(machine);
  const std::vector<double> d2 = derivatives(machine, 2);
  for (int a = 0; a < size; ++a)
    for (int b = 0; b < size; ++b) {
      EXPECT_TRUE(close(h(a, b), expected({a, b}), near)) << a << " " << b;
      EXPECT_TRUE(close(d2[a * size + b], h(a, b), {1e-13, 1e-15}));
      EXPECT_TRUE(close(derivative(machine, {a, b}), h(a, b), {1e-13, 1e-15}));
    }
  for (int first = 0; first < size; ++first) {  // streamed
    const Matrix rows = hessian_rows(machine, first, std::min(2, size - first));
    EXPECT_EQ(rows, h.middleRows(first, rows.rows()));
  }
}

TEST_P(Derivatives, HessianTimesVector) {
  const std::vector<double> v = random_values(parts.places(), random);
  const std::vector<double> hv = flat(hessian_vector(machine, weights_of(parts, v)));
  for (std::size_t i = 0; i < v.size(); ++i) {
    Real sum = 0;
    for (std::size_t k = 0; k < v.size(); ++k) sum += exact.derivative({i, k}) * v[k];
    EXPECT_TRUE(close(hv[i], to_long(sum), {1e-11, 1e-12})) << i;
  }
}

TEST_P(Derivatives, OrdersThreeToFive) {
  const std::vector<double> d3 = derivatives(machine, 3);
  for (int repeat = 0; repeat < 6; ++repeat) {
    std::vector<int> t;
    for (int k = 0; k < 5; ++k) t.push_back(static_cast<int>(random() % size));
    if (repeat % 3 == 0) t[1] = t[0];  // the same transition twice, and more often
    if (repeat % 6 == 0) t[2] = t[0];
    const std::vector<int> three(t.begin(), t.begin() + 3), four(t.begin(), t.begin() + 4);
    EXPECT_TRUE(close(d3[(t[0] * size + t[1]) * size + t[2]], expected(three), near));
    EXPECT_TRUE(close(derivative(machine, three), expected(three), near));
    EXPECT_TRUE(close(derivative(machine, four), expected(four), near));
    EXPECT_TRUE(close(derivative(machine, t), expected(t), {1e-11, 1e-12}));
    EXPECT_TRUE(close(std::exp(log_derivative(machine, t)), derivative(machine, t), {1e-12, 0}));
  }
  if (size <= 7) {
    const std::vector<double> d4 = derivatives(machine, 4);
    for (std::size_t i = 0; i < d4.size(); i += 397) {
      const int n = size, k = static_cast<int>(i);
      EXPECT_TRUE(close(d4[i], expected({k / n / n / n, k / n / n % n, k / n % n, k % n}), near)) << i;
    }
  }
}

/// The paper's lemma 2, read as it must be: expected products of counts. With a loop the count of a transition is not 0
/// or 1, and E[c^2] = E[c] + w^2 Z''/Z is not E[c].
TEST_P(Derivatives, LemmaIsAboutProductsOfCounts) {
  const double z = std::exp(machine.log_partition());
  for (int a = 0; a < size; ++a)
    for (int b = 0; b < size; ++b) {
      std::vector<double> ra(parts.places(), 0.0), rb(parts.places(), 0.0);
      ra[a] = rb[b] = 1.0;
      const double w = std::exp(parts.transitions[a].log_weight + parts.transitions[b].log_weight);
      const double lemma = w * derivative(machine, {a, b}) / z + (a == b ? machine.transition_marginals()(a) : 0.0);
      EXPECT_TRUE(close(lemma, to_long(exact.second_order(ra, rb)), {1e-11, 1e-13}));
    }
}

INSTANTIATE_TEST_SUITE_P(Machines, Derivatives, ::testing::Range(1, 8));

TEST(WfsmDerivatives, SelfLoop) {
  // Z = 1 / (1 - w): derivatives m! / (1 - w)^(m+1); the count is geometric.
  const double w = 0.75;
  const Wfsm loop = Parts{1, {{0, 0, 1, std::log(w)}}, {0.0}, {0.0}}.build();
  double factorial = 1;
  for (int m = 1; m <= 16; ++m) {
    factorial *= m;
    const std::vector<int> tuple(m, 0);
    EXPECT_TRUE(close(derivative(loop, tuple), factorial * std::pow(1 / (1 - w), m + 1), {1e-12, 0}));
  }
  EXPECT_TRUE(close(loop.transition_marginals()(0), w / (1 - w), {1e-13, 0}));
  EXPECT_TRUE(
      close(log_derivative(loop, std::vector<int>(64, 0)), std::lgamma(65.0) - 65 * std::log1p(-w), {1e-13, 0}));
  EXPECT_THROW(derivative(loop, std::vector<int>(65, 0)), InputError);
  EXPECT_THROW(derivative(loop, {}), InputError);
  EXPECT_THROW(derivative(loop, {1}), InputError);
  EXPECT_THROW(derivatives(loop, 0), InputError);
}

/// Two loops, Z = 1 / (1 - u - v): every derivative of order m is m! Z^(m+1). The 17 different ones of order 16 have
/// 16! orders each, which nobody can walk one by one.
TEST(WfsmDerivatives, AllOfTheHighestOrder) {
  const double u = 0.25, v = 0.5;
  const Wfsm loops = Parts{1, {{0, 0, 1, std::log(u)}, {0, 0, 2, std::log(v)}}, {0.0}, {0.0}}.build();
  const std::vector<double> all = derivatives(loops, 16);
  const double expected = std::tgamma(17.0) * std::pow(1 / (1 - u - v), 17);
  ASSERT_EQ(all.size(), std::size_t{1} << 16);
  for (const double d : all) ASSERT_TRUE(close(d, expected, {1e-12, 0}));
}

/// 17 different transitions have 2^17 contents, which is too many, and 16 are not.
TEST(WfsmDerivatives, ManyDifferentTransitions) {
  Parts chain{18, {}, std::vector<double>(18, -HUGE_VAL), std::vector<double>(18, -HUGE_VAL)};
  chain.start[0] = chain.final[17] = 0.0;
  std::vector<int> all;
  for (int i = 0; i < 17; ++i) {
    chain.transitions.push_back({i, i + 1, 1, std::log(2.0)});
    all.push_back(i);
  }
  const Wfsm machine = chain.build();
  EXPECT_THROW(derivative(machine, all), InputError);
  all.pop_back();
  EXPECT_TRUE(close(derivative(machine, all), 2.0, {1e-13, 0}));  // Z is the product of the weights
}

TEST_P(Derivatives, ClosureIsTheInverse) {
  using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  Wide system = Wide::Identity(states, states);
  std::vector<int> rows;
  for (const Transition& t : parts.transitions)
    system(t.from, t.to) -= std::exp(static_cast<long double>(t.log_weight));
  for (int i = 0; i < states; ++i) rows.push_back(i);
  const Wide inverse = system.inverse();
  const Matrix closure = closure_rows(machine, rows);
  for (int i = 0; i < states; ++i)
    for (int j = 0; j < states; ++j) {
      EXPECT_TRUE(close(closure(i, j), inverse(i, j), {1e-12, 1e-15})) << i << " " << j;
    }
  EXPECT_THROW(closure_rows(machine, {states}), InputError);
  EXPECT_THROW(closure_rows(machine, {-1}), InputError);
}

/// Lemma 1 of the paper: dW*_jk / dw_t = W*_ji W*_lk for t = (i -> l).
TEST_P(Derivatives, ClosureOfMovedWeights) {
  std::vector<int> rows;
  for (int i = 0; i < states; ++i) rows.push_back(i);
  const Matrix closure = closure_rows(machine, rows);
  for (const Transition& t : parts.transitions) {
    if (t.log_weight == -HUGE_VAL) continue;
    const double w = std::exp(t.log_weight), h = 1e-5 * w;
    const auto moved = [&](double x) {
      Parts other = parts;
      other.transitions[&t - parts.transitions.data()].log_weight = std::log(w + x);
      return closure_rows(other.build(), rows);
    };
    const Matrix expected = (moved(h) - moved(-h)) / (2 * h);
    const Matrix lemma = closure.col(t.from) * closure.row(t.to);
    EXPECT_LT((lemma - expected).cwiseAbs().maxCoeff(), 1e-7 * std::max(1.0, expected.cwiseAbs().maxCoeff()));
  }
}

TEST(WfsmDerivatives, BeyondTheRangeOfDoubles) {
  // Z = e^2000: no double, but a logarithm.
  const Wfsm large = Parts{2, {{0, 1, 1, 900.0}}, {600.0, -HUGE_VAL}, {-HUGE_VAL, 500.0}}.build();
  EXPECT_DOUBLE_EQ(large.log_partition(), 2000.0);
  EXPECT_DOUBLE_EQ(log_derivative(large, {0}), 1100.0);
  EXPECT_EQ(log_derivative(large, {0, 0}), -HUGE_VAL);
  EXPECT_THROW(derivative(large, {0}), InputError);
  EXPECT_THROW(gradient(large), InputError);
  EXPECT_EQ(large.transition_marginals()(0), 1.0);
  // A tiny weight with an ordinary derivative.
  const Wfsm small = Parts{2, {{0, 1, 1, 0.0}, {0, 1, 2, -1e4}}, {0.0, -HUGE_VAL}, {-HUGE_VAL, 0.0}}.build();
  EXPECT_DOUBLE_EQ(gradient(small).transitions(1), 1.0);
}

TEST(WfsmDerivatives, RefusesWhatDoesNotFit) {
  Random random(7);
  const Wfsm machine = random_cyclic(10, 1000, 2, 1.0, 0.9, random).build();
  EXPECT_THROW(derivatives(machine, 4), InputError);
  EXPECT_THROW(hessian(machine, 1e6), InputError);
  try {
    hessian(machine, 1e6);
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "[hessian] needs 8e+06 bytes, more than the limit of 1e+06");
  }
  EXPECT_EQ(hessian(machine).rows(), 1000);
  EXPECT_EQ(hessian_rows(machine, 1000, 0).rows(), 0);
  EXPECT_THROW(hessian_rows(machine, 999, 2), InputError);
  EXPECT_THROW(hessian_rows(machine, -1, 1), InputError);
}

/// Transitions in any order, several between the same states: rows are shared and spread, never mixed up.
TEST(WfsmDerivatives, HessianOfParallelTransitions) {
  Random random(8);
  const int n = 4, symbols = 3;
  for (const bool symbol_fastest : {true, false}) {
    Parts parts{n, {}, {0, -1, -2, -HUGE_VAL}, {-HUGE_VAL, 0, 1, -1}};
    for (int k = 0; k < n * n * symbols; ++k) {
      const int pair = symbol_fastest ? k / symbols : k % (n * n);
      parts.transitions.push_back({pair / n, pair % n, 1 + (symbol_fastest ? k % symbols : k / (n * n)),
                                   -3.5 + std::normal_distribution<double>(0, 0.5)(random)});
    }
    const Wfsm machine = parts.build();
    const Matrix h = hessian(machine);
    for (int a = 0; a < h.rows(); ++a)
      for (int b = 0; b < h.cols(); ++b) {
        EXPECT_TRUE(close(h(a, b), derivative(machine, {a, b}), {1e-13, 1e-300}));
      }
    EXPECT_EQ(hessian_rows(machine, 5, 7), h.middleRows(5, 7));
  }
}

/// Stopped while it solves, and while it writes.
TEST(WfsmDerivatives, Stop) {
  Random random(9);
  const Wfsm machine = random_cyclic(4, 12, 2, 1.0, 0.8, random).build();
  for (const int allowed : {1, 8}) {
    int asked = 0;
    const Stop stop = [&] { return ++asked == allowed; };
    EXPECT_THROW(hessian(machine, kMaxBytes, stop), Stopped);
    EXPECT_EQ(asked, allowed);
    asked = 0;
    EXPECT_THROW(derivatives(machine, 3, kMaxBytes, stop), Stopped);
    EXPECT_EQ(asked, allowed);
  }
  EXPECT_EQ(hessian(machine, kMaxBytes, [] { return false; }), hessian(machine));
}

}  // namespace
}  // namespace kirchhoff
