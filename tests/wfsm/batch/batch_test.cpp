// Batches of machines against the machines one by one, third derivatives against differences.
#include "kirchhoff/wfsm_batch.hpp"
#include "kirchhoff/wfsm_expectation.hpp"
#include "support/compare.hpp"
#include "support/message_of.hpp"
#include "wfsm/oracle.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff {
namespace {

using namespace wfsm_oracle;

constexpr int kMachines = 11;  // one block of lanes, and a part of one

Matrix random_weights(const Parts& parts, double spread, double mean, Random& random) {
  Matrix w(kMachines, static_cast<Eigen::Index>(parts.places()));
  for (double& x : w.reshaped()) x = mean + std::normal_distribution<double>(0, spread)(random);
  return w;
}

/// The machine of a row: what the skeleton forbids is forbidden.
Wfsm machine_at(const Parts& skeleton, const Matrix& weights, int row) {
  Parts parts = skeleton;
  Eigen::Index place = 0;
  const auto set = [&](double& x) {
    if (x != -HUGE_VAL) x = weights(row, place);
    ++place;
  };
  for (Transition& t : parts.transitions) set(t.log_weight);
  for (double& x : parts.start) set(x);
  for (double& x : parts.final) set(x);
  return parts.build();
}

void expect_row(const Matrix& found, int row, const WfsmWeights& expected, Tolerance tolerance) {
  const std::vector<double> all = flat(expected);
  for (std::size_t k = 0; k < all.size(); ++k) EXPECT_TRUE(close(found(row, k), all[k], tolerance)) << row << " " << k;
}

void expect_as_one_by_one(const Parts& skeleton, const Matrix& weights, const Matrix& other, Random& random) {
  const Wfsm machine = skeleton.build();
  const WfsmBatch batch(machine, weights), q(machine, other);
  const Matrix directions = random_weights(skeleton, 1.0, 0.0, random);
  const Matrix counts = batch.counts(), along = batch.counts_along(directions);
  const Vector entropy_of = entropies(batch), kl_of = divergences(batch, q), renyi_of = renyi_entropies(batch, 2.0);
  const Matrix renyi_slopes = renyi_gradients(batch, 2.0);
  for (int i = 0; i < kMachines; ++i) {
    const Wfsm one = machine_at(skeleton, weights, i), two = machine_at(skeleton, other, i);
    EXPECT_TRUE(close(batch.log_partition()(i), one.log_partition(), {1e-13, 1e-13})) << i;
    EXPECT_TRUE(close(entropy_of(i), entropy(one), {1e-11, 1e-14})) << i;
    EXPECT_TRUE(close(kl_of(i), kl(one, two), {1e-11, 1e-14})) << i;
    expect_row(counts, i, one.counts(), {1e-11, 1e-300});
    EXPECT_TRUE(close(renyi_of(i), renyi(one, 2.0), {1e-12, 1e-14})) << i;
    expect_row(renyi_slopes, i, renyi_gradient(one, 2.0), {1e-11, 1e-13});
    const std::vector<double> v(directions.row(i).begin(), directions.row(i).end());
    expect_row(along, i, counts_along(one, weights_of(skeleton, v)), {1e-9, 1e-12});
  }
}

class WfsmBatches : public ::testing::TestWithParam<int> {
 protected:
  Random random{static_cast<std::uint64_t>(GetParam())};
};

TEST_P(WfsmBatches, AreTheMachinesOneByOne) {
  const Parts acyclic = random_acyclic(6, 14, 2, 1.0, random);
  expect_as_one_by_one(acyclic, random_weights(acyclic, 1.0, 0.0, random), random_weights(acyclic, 1.0, 0.0, random),
                       random);
  expect_as_one_by_one(acyclic, random_weights(acyclic, 300.0, 0.0, random),
                       random_weights(acyclic, 300.0, 0.0, random), random);
  const Parts cyclic = random_cyclic(4, 10, 2, 1.0, 0.5, random);
  expect_as_one_by_one(cyclic, random_weights(cyclic, 0.2, -3.0, random), random_weights(cyclic, 0.2, -3.0, random),
                       random);
}

/// Third derivatives are differences of second ones, with weights moved by a step along s.
TEST_P(WfsmBatches, ThirdDerivatives) {
  for (const Parts& skeleton : {random_acyclic(6, 14, 2, 1.0, random), random_cyclic(4, 10, 2, 1.0, 0.5, random)}) {
    const Wfsm machine = skeleton.build();
    const Matrix w = random_weights(skeleton, 0.2, -3.0, random), r = random_weights(skeleton, 1.0, 0.0, random),
                 s = random_weights(skeleton, 1.0, 0.0, random);
    const double h = 1e-4;
    const Matrix third = WfsmBatch(machine, w).third_along(r, s);
    const Matrix moved =
        (WfsmBatch(machine, w + h * s).counts_along(r) - WfsmBatch(machine, w - h * s).counts_along(r)) / (2 * h);
    EXPECT_LT((third - moved).cwiseAbs().maxCoeff(), 1e-7 * std::max(1.0, moved.cwiseAbs().maxCoeff()));
    EXPECT_GT(moved.cwiseAbs().maxCoeff(), 1e-6);
    EXPECT_LT((third - WfsmBatch(machine, w).third_along(s, r)).cwiseAbs().maxCoeff(), 1e-12);
  }
}

/// Sums near infinity, where doubles lose their digits, beside ordinary ones; and weights of any size in cycles.
TEST_P(WfsmBatches, HardMachinesAreSolvedOneByOne) {
  const Parts cyclic = random_cyclic(5, 14, 2, 1.0, 0.5, random);
  Matrix w = random_weights(cyclic, 0.5, -3.0, random), other = random_weights(cyclic, 0.5, -3.0, random);
  for (int i = 0; i < kMachines; i += 2) {
    std::vector<double> sums(5, 0.0);
    for (std::size_t t = 0; t < cyclic.transitions.size(); ++t) sums[cyclic.transitions[t].from] += std::exp(w(i, t));
    const double largest = *std::max_element(sums.begin(), sums.end());
    for (std::size_t t = 0; t < cyclic.transitions.size(); ++t) w(i, t) += std::log((1 - 1e-9) / largest);
  }
  expect_as_one_by_one(cyclic, w, other, random);
  Matrix wide = random_weights(cyclic, 100.0, -400.0, random);
  expect_as_one_by_one(cyclic, wide, wide, random);
}

/// A cycle with an exit of 1e-13: the elimination in lanes has no digits left, and the machine alone has all.
TEST(WfsmBatch, NearInfinity) {
  const Parts ring{3,
                   {{0, 1, 1, -1.0}, {1, 2, 1, -1.0}, {2, 0, 1, -1.0}, {0, 0, 1, -1.0}},
                   {0.0, -HUGE_VAL, -HUGE_VAL},
                   {0.0, -HUGE_VAL, -HUGE_VAL}};
  Matrix w = Matrix::Zero(9, 10);
  for (int i = 0; i < 9; ++i) w.row(i).head(4) << 0.0, 0.0, std::log(0.5), std::log(0.5 - std::pow(10.0, -5 - i));
  const WfsmBatch batch(ring.build(), w);
  const Matrix counts = batch.counts();
  for (int i = 0; i < 9; ++i) {
    const Wfsm one = machine_at(ring, w, i);
    EXPECT_TRUE(close(batch.log_partition()(i), one.log_partition(), {1e-11, 0})) << i;
    expect_row(counts, i, one.counts(), {1e-10, 0});
  }
}

/// A loop of weight 2 that a mask cuts off: it makes no sum infinite, nor a trajectory possible.
TEST(WfsmBatch, DivergentLoopsThatNothingReaches) {
  const Parts parts{3,
                    {{0, 1, 1, -1.0}, {1, 1, 1, -1.0}, {1, 2, 1, 0.0}, {0, 2, 1, 0.0}},
                    {0.0, -HUGE_VAL, -HUGE_VAL},
                    {-HUGE_VAL, -HUGE_VAL, 0.0}};
  Matrix w = Matrix::Zero(3, 10);
  w.col(1).setConstant(std::log(2.0));
  w(0, 0) = w(1, 0) = w(1, 3) = -HUGE_VAL;
  w(2, 1) = std::log(0.5);
  const WfsmBatch batch(parts.build(), w);
  EXPECT_EQ(batch.log_partition()(0), 0.0);
  EXPECT_EQ(batch.log_partition()(1), -HUGE_VAL);
  EXPECT_TRUE(close(batch.log_partition()(2), std::log(3.0L), {1e-14, 0}));
  EXPECT_EQ(batch.counts().row(1), Matrix::Zero(1, 10));
  EXPECT_EQ(batch.counts()(0, 3), 1.0);
  EXPECT_EQ(batch.counts_along(Matrix::Ones(3, 10)).topRows(2), Matrix::Zero(2, 10));
}

/// Components beyond what lanes take.
TEST(WfsmBatch, LargeComponents) {
  Random random(4);
  const Parts large = random_cyclic(150, 450, 2, 1.0, 0.5, random);
  expect_as_one_by_one(large, random_weights(large, 0.2, -3.0, random), random_weights(large, 0.2, -3.0, random),
                       random);
}

INSTANTIATE_TEST_SUITE_P(Machines, WfsmBatches, ::testing::Range(1, 11));

/// 0 -> 1 -> 2 with two transitions at each step and one that leaves out state 1.
Parts ladder() {
  return {3,
          {{0, 1, 1, 0.0}, {0, 1, 2, 0.0}, {1, 2, 1, 0.0}, {1, 2, 2, 0.0}, {0, 2, 3, 0.0}},
          {0.0, -HUGE_VAL, -HUGE_VAL},
          {-HUGE_VAL, -HUGE_VAL, 0.0}};
}

TEST(WfsmBatch, MasksAndMachinesWithoutTrajectories) {
  Matrix w = Matrix::Zero(3, 11);
  w(0, 2) = w(0, 3) = -HUGE_VAL;  // state 1 leads nowhere
  w(1, 0) = w(1, 1) = w(1, 4) = -HUGE_VAL;
  const WfsmBatch batch(ladder().build(), w);
  EXPECT_EQ(batch.log_partition()(0), 0.0);
  EXPECT_EQ(batch.log_partition()(1), -HUGE_VAL);
  EXPECT_TRUE(close(batch.log_partition()(2), std::log(5.0L), {1e-15, 0}));
  const Matrix counts = batch.counts();
  EXPECT_EQ(counts.row(1), Matrix::Zero(1, 11));
  EXPECT_EQ(counts.row(0), (Matrix(1, 11) << 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1).finished());
  EXPECT_EQ(entropies(batch)(0), 0.0);
  EXPECT_EQ(entropies(batch)(1), 0.0);
  EXPECT_EQ(batch.counts_along(Matrix::Ones(3, 11)).topRows(2), Matrix::Zero(2, 11));
  const WfsmBatch free(ladder().build(), Matrix::Zero(3, 11));
  const Vector from = divergences(free, batch), to = divergences(batch, free);
  EXPECT_EQ(from(0), HUGE_VAL);
  EXPECT_EQ(from(1), HUGE_VAL);
  EXPECT_EQ(from(2), 0.0);
  EXPECT_TRUE(close(to(0), std::log(5.0L), {1e-14, 0}));
}

/// Weights of e^+-1e8 beside those of 1: the batch is as exact as the machine.
TEST(WfsmBatch, HugeWeights) {
  Matrix w = Matrix::Zero(1, 11);
  w.row(0).head(5) << 1e8, 1e8 - 1, -1e8, -1e8 + 2, 0.5;
  const WfsmBatch batch(ladder().build(), w);
  const Wfsm one = machine_at(ladder(), w, 0);
  EXPECT_TRUE(close(batch.log_partition()(0), one.log_partition(), {1e-14, 0}));
  expect_row(batch.counts(), 0, one.counts(), {1e-12, 0});
}

/// Weights of transitions alone: the others are the skeleton's, and directions are 0 there.
TEST(WfsmBatch, TransitionsAlone) {
  Random random(6);
  for (const Parts& parts : {random_acyclic(6, 14, 2, 1.0, random), random_cyclic(5, 14, 2, 1.0, 0.5, random),
                             random_cyclic(150, 450, 2, 1.0, 0.5, random)}) {
    const auto arcs = static_cast<Eigen::Index>(parts.transitions.size());
    const Wfsm machine = parts.build();
    Matrix all = random_weights(parts, 0.2, -3.0, random), r = random_weights(parts, 1.0, 0.0, random);
    r.rightCols(r.cols() - arcs).setZero();
    for (int i = 0; i < kMachines; ++i) {
      for (int s = 0; s < parts.states; ++s) {
        all(i, arcs + s) = parts.start[s];
        all(i, arcs + parts.states + s) = parts.final[s];
      }
    }
    const WfsmBatch whole(machine, all), part(machine, all.leftCols(arcs));
    EXPECT_EQ(part.log_partition(), whole.log_partition());
    EXPECT_EQ(part.counts(), whole.counts().leftCols(arcs));
    EXPECT_EQ(part.counts_along(r.leftCols(arcs)), whole.counts_along(r).leftCols(arcs));
    EXPECT_EQ(part.third_along(r.leftCols(arcs), r.leftCols(arcs)), whole.third_along(r, r).leftCols(arcs));
    EXPECT_EQ(entropies(part), entropies(whole));
    EXPECT_EQ(divergences(part, whole), divergences(whole, whole));
  }
}

TEST(WfsmBatch, ThreadsAndNeighboursDoNotMatter) {
  Random random(3);
  const Parts parts = random_acyclic(8, 20, 2, 1.0, random);
  const Matrix w = random_weights(parts, 2.0, 0.0, random);
  const Matrix counts = WfsmBatch(parts.build(), w, 1).counts();
  EXPECT_EQ(WfsmBatch(parts.build(), w, 4).counts(), counts);
  for (int i = 0; i < kMachines; ++i) EXPECT_EQ(WfsmBatch(parts.build(), w.row(i)).counts(), counts.row(i));
  EXPECT_EQ(WfsmBatch(parts.build(), w.topRows(0)).counts().rows(), 0);
}

TEST(WfsmBatch, Refuses) {
  const Wfsm machine = ladder().build();
  Matrix w = Matrix::Zero(2, 11);
  EXPECT_EQ(message_of<InputError>([&] { WfsmBatch(machine, Matrix::Zero(2, 6)); }),
            "[WfsmBatch] 6 columns, expected 5 for the transitions, or 11 with start and final weights");
  EXPECT_THROW(WfsmBatch(machine, w).counts_along(Matrix::Zero(1, 11)), InputError);
  EXPECT_THROW(WfsmBatch(machine, w).counts_along(Matrix::Constant(2, 11, HUGE_VAL)), InputError);
  EXPECT_THROW(divergences(WfsmBatch(machine, w), WfsmBatch(machine, w.topRows(1))), InputError);
  w(1, 3) = HUGE_VAL;
  EXPECT_EQ(message_of<InputError>([&] { WfsmBatch(machine, w); }),
            "[WfsmBatch] machine 1: the log-weight of place 3 is not a number, +inf or beyond 1e9 in size");
  const Wfsm loop = Parts{1, {{0, 0, 1, -1.0}}, {0.0}, {0.0}}.build();
  Matrix one = Matrix::Zero(2, 3);
  one(0, 0) = -1.0;
  const std::string message = message_of<InfiniteSum>([&] { WfsmBatch(loop, one); });
  EXPECT_EQ(message, "machine 1: [Wfsm] Z is infinite: the cycle 0 -> 0 has weight 1");
}

}  // namespace
}  // namespace kirchhoff
