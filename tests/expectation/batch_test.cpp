// Functions of batches equal their sums over all trees, and what the functions of one graph or pair give.
#include "kirchhoff/expectation.hpp"

#include "support/compare.hpp"
#include "support/graphs.hpp"
#include "support/oracle.hpp"
#include "tree/batches.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kirchhoff {
namespace {

using batches::batch_of;
using graphs::kInf;

// Pairs of graphs of 1 to `words` words; q allows what p allows.
struct Pairs {
  std::vector<Matrix> p, q;
  Pairs(int words, double spread, double density, graphs::Random& random) {
    for (int n = 1; n <= words; ++n) {
      for (int k = 0; k < 3; ++k) {
        p.push_back(graphs::masked_feasible(graphs::normal(n, spread, random), density, random));
        q.push_back(graphs::normal(n, spread, random));
      }
    }
  }
};

TEST(PairsOfBatches, ValuesAreSumsOverAllTrees) {
  graphs::Random random(160);
  for (const double density : {1.0, 0.6}) {
    const Pairs pairs(5, 2.0, density, random);
    const TreeBatch p(batch_of(pairs.p), Root::multi), q(batch_of(pairs.q), Root::multi);
    const std::vector<double> crosses = cross_entropies(p, q), kls = divergences(p, q);
    for (std::size_t k = 0; k < pairs.p.size(); ++k) {
      const oracle::Forest fp(pairs.p[k], Root::multi), fq(pairs.q[k], Root::multi);
      EXPECT_NEAR(crosses[k], oracle::cross_entropy(fp, fq), 1e-12) << k;
      EXPECT_NEAR(kls[k], oracle::kl(fp, fq), 1e-12) << k;
    }
  }
}

double size_of(const Matrix& p, const Matrix& q) {
  const auto largest = [](const Matrix& m) {
    return m.unaryExpr([](double x) { return x == -kInf ? 0.0 : std::abs(x); }).maxCoeff();
  };
  return 1 + largest(p) + largest(q);
}

// Compares with one pair after the other; gradients are right relative to the marginal times the size of the scores.
void expect_as_one_by_one(const TreeBatch& p, const TreeBatch& q, const Pairs& pairs) {
  std::vector<double> of_p(p.array_size()), of_q(q.array_size());
  const std::vector<double> kls = divergences(p, q, {of_p, of_q});
  EXPECT_EQ(kls, divergences(p, q));
  for (std::size_t k = 0; k < pairs.p.size(); ++k) {
    const TreeDistribution a(pairs.p[k], p.root(), graphs::forced(Method::robust)), b(pairs.q[k], p.root());
    const double size = size_of(pairs.p[k], pairs.q[k]);
    EXPECT_NEAR(kls[k], kl(a, b), 1e-14 * size * a.words()) << k;
    const PairGradient<TreeDistribution> expected = kl_gradient(a, b);
    for (int head = 0; head <= a.words(); ++head) {
      for (int dependent = 0; dependent <= a.words(); ++dependent) {
        const std::size_t at = head * p.row_length(k) + dependent;
        const double marginal = a.marginals()(head, dependent);
        ASSERT_NEAR(p.part(of_p, k)[at], expected.p(head, dependent), 1e-12 * size * marginal + 1e-300) << k;
        ASSERT_NEAR(q.part(of_q, k)[at], expected.q(head, dependent), 1e-11) << k;
      }
    }
  }
}

TEST(PairsOfBatches, AreAsOnePairAfterTheOther) {
  graphs::Random random(161);
  for (const double spread : {1.0, 10.0}) {
    for (const double density : {1.0, 0.5}) {
      Pairs pairs(52, spread, density, random);
      for (const int n : {64, 65, 80}) {  // the longest of the lanes, and those that are solved alone
        pairs.p.push_back(graphs::masked_feasible(graphs::normal(n, spread, random), density, random));
        pairs.q.push_back(graphs::normal(n, spread, random));
      }
      for (std::size_t k = 0; k < pairs.p.size(); k += 7) {  // scores so large that log Z has no digits to spare
        pairs.p[k].array() += 1e6;
        pairs.q[k].array() -= 2e6;
      }
      for (const int padded : {0, 82}) {
        const BatchOptions options{.padded_words = padded};
        expect_as_one_by_one({batch_of(pairs.p), Root::multi, options}, {batch_of(pairs.q), Root::multi, options},
                             pairs);
      }
    }
  }
}

TEST(PairsOfBatches, BitsDependOnNothingElse) {
  graphs::Random random(164);
  const Pairs mild(30, 0.7, 1.0, random), peaked(30, 6.0, 0.8, random);
  std::vector<Matrix> of_p = mild.p, of_q = mild.q;
  of_p.insert(of_p.end(), peaked.p.begin(), peaked.p.end());
  of_q.insert(of_q.end(), peaked.q.begin(), peaked.q.end());
  const TreeBatch p(batch_of(of_p), Root::multi, {.threads = 1}), q(batch_of(of_q), Root::multi);
  std::vector<double> gradients(p.array_size());
  const std::vector<double> kls = divergences(p, q, {gradients, {}});
  for (std::size_t k = 0; k < of_p.size(); ++k) {
    const std::size_t other = (k + 71) % of_p.size();
    const TreeBatch a(batch_of({of_p[other], of_p[k]}), Root::multi), b(batch_of({of_q[other], of_q[k]}), Root::multi);
    std::vector<double> again(a.array_size());
    EXPECT_EQ(divergences(a, b, {again, {}})[1], kls[k]) << k;
    EXPECT_TRUE(batches::same_bits(p.part(gradients, k), a.part(again, 1).data())) << k;
  }
}

TEST(PairsOfBatches, AreInfiniteWhereATreeIsForbidden) {
  Matrix forbidding = Matrix::Zero(4, 4);
  forbidding(2, 1) = -kInf;
  const TreeBatch p(batch_of({Matrix::Zero(4, 4), Matrix::Zero(3, 3)}), Root::single);
  const TreeBatch q(batch_of({forbidding, Matrix::Zero(3, 3)}), Root::single);
  EXPECT_EQ(divergences(p, q), (std::vector<double>{kInf, 0.0}));
  EXPECT_EQ(cross_entropies(p, q)[0], kInf);
  EXPECT_GT(divergences(q, p)[0], 0.0);
  std::vector<double> gradients(p.array_size());
  EXPECT_THROW(divergences(p, q, {gradients, {}}), InputError);
}

TEST(PairsOfBatches, SayWhatDoesNotFit) {
  const TreeBatch p(batch_of({Matrix::Zero(4, 4), Matrix::Zero(3, 3)}), Root::single);
  const TreeBatch fewer(batch_of({Matrix::Zero(4, 4)}), Root::single);
  const TreeBatch other(batch_of({Matrix::Zero(3, 3), Matrix::Zero(4, 4)}), Root::single);
  const TreeBatch multi(batch_of({Matrix::Zero(4, 4), Matrix::Zero(3, 3)}), Root::multi);
  const TreeBatch none(batch_of({Matrix::Zero(4, 4), Matrix::Constant(3, 3, -kInf)}), Root::single);
  std::vector<double> small(3);
  EXPECT_THROW(divergences(p, fewer), InputError);
  EXPECT_THROW(divergences(p, other), InputError);
  EXPECT_THROW(divergences(p, multi), InputError);
  EXPECT_THROW(divergences(p, p, {small, {}}), InputError);
  EXPECT_THROW(divergences(p, none), Infeasible);
  EXPECT_THROW(cross_entropies(none, p), Infeasible);
}

TEST(MarginalsAlong, OfABatchAreThoseOfEachGraph) {
  graphs::Random random(162);
  const Pairs pairs(52, 3.0, 0.7, random);
  std::vector<GraphView> directions;
  for (const Matrix& direction : pairs.q) directions.push_back(graph_view(direction));
  for (const int padded : {0, 55}) {
    const TreeBatch batch(batch_of(pairs.p), Root::multi, {.padded_words = padded});
    std::vector<double> derivatives(batch.array_size(), kInf);
    batch.marginals_along(directions, derivatives);
    for (std::size_t k = 0; k < batch.size(); ++k) {
      const TreeDistribution p(pairs.p[k], Root::multi, graphs::forced(Method::robust));
      const Matrix expected = p.marginals_along(pairs.q[k]);
      for (int head = 0; head <= p.words(); ++head) {
        for (int dependent = 0; dependent <= p.words(); ++dependent) {
          const double found = batch.part(derivatives, k)[head * batch.row_length(k) + dependent];
          ASSERT_NEAR(found, expected(head, dependent), 1e-11 * p.marginals()(head, dependent) + 1e-300) << k;
        }
      }
    }
  }
}

TEST(MarginalsAlong, OfABatchChecksDirections) {
  const TreeBatch batch(batch_of({Matrix::Zero(4, 4), Matrix::Constant(3, 3, -kInf)}), Root::single);
  std::vector<double> derivatives(batch.array_size(), 1.0);
  const Matrix four = Matrix::Identity(4, 4), three = Matrix::Identity(3, 3), bad = Matrix::Constant(3, 3, kInf);
  batch.marginals_along(std::vector{graph_view(four), graph_view(three)}, derivatives);
  EXPECT_TRUE(batches::all_zero(batch.part(derivatives, 1)));  // no tree
  EXPECT_THROW(batch.marginals_along(std::vector{graph_view(four), graph_view(bad)}, derivatives), InputError);
  EXPECT_THROW(batch.marginals_along(std::vector{graph_view(four), graph_view(four)}, derivatives), InputError);
  EXPECT_THROW(batch.marginals_along(std::vector{graph_view(four)}, derivatives), InputError);
}

TEST(LabelledBatches, GiveWhatEachGraphGives) {
  graphs::Random random(163);
  std::vector<LabelledMatrix> p, q;
  std::vector<GraphView> of_p, of_q;
  for (const int n : {2, 4, 3}) {
    p.push_back(graphs::normal(n, 2, 1.5, random));
    q.push_back(graphs::normal(n, 2, 1.5, random));
  }
  for (const LabelledMatrix& m : p) of_p.push_back(graph_view(m));
  for (const LabelledMatrix& m : q) of_q.push_back(graph_view(m));
  const LabelledTreeBatch a(of_p, Root::single), b(of_q, Root::single);
  std::vector<double> gradient(a.array_size()), along(a.array_size());
  const std::vector<double> kls = divergences(a, b, {gradient, {}});
  a.marginals_along(of_q, along);
  for (std::size_t k = 0; k < p.size(); ++k) {
    EXPECT_EQ(kls[k], kl(a[k], b[k]));
    const LabelledMatrix expected = kl_gradient(a[k], b[k]).p, derivative = a[k].marginals_along(q[k]);
    EXPECT_TRUE(std::ranges::equal(a.part(gradient, k), std::span(expected.data(), expected.size())));
    EXPECT_TRUE(std::ranges::equal(a.part(along, k), std::span(derivative.data(), derivative.size())));
  }
}

}  // namespace
}  // namespace kirchhoff
