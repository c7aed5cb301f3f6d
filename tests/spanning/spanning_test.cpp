// Spanning trees of undirected graphs against the list of all sets of N - 1 edges that connect them.
#include "kirchhoff/spanning.hpp"
#include "support/chi_square.hpp"
#include "support/gradient.hpp"
#include "support/graphs.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

namespace kirchhoff {
namespace {

using P = SpanningTreeDistribution;
using Edges = std::vector<std::pair<int, int>>;

Matrix symmetric(int nodes, double s, double density, graphs::Random& random) {
  std::normal_distribution<double> normal(0.0, s);
  std::uniform_real_distribution<double> uniform;
  Matrix scores = Matrix::Zero(nodes, nodes);
  for (int a = 0; a < nodes; ++a) {
    for (int b = a + 1; b < nodes; ++b) {
      const bool there = b == a + 1 || uniform(random) < density;  // a path keeps the graph connected
      scores(a, b) = scores(b, a) = there ? normal(random) : -graphs::kInf;
    }
  }
  return scores;
}

/// All spanning trees with their log-weights: every subset of the edges, whose parts are joined one by one.
struct Listed {
  std::map<Edges, long double> log_weight;
  long double log_z = 0;

  explicit Listed(const Matrix& scores) {
    const int n = static_cast<int>(scores.rows());
    Edges all;
    for (int a = 0; a < n; ++a) {
      for (int b = a + 1; b < n; ++b) {
        if (scores(a, b) > -graphs::kInf) all.emplace_back(a, b);
      }
    }
    long double sum = 0;
    for (unsigned set = 0; set < 1u << all.size(); ++set) {
      if (__builtin_popcount(set) != n - 1) continue;
      std::vector<int> part(n);
      std::iota(part.begin(), part.end(), 0);
      Edges tree;
      long double weight = 0;
      int joined = 0;
      for (std::size_t i = 0; i < all.size(); ++i) {
        if ((set >> i & 1) == 0) continue;
        tree.push_back(all[i]);
        weight += scores(all[i].first, all[i].second);
        const int from = part[all[i].first], to = part[all[i].second];
        joined += from != to;
        for (int& p : part) p = p == from ? to : p;
      }
      if (joined != n - 1) continue;
      log_weight[tree] = weight;
      sum += std::exp(weight);
    }
    log_z = std::log(sum);
  }
  long double mean(const std::function<long double(const Edges&)>& f) const {
    long double sum = 0;
    for (const auto& [tree, weight] : log_weight) sum += std::exp(weight - log_z) * f(tree);
    return sum;
  }
  static long double has(const Edges& tree, int a, int b) {
    return std::count(tree.begin(), tree.end(), std::pair(std::min(a, b), std::max(a, b)));
  }
};
Edges pairs_of(const SpanningTree& tree) {
  Edges pairs;
  for (const Edge& e : tree.edges) pairs.emplace_back(e.a, e.b);
  return pairs;
}
std::vector<Edge> edges_of(const Edges& pairs) {
  std::vector<Edge> edges;
  for (const auto& [a, b] : pairs) edges.push_back({b, a});
  return edges;
}

TEST(Spanning, ValuesAreThoseOfTheList) {
  graphs::Random random(5);
  for (int n = 2; n <= 6; ++n) {
    for (const double density : {1.0, 0.5}) {
      const Matrix scores = symmetric(n, 1.0, density, random);
      const Listed all(scores);
      const P p(scores);
      EXPECT_NEAR(p.log_partition(), static_cast<double>(all.log_z), 1e-12);
      EXPECT_NEAR(p.log_count(), std::log(static_cast<double>(all.log_weight.size())), 1e-12);
      for (int a = 0; a < n; ++a) {
        for (int b = 0; b < n; ++b) {
          const double m = static_cast<double>(all.mean([&](const Edges& t) { return Listed::has(t, a, b); }));
          EXPECT_NEAR(p.marginals()(a, b), m, 1e-12);
          EXPECT_NEAR(std::exp(p.log_marginals()(a, b)), m, 1e-12);
          if (a == b) continue;
          const auto both = [&](const Edges& t) { return Listed::has(t, a, b) * Listed::has(t, 0, 1); };
          EXPECT_NEAR(p.pair_marginal({a, b}, {1, 0}), static_cast<double>(all.mean(both)), 1e-12);
        }
      }
      const auto log_p = [&](const Edges& t) { return all.log_weight.at(t) - all.log_z; };
      EXPECT_NEAR(entropy(p), static_cast<double>(all.mean([&](const Edges& t) { return -log_p(t); })), 1e-11);
      double last = graphs::kInf;
      const std::vector<SpanningTree> best = k_best_trees(p, static_cast<int>(all.log_weight.size()) + 1);
      EXPECT_EQ(best.size(), all.log_weight.size());
      std::map<Edges, int> seen;
      for (const SpanningTree& tree : best) {
        EXPECT_EQ(++seen[pairs_of(tree)], 1);
        EXPECT_NEAR(tree.score, static_cast<double>(all.log_weight.at(pairs_of(tree))), 1e-12);
        EXPECT_NEAR(*tree.log_prob, p.log_prob(edges_of(pairs_of(tree))), 1e-12);
        EXPECT_LE(tree.score, last + 1e-12);
        last = tree.score;
      }
      EXPECT_EQ(best_tree(p).score, best[0].score);
      const Matrix r = symmetric(n, 1.0, 1.0, random), s = symmetric(n, 1.0, 1.0, random);
      const auto sum = [&](const Edges& t, const Matrix& f) {
        long double x = 0;
        for (const auto& [a, b] : t) x += f(a, b);
        return x;
      };
      const long double er = all.mean([&](const Edges& t) { return sum(t, r); });
      const long double es = all.mean([&](const Edges& t) { return sum(t, s); });
      EXPECT_NEAR(expectation(p, {r})(0), static_cast<double>(er), 1e-12);
      EXPECT_NEAR(covariance(p, {r}, {s})(0, 0),
                  static_cast<double>(all.mean([&](const Edges& t) { return (sum(t, r) - er) * (sum(t, s) - es); })),
                  1e-11);
      EXPECT_NEAR(second_order(p, {r}, {s})(0, 0),
                  static_cast<double>(all.mean([&](const Edges& t) { return sum(t, r) * sum(t, s); })), 1e-11);
      const Vector kappa = cumulants(p, r, 3);
      EXPECT_NEAR(kappa[1], static_cast<double>(er), 1e-12);
      EXPECT_NEAR(kappa[2], covariance(p, {r}, {r})(0, 0), 1e-11);
      EXPECT_NEAR(kappa[3], static_cast<double>(all.mean([&](const Edges& t) { return std::pow(sum(t, r) - er, 3); })),
                  1e-10);
    }
  }
}

/// Moves both numbers of an edge.
template <class F>
void expect_edge_gradient(const F& f, const Matrix& scores, const Matrix& gradient) {
  for (int a = 0; a < scores.rows(); ++a) {
    for (int b = 0; b < a; ++b) {
      EXPECT_EQ(gradient(a, b), gradient(b, a));
      Matrix moved = scores;
      const auto along = [&](double x) { return moved(a, b) = moved(b, a) = x, f(P(moved)); };
      EXPECT_NEAR(gradient(a, b), derivative(along, scores(a, b)), 1e-8) << a << " - " << b;
    }
  }
}

TEST(Spanning, GradientsAreRight) {
  graphs::Random random(6);
  const Matrix scores = symmetric(5, 1.0, 1.0, random), other = symmetric(5, 1.0, 1.0, random);
  const Matrix r = symmetric(5, 1.0, 1.0, random);
  const P p(scores), q(other);
  expect_edge_gradient([](const P& x) { return x.log_partition(); }, scores, p.marginals());
  expect_edge_gradient([](const P& x) { return entropy(x); }, scores, entropy_gradient(p));
  expect_edge_gradient([](const P& x) { return renyi(x, 2.0); }, scores, renyi_gradient(p, 2.0));
  expect_edge_gradient([&](const P& x) { return kl(x, q); }, scores, kl_gradient(p, q).p);
  expect_edge_gradient([&](const P& x) { return kl(p, x); }, other, kl_gradient(p, q).q);
  expect_edge_gradient([&](const P& x) { return expectation(x, {r})(0); }, scores, p.marginals_along(r));
  expect_edge_gradient([&](const P& x) { return cross_entropy(x, q); }, scores, cross_entropy_gradient(p, q).p);
  expect_edge_gradient([&](const P& x) { return cross_entropy(p, x); }, other, cross_entropy_gradient(p, q).q);
  expect_edge_gradient([&](const P& x) { return covariance(x, {r}, {other})(0, 0); }, scores,
                       covariance_gradient(p, r, other));
  EXPECT_NEAR(cross_entropy(p, q), kl(p, q) + entropy(p), 1e-12);
}

TEST(Spanning, SamplesFollowTheDistribution) {
  graphs::Random random(7);
  const Matrix scores = symmetric(4, 1.0, 1.0, random);
  const Listed all(scores);
  const P p(scores);
  std::map<Edges, std::int64_t> count;
  for (const SpanningTree& tree : sample_trees(p, 20000, {.seed = 9})) ++count[pairs_of(tree)];
  statistics::Counts counts;
  std::vector<long double> expected;
  for (const auto& [tree, weight] : all.log_weight) {
    counts.push_back(count[tree]);
    expected.push_back(std::exp(weight - all.log_z));
  }
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}), 20000);
  EXPECT_GT(statistics::fit(counts, expected), statistics::kFalseAlarm);
}

TEST(Spanning, MinimumBayesRiskAndDistinctTrees) {
  graphs::Random random(8);
  for (const double density : {1.0, 0.5}) {
    const Matrix scores = symmetric(5, 2.0, density, random);
    const Listed all(scores);
    const P p(scores);
    const Matrix m = p.marginals();
    const auto right = [&](const Edges& t) {
      double sum = 0;
      for (const auto& [a, b] : t) sum += m(a, b);
      return sum;
    };
    double most = 0;
    for (const auto& [tree, weight] : all.log_weight) most = std::max(most, right(tree));
    const SpanningTree best = mbr_tree(p);
    EXPECT_NEAR(right(pairs_of(best)), most, 1e-12);
    EXPECT_NEAR(best.score, static_cast<double>(all.log_weight.at(pairs_of(best))), 1e-12);
    EXPECT_NEAR(*best.log_prob, best.score - p.log_partition(), 1e-12);

    const int count = static_cast<int>(all.log_weight.size());
    const PerturbedSpanningTrees some = sample_without_replacement(p, count + 1, {.seed = 3});
    EXPECT_EQ(some.threshold, -graphs::kInf);
    std::map<Edges, int> seen;
    for (const SpanningTree& tree : some.trees) EXPECT_EQ(++seen[pairs_of(tree)], 1);
    EXPECT_EQ(static_cast<int>(seen.size()), count);
    EXPECT_TRUE(std::is_sorted(some.perturbed.rbegin(), some.perturbed.rend()));
  }
  // The first of the distinct trees is a sample.
  const P p(symmetric(3, 1.0, 1.0, random));
  const Listed all(p.scores());
  std::map<Edges, std::int64_t> count;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    ++count[pairs_of(sample_without_replacement(p, 1, {.seed = seed}).trees[0])];
  }
  statistics::Counts counts;
  std::vector<long double> expected;
  for (const auto& [tree, weight] : all.log_weight) {
    counts.push_back(count[tree]);
    expected.push_back(std::exp(weight - all.log_z));
  }
  EXPECT_GT(statistics::fit(counts, expected), statistics::kFalseAlarm);
}

TEST(Spanning, ArgumentsAndLargeScores) {
  Matrix scores = Matrix::Zero(30, 30);
  EXPECT_NEAR(P(scores).log_count(), 28 * std::log(30.0), 1e-10);  // Cayley: N^(N-2)
  EXPECT_NEAR(P(scores).marginals()(3, 7), 2.0 / 30, 1e-12);
  scores(3, 4) = scores(4, 3) = 1e5;
  EXPECT_EQ(P(scores).marginals()(3, 4), 1.0);
  EXPECT_THROW(P(scores).forbid({3, 3}), InputError);
  EXPECT_EQ(P(scores).forbid({3, 4}).marginals()(4, 3), 0.0);
  scores(1, 2) = 1.0;
  EXPECT_THROW(P{scores}, InputError);
  Matrix apart = Matrix::Constant(4, 4, -graphs::kInf);
  apart(0, 1) = apart(1, 0) = apart(2, 3) = apart(3, 2) = 0.0;
  EXPECT_THROW(P{apart}, Infeasible);
  const P p(Matrix::Zero(3, 3));
  EXPECT_THROW(p.log_prob({{0, 1}, {1, 0}}), InputError);
  EXPECT_THROW(p.log_prob({{0, 1}}), InputError);
  EXPECT_NEAR(p.with_temperature(3.0).log_partition(), std::log(3.0), 1e-13);
  EXPECT_THROW(p.with_temperature(-1.0), InputError);
}

}  // namespace
}  // namespace kirchhoff
