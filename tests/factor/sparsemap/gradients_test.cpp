// Derivatives of SparseMAP by finite differences. u is piecewise linear in the scores, so a difference quotient is
// exact but for rounding, unless there is a kink within the step; then quotients of two steps differ, and the case is
// left out. Few cases are.
#include "factor/sparsemap/sparse_graphs.hpp"
#include "support/graphs.hpp"

namespace kirchhoff {
namespace {

using brute::Random;
using brute::uniform;
using graphs::kRoots;

/// du along a direction; nothing at a kink. f gives u at scores + x * direction.
template <class F>
std::optional<Vector> quotient(const F& f, double step) {
  const Vector low = f(-step), high = f(step), middle = f(0.0);
  if ((low + high - 2.0 * middle).norm() > 1e-3 * step) return std::nullopt;
  return (high - low) / (2.0 * step);
}

Vector flat(const Matrix& m) { return Eigen::Map<const Vector>(m.data(), m.size()); }

TEST(SparseMap, MarginalsAlong) {
  Random random(11);
  int checked = 0, kinks = 0;
  for (int words = 2; words <= 9; ++words)
    for (const Root root : kRoots)
      for (const double spread : {0.2, 1.0})
        for (int repeat = 0; repeat < 10; ++repeat) {
          const Matrix scores = graphs::masked_feasible(graphs::normal(words, spread, random), 0.8, random);
          const Matrix v = graphs::normal(words, 1.0, random);
          const auto moved = [&](double x) { return flat(sparsemap(scores + x * v, root).marginals); };
          const std::optional<Vector> expected = quotient(moved, 1e-5);
          if (!expected) {
            ++kinks;
            continue;
          }
          const Vector found = flat(marginals_along(sparsemap(scores, root), v));
          EXPECT_LT((found - *expected).cwiseAbs().maxCoeff(), 1e-8) << words << " words";
          checked += found.norm() > 0.01;
        }
  EXPECT_GT(checked, 200);
  EXPECT_LT(kinks, 20);
}

TEST(SparseMap, AlongIsAProjection) {
  Random random(12);
  for (int words = 2; words <= 20; words += 3)
    for (const Root root : kRoots) {
      const SparseTrees p = sparsemap(graphs::normal(words, 0.5, random), root);
      const auto noise = [&] {
        Matrix m = graphs::normal(words, 1.0, random);
        m.col(0).setZero();
        m.diagonal().setZero();
        return m;
      };
      const Matrix v = noise(), w = noise(), pv = marginals_along(p, v), pw = marginals_along(p, w);
      EXPECT_NEAR((w.array() * pv.array()).sum(), (v.array() * pw.array()).sum(), 1e-11) << "symmetric";
      EXPECT_LT((marginals_along(p, pv) - pv).cwiseAbs().maxCoeff(), 1e-12) << "idempotent";
      for (int d = 1; d <= words; ++d) EXPECT_NEAR(pv.col(d).sum(), 0.0, 1e-12);
      for (const Heads& heads : p.trees) {  // a step towards a tree of the mixture stays what it is
        Matrix toward = -p.marginals;
        for (int d = 1; d <= words; ++d) toward(heads[d], d) += 1.0;
        EXPECT_LT((marginals_along(p, toward) - toward).cwiseAbs().maxCoeff(), 1e-12);
      }
    }
}

// A few trees mix to u, and all others tie with them: u moves where none of the few would let it.
TEST(SparseMap, TiesCountInDerivatives) {
  Random random(13);
  for (int words = 2; words <= 6; ++words)
    for (const Root root : kRoots) {
      const Matrix scores = Matrix::Zero(words + 1, words + 1), v = graphs::normal(words, 1.0, random);
      const SparseTrees p = sparsemap(scores, root);
      const auto moved = [&](double x) { return flat(sparsemap(x * v, root).marginals); };
      const std::optional<Vector> expected = quotient(moved, 1e-5);
      if (!expected) continue;  // with several children of the root, u may be on the border of the hull
      EXPECT_LT((flat(marginals_along(p, v)) - *expected).cwiseAbs().maxCoeff(), 1e-8) << words << " words";
      if (root == Root::single && words > 2) {
        EXPECT_LT(p.trees.size(), static_cast<std::size_t>(words * words - words)) << "else this tests nothing";
      }
    }
}

std::vector<double> plus(std::vector<double> scores, double x, const Vector& v) {
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] += x * v[static_cast<Eigen::Index>(i)];
  return scores;
}

Vector noise(int size, Random& random) {
  Vector v(size);
  for (double& x : v) x = uniform(random, -1, 1);
  return v;
}

Vector vector_of(const std::vector<double>& values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

const LpSparseMapOptions kExact{.tolerance = 1e-12, .max_iterations = 200000};

/// Checks the derivatives by the scores of variables, and returns 1, or 0 when there is a kink.
int expect_scores_gradient(const FactorGraph& graph, Random& random, const std::string& what) {
  const SparseGraph p = lp_sparsemap(graph, kExact);
  if (p.status != Status::converged) return 0;
  const Vector v = noise(graph.variables(), random), w = noise(graph.variables(), random);
  const auto at = [&](double x) {
    return vector_of(lp_sparsemap(brute::with_variable_scores(graph, plus(graph.scores(), x, v)), kExact).marginals);
  };
  const std::optional<Vector> expected = quotient(at, 1e-4);
  if (!expected) return 0;
  const Vector found = vector_of(sparsemap_gradient(graph, p, {v.data(), static_cast<std::size_t>(v.size())}).scores);
  EXPECT_LT((found - *expected).cwiseAbs().maxCoeff(), 1e-6) << what;
  const Vector other = vector_of(sparsemap_gradient(graph, p, {w.data(), static_cast<std::size_t>(w.size())}).scores);
  EXPECT_NEAR(w.dot(found), v.dot(other), 1e-9) << what << ": symmetric";
  // What lies in all spaces stays there, however small rounding makes what it has outside them.
  Vector inside = found;
  for (int repeat = 0; repeat < 8; ++repeat) {
    const Vector again =
        vector_of(sparsemap_gradient(graph, p, {inside.data(), static_cast<std::size_t>(inside.size())}).scores);
    EXPECT_LT((again - inside).cwiseAbs().maxCoeff(), 1e-12) << what << ": idempotent";
    inside = again / 3.0;
  }
  return 1;
}

TEST(LpSparseMap, GradientByScores) {
  Random random(14);
  int checked = 0;
  for (int repeat = 0; repeat < 60; ++repeat) {
    const std::string what = "graph " + std::to_string(repeat);
    checked += expect_scores_gradient(brute::random_tree_graph(1 + repeat % 6, random), random, what);
    checked += expect_scores_gradient(brute::random_loopy_graph(4 + repeat % 6, 3 + repeat % 5, random), random, what);
  }
  for (int words = 2; words <= 5; ++words) {
    for (const Root root : kRoots) {
      const DependencyGraph g = dependency_graph(brute::random_second_order(words, root, 0.5, random));
      checked += expect_scores_gradient(g.graph, random, std::to_string(words) + " words");
    }
  }
  EXPECT_GT(checked, 80);
}

// The loss w.u, by the score of every pair: the sum over the configurations in which both are 1.
TEST(LpSparseMap, GradientByPairs) {
  Random random(15);
  int checked = 0;
  for (int words = 2; words <= 5; ++words)
    for (const Root root : kRoots) {
      const DependencyModel model = brute::random_second_order(words, root, 0.5, random);
      const DependencyGraph g = dependency_graph(model);
      const SparseGraph p = lp_sparsemap(g.graph, kExact);
      ASSERT_EQ(p.status, Status::converged);
      const Vector w = noise(g.graph.variables(), random);
      const SparseGradient gradient = sparsemap_gradient(g.graph, p, {w.data(), static_cast<std::size_t>(w.size())});
      std::vector<double> by_pair;
      for (int f = 0; f < g.graph.factors(); ++f) {
        if (g.graph.factor(f).name() != "pair") continue;
        double sum = 0.0;
        for (std::size_t k = 0; k < p.factors[f].configurations.size(); ++k) {
          const Assignment& y = p.factors[f].configurations[k];
          if (y[0] && y[1]) sum += gradient.configurations[f][k];
        }
        by_pair.push_back(sum);
      }
      ASSERT_EQ(by_pair.size(), model.pairs.size());
      const Vector v = noise(static_cast<int>(by_pair.size()), random);
      const auto at = [&](double x) {
        DependencyModel moved = model;
        for (std::size_t k = 0; k < by_pair.size(); ++k) moved.pairs[k].score += x * v[static_cast<Eigen::Index>(k)];
        return vector_of(lp_sparsemap(dependency_graph(moved).graph, kExact).marginals);
      };
      const std::optional<Vector> du = quotient(at, 1e-4);
      if (!du) continue;
      EXPECT_NEAR(vector_of(by_pair).dot(v), w.dot(*du), 1e-6) << words << " words";
      checked += std::abs(w.dot(*du)) > 1e-3;
    }
  EXPECT_GT(checked, 3);
}

TEST(LpSparseMap, GradientOfBadArguments) {
  FactorGraph graph;
  graph.add_xor({graph.add_variable(0.2), graph.add_variable(0.1)});
  SparseGraph p = lp_sparsemap(graph);
  EXPECT_THROW(sparsemap_gradient(graph, p, std::vector<double>{1.0}), InputError);
  EXPECT_THROW(sparsemap_gradient(graph, p, std::vector<double>{1.0, std::nan("")}), InputError);
  EXPECT_THROW(sparsemap_gradient(graph, SparseGraph(), std::vector<double>{1.0, 1.0}), InputError);
  p.factors[0].configurations.push_back(p.factors[0].configurations[0]);
  EXPECT_THROW(sparsemap_gradient(graph, p, std::vector<double>{1.0, 1.0}), InputError);
}

}  // namespace
}  // namespace kirchhoff
