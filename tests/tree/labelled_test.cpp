// LabelledTreeDistribution agrees with the list of all labelled trees.
#include "kirchhoff/tree.hpp"

#include "support/compare.hpp"
#include "support/graphs.hpp"
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace kirchhoff {
namespace {

using graphs::kInf;

void for_each_case(const std::function<void(const LabelledMatrix&, Root, Method)>& body) {
  graphs::Random random(61);
  for (int n = 1; n <= 4; ++n)
    for (int labels = 1; labels <= 3; ++labels)
      for (double density : {1.0, 0.4}) {
        const LabelledMatrix scores = graphs::masked_feasible(graphs::normal(n, labels, 1.5, random), density, random);
        for (Root root : graphs::kRoots)
          for (Method method : graphs::kMethods) {
            SCOPED_TRACE(testing::Message() << graphs::name(root) << ", " << graphs::name(method) << ", n = " << n
                                            << ", " << labels << " labels, density " << density);
            body(scores, root, method);
          }
      }
}

TEST(Labelled, LogPartitionMarginalsAndCount) {
  for_each_case([](const LabelledMatrix& scores, Root root, Method method) {
    const oracle::Forest expected(scores, root);
    const LabelledTreeDistribution p(scores, root, graphs::forced(method));
    EXPECT_EQ(p.words(), scores.words());
    EXPECT_EQ(p.labels(), scores.labels());
    EXPECT_EQ(p.root(), root);
    EXPECT_TRUE(close(p.log_partition(), expected.log_partition(), {1e-14, 1e-14}));
    expect_arcs(p.marginals(), oracle::marginals(expected), mild(method), "marginals");
    EXPECT_TRUE(close(p.log_count(), std::log(static_cast<long double>(expected.count())), {1e-14, 1e-14}));
    if (method == Method::fast) return;  // may give 1e-17 where p is 0 by structure, and its logarithm is -39
    const Tolerance t = {1e-15, mild(method).relative};
    expect_arcs(p.log_marginals(), oracle::log_marginals(expected), t, "log_marginals", -kInf);
  });
}

TEST(Labelled, LogProbOfEveryTree) {
  for_each_case([](const LabelledMatrix& scores, Root root, Method method) {
    if (scores.words() > 3) return;
    const LabelledTreeDistribution p(scores, root, graphs::forced(method));
    const oracle::Forest expected(scores, root);
    for (const oracle::Tree& tree : expected.trees())
      EXPECT_TRUE(close(p.log_prob(tree.heads, tree.labels), tree.log_prob, {1e-14, 1e-14}));
  });
}

TEST(Labelled, PairMarginals) {
  for_each_case([](const LabelledMatrix& scores, Root root, Method method) {
    const int n = scores.words(), labels = scores.labels();
    if (n > 3) return;
    const oracle::Forest expected(scores, root);
    const oracle::ArcArray places(n, labels);
    const LabelledTreeDistribution p(scores, root, graphs::forced(method));
    const auto for_each_arc = [&](const auto& visit) {
      for (int d = 1; d <= n; ++d)
        for (int h = 0; h <= n; ++h)
          for (int y = 0; y < labels && h != d; ++y) visit(Arc{h, d}, y, places.index(h, d, y));
    };
    for_each_arc([&](Arc a, int y, std::size_t i) {
      for_each_arc([&](Arc b, int z, std::size_t k) {
        EXPECT_TRUE(close(p.pair_marginal(a, y, b, z), oracle::pair_marginal(expected, i, k), {1e-13, 1e-11}))
            << a.head << " -> " << a.dependent << " " << y << ", " << b.head << " -> " << b.dependent << " " << z;
      });
    });
    EXPECT_THROW(p.pair_marginal({0, 1}, labels, {0, 1}, 0), InputError);
    EXPECT_THROW(p.pair_marginal({0, 1}, 0, {0, 1}, -1), InputError);
    EXPECT_THROW(p.pair_marginal({1, 1}, 0, {0, 1}, 0), InputError);
  });
}

TEST(Labelled, MarginalsAlongADirection) {
  graphs::Random random(62);
  for_each_case([&](const LabelledMatrix& scores, Root root, Method method) {
    const LabelledMatrix direction = graphs::normal(scores.words(), scores.labels(), 1, random);
    const auto expected = oracle::covariance_with_arcs(oracle::Forest(scores, root), oracle::ArcArray(direction));
    const LabelledTreeDistribution p(scores, root, graphs::forced(method));
    expect_arcs(p.marginals_along(direction), expected, {0, method == Method::robust ? 1e-12 : 1e-11}, "along");
  });
}

TEST(Labelled, TemperatureDividesEveryLabelsScore) {
  for_each_case([](const LabelledMatrix& scores, Root root, Method method) {
    LabelledMatrix cooler = scores;
    for (double* x = cooler.data(); x != cooler.data() + cooler.size(); ++x) *x /= 0.7;
    const oracle::Forest expected(cooler, root);
    const auto p = LabelledTreeDistribution(scores, root, graphs::forced(method)).with_temperature(0.7);
    EXPECT_TRUE(close(p.log_partition(), expected.log_partition(), {1e-14, 1e-14}));
    expect_arcs(p.marginals(), oracle::marginals(expected), mild(method), "marginals");
  });
}

TEST(Labelled, OtherScores) {
  graphs::Random random(63);
  for_each_case([&](const LabelledMatrix& scores, Root root, Method method) {
    const LabelledMatrix other = graphs::normal(scores.words(), scores.labels(), 1, random);
    const auto p = LabelledTreeDistribution(scores, root, graphs::forced(method)).with_scores(other);
    EXPECT_EQ(p.tree().accuracy().method, method);
    expect_arcs(p.marginals(), oracle::marginals(oracle::Forest(other, root)), mild(method), "marginals");
  });
}

LabelledMatrix only(LabelledMatrix scores, Arc arc, int label) {
  for (int i = 0; i <= scores.words(); ++i)
    for (int y = 0; y < scores.labels(); ++y)
      if (i != arc.head || y != label) scores(i, arc.dependent, y) = -kInf;
  return scores;
}

LabelledMatrix without(LabelledMatrix scores, Arc arc, int label) {
  scores(arc.head, arc.dependent, label) = -kInf;
  return scores;
}

template <class F>
void expect_conditioned(const F& conditioned, const LabelledMatrix& scores, Root root, Method method) {
  const oracle::Forest expected(scores, root);
  if (expected.count() == 0) {
    EXPECT_THROW(conditioned(), Infeasible);
    return;
  }
  const LabelledTreeDistribution p = conditioned();
  EXPECT_TRUE(close(p.log_partition(), expected.log_partition(), {1e-14, 1e-14}));
  expect_arcs(p.marginals(), oracle::marginals(expected), mild(method), "marginals");
}

TEST(Labelled, RequireAndForbidEveryLabelledArc) {
  for_each_case([](const LabelledMatrix& scores, Root root, Method method) {
    if (scores.words() > 3) return;
    const LabelledTreeDistribution p(scores, root, graphs::forced(method));
    for (int i = 0; i <= p.words(); ++i)
      for (int j = 1; j <= p.words(); ++j)
        for (int y = 0; y < p.labels() && i != j; ++y) {
          const Arc arc{i, j};
          expect_conditioned([&] { return p.require(arc, y); }, only(scores, arc, y), root, method);
          expect_conditioned([&] { return p.forbid(arc, y); }, without(scores, arc, y), root, method);
        }
  });
}

TEST(Labelled, WrongInput) {
  LabelledMatrix scores(2, 2);
  const LabelledTreeDistribution p(scores, Root::single);
  EXPECT_THROW(p.log_prob({-1, 2, 0}, {0, 1}), InputError);      // a label too few
  EXPECT_THROW(p.log_prob({-1, 2, 0}, {0, 1, 2}), InputError);   // no such label
  EXPECT_THROW(p.log_prob({-1, 2, 0}, {0, -1, 0}), InputError);  // no such label
  EXPECT_THROW(p.log_prob({-1, 2, 1}, {0, 0, 0}), InputError);   // a cycle
  EXPECT_NO_THROW(p.log_prob({-1, 2, 0}, {-7, 1, 0}));           // labels[0] is ignored
  EXPECT_THROW(p.require({1, 2}, 2), InputError);
  EXPECT_THROW(p.forbid({1, 1}, 0), InputError);
  EXPECT_THROW(p.marginals_along(LabelledMatrix(2, 3)), InputError);
  EXPECT_THROW(p.marginals_along(LabelledMatrix(3, 2)), InputError);
  EXPECT_THROW(p.with_scores(LabelledMatrix(2, 3)), InputError);
  EXPECT_THROW(p.with_scores(LabelledMatrix(3, 2)), InputError);
  for (const double bad : {0.0, -1.0, kInf, std::nan("")}) EXPECT_THROW(p.with_temperature(bad), InputError) << bad;
  LabelledMatrix direction(2, 2);
  direction(1, 2, 1) = kInf;
  EXPECT_THROW(p.marginals_along(direction), InputError);
  EXPECT_THROW(LabelledTreeDistribution(LabelledMatrix(), Root::multi), InputError);
  for (double bad : {std::nan(""), kInf, 1e101}) {
    scores(1, 2, 1) = bad;
    EXPECT_THROW(LabelledTreeDistribution(scores, Root::multi), InputError) << bad;
  }
}

TEST(Labelled, ColumnZeroAndDiagonalAreIgnored) {
  graphs::Random random(64);
  const LabelledMatrix scores = graphs::normal(3, 2, 1, random);
  LabelledMatrix spoilt = scores;
  for (int i = 0; i <= 3; ++i)
    for (int y = 0; y < 2; ++y) spoilt(i, 0, y) = kInf, spoilt(i, i, y) = std::nan("");
  for (Root root : graphs::kRoots) {
    const LabelledTreeDistribution p(scores, root), q(spoilt, root);
    EXPECT_EQ(p.log_partition(), q.log_partition());
    EXPECT_EQ(p.log_count(), q.log_count());
    for (std::size_t k = 0; k < p.marginals().size(); ++k) EXPECT_EQ(p.marginals().data()[k], q.marginals().data()[k]);
  }
}

}  // namespace
}  // namespace kirchhoff
