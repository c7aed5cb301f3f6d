// Conditioning by require and forbid: the same distribution as from masked scores, and Infeasible when nothing is left.
#include "kirchhoff/tree.hpp"

#include "support/compare.hpp"
#include "support/graphs.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

namespace kirchhoff {
namespace {

using graphs::kInf;

Matrix only(Matrix scores, Arc arc) {
  for (int i = 0; i < scores.rows(); ++i)
    if (i != arc.head) scores(i, arc.dependent) = -kInf;
  return scores;
}

Matrix without(Matrix scores, Arc arc) {
  scores(arc.head, arc.dependent) = -kInf;
  return scores;
}

/// `conditioned` () must be the distribution over the trees of `scores`, or throw Infeasible when there are none.
template <class F>
void expect_conditioned(const F& conditioned, const Matrix& scores, Root root, Method method) {
  const oracle::Forest expected(scores, root);
  if (expected.count() == 0) {
    EXPECT_THROW(conditioned(), Infeasible);
    return;
  }
  const TreeDistribution p = conditioned();
  EXPECT_TRUE(close(p.log_partition(), expected.log_partition(), {1e-14, 1e-14}));
  expect_arcs(p.marginals(), oracle::marginals(expected), mild(method), "marginals");
  EXPECT_TRUE(close(p.log_count(), std::log(static_cast<long double>(expected.count())), {1e-14, 1e-14}));
}

TEST(Constraints, RequireAndForbidEveryArc) {
  graphs::Random random(31);
  for (Root root : graphs::kRoots)
    for (Method method : graphs::kMethods)
      for (int n = 1; n <= 4; ++n)
        for (double density : {1.0, 0.4}) {
          const Matrix scores = graphs::masked_feasible(graphs::normal(n, 1, random), density, random);
          const TreeDistribution p(scores, root, graphs::forced(method));
          for (int i = 0; i <= n; ++i)
            for (int j = 1; j <= n; ++j) {
              if (i == j) continue;
              SCOPED_TRACE(testing::Message() << graphs::name(root) << ", arc " << i << "->" << j << "\n" << scores);
              const Arc arc{i, j};
              expect_conditioned([&] { return p.require(arc); }, only(scores, arc), root, method);
              expect_conditioned([&] { return p.forbid(arc); }, without(scores, arc), root, method);
            }
        }
}

TEST(Constraints, AddUp) {
  graphs::Random random(32);
  const Matrix scores = graphs::normal(4, 1, random);
  for (Root root : graphs::kRoots) {
    const TreeDistribution p = TreeDistribution(scores, root).require({2, 3}).forbid({0, 1}).require({3, 4});
    const oracle::Forest expected(without(only(only(scores, {2, 3}), {3, 4}), {0, 1}), root);
    expect_arcs(p.marginals(), oracle::marginals(expected), mild(Method::automatic), "marginals");
  }
}

TEST(Constraints, LeaveTheOriginalAlone) {
  graphs::Random random(33);
  const TreeDistribution p(graphs::normal(4, 1, random), Root::single);
  const Matrix before = p.marginals();
  p.require({1, 2});
  p.forbid({1, 3});
  EXPECT_EQ(before, Matrix(p.marginals()));
}

TEST(Constraints, ContradictionsAreInfeasible) {
  const TreeDistribution p(Matrix::Zero(4, 4), Root::single);
  EXPECT_THROW(p.require({1, 2}).require({3, 2}), Infeasible);
  EXPECT_THROW(p.require({1, 2}).require({2, 1}), Infeasible);  // a cycle
  EXPECT_THROW(p.require({0, 1}).require({0, 2}), Infeasible);  // a second root child
  EXPECT_NO_THROW(TreeDistribution(Matrix::Zero(4, 4), Root::multi).require({0, 1}).require({0, 2}));
}

TEST(Constraints, RefuseWhatIsNoArc) {
  const TreeDistribution p(Matrix::Zero(4, 4), Root::multi);
  for (Arc arc : {Arc{1, 1}, Arc{1, 0}, Arc{0, 0}, Arc{4, 1}, Arc{1, 4}, Arc{-1, 2}, Arc{2, -1}}) {
    EXPECT_THROW(p.require(arc), InputError) << arc.head << "->" << arc.dependent;
    EXPECT_THROW(p.forbid(arc), InputError) << arc.head << "->" << arc.dependent;
    EXPECT_THROW(p.pair_marginal(arc, {0, 1}), InputError) << arc.head << "->" << arc.dependent;
    EXPECT_THROW(p.pair_marginal({0, 1}, arc), InputError) << arc.head << "->" << arc.dependent;
  }
}

}  // namespace
}  // namespace kirchhoff
