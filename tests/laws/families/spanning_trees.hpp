// Spanning trees of undirected graphs as the law suite sees them. A place is an edge.
#pragma once

#include "kirchhoff/spanning.hpp"
#include "laws/enumeration.hpp"
#include "laws/members.hpp"
#include "support/graphs.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace kirchhoff::laws {

class SpanningTrees {
 public:
  using Distribution = SpanningTreeDistribution;
  static constexpr double kLargest = 1e100;

  /// The edges of the path 0 - 1 - 2 ... are possible, a third of the others is not.
  explicit SpanningTrees(graphs::Random& random) : nodes_(2 + static_cast<int>(random() % 4)) {
    std::normal_distribution<double> normal(0.0, 1.5);
    for (int a = 0; a < nodes_; ++a) {
      for (int b = a + 1; b < nodes_; ++b) {
        edges_.push_back({a, b});
        weights_.push_back(b == a + 1 || random() % 3 != 0 ? normal(random) : -HUGE_VAL);
      }
    }
  }

  const Weights& weights() const { return weights_; }
  /// Every set of n - 1 edges that connects the nodes.
  std::vector<Structure> structures() const {
    std::vector<Structure> all;
    for (unsigned chosen = 0; chosen < 1u << edges_.size(); ++chosen) {
      Structure s(edges_.size(), 0);
      std::vector<int> part(nodes_);
      std::iota(part.begin(), part.end(), 0);
      int used = 0, joined = 0;
      for (std::size_t i = 0; i < edges_.size(); ++i) {
        if ((chosen >> i & 1u) == 0) continue;
        s[i] = 1, ++used;
        const int from = part[edges_[i].a], to = part[edges_[i].b];
        if (from == to) continue;
        ++joined;
        std::replace(part.begin(), part.end(), from, to);
      }
      if (used == nodes_ - 1 && joined == used) all.push_back(s);
    }
    return all;
  }
  /// No set of edges has exactly one in every tree, but for the bridge of two nodes.
  std::vector<std::vector<std::size_t>> groups() const {
    return nodes_ == 2 ? std::vector<std::vector<std::size_t>>{{0}} : std::vector<std::vector<std::size_t>>{};
  }

  SpanningTreeDistribution make(const Weights& weights) const { return SpanningTreeDistribution(matrix(weights)); }
  Weights marginals(const SpanningTreeDistribution& p) const { return flat(p.marginals()); }
  double log_prob(const SpanningTreeDistribution& p, const Structure& s) const {
    std::vector<Edge> edges;
    for (std::size_t i = 0; i < s.size(); ++i) {
      if (s[i] > 0) edges.push_back(edges_[i]);
    }
    return p.log_prob(edges);
  }
  double entropy(const SpanningTreeDistribution& p) const { return kirchhoff::entropy(p); }
  double renyi(const SpanningTreeDistribution& p, double alpha) const { return kirchhoff::renyi(p, alpha); }
  double kl(const SpanningTreeDistribution& p, const SpanningTreeDistribution& q) const { return kirchhoff::kl(p, q); }
  SpanningTreeDistribution with_temperature(const SpanningTreeDistribution& p, double temperature) const {
    return p.with_temperature(temperature);
  }
  Weights along(const SpanningTreeDistribution& p, const Weights& direction) const {
    return flat(p.marginals_along(matrix(direction)));
  }
  Weights cumulants(const SpanningTreeDistribution& p, const Weights& f, int order) const {
    const Vector kappa = kirchhoff::cumulants(p, matrix(f), order);
    return {kappa.begin(), kappa.end()};
  }
  double covariance(const SpanningTreeDistribution& p, const Weights& f, const Weights& g) const {
    return kirchhoff::covariance(p, {matrix(f)}, {matrix(g)})(0, 0);
  }
  std::pair<Structure, double> best(const SpanningTreeDistribution& p) const { return scored(best_tree(p)); }
  std::vector<std::pair<Structure, double>> k_best(const SpanningTreeDistribution& p, int k) const {
    std::vector<std::pair<Structure, double>> found;
    for (const SpanningTree& t : k_best_trees(p, k)) found.push_back(scored(t));
    return found;
  }
  std::vector<Structure> samples(const SpanningTreeDistribution& p, int count, std::uint64_t seed) const {
    std::vector<Structure> found;
    for (const SpanningTree& t : sample_trees(p, count, {.seed = seed})) found.push_back(scored(t).first);
    return found;
  }
  Structure sample(const SpanningTreeDistribution& p, std::uint64_t seed, std::uint64_t index) const {
    return samples(p, static_cast<int>(index) + 1, seed).back();
  }
  Distinct distinct(const SpanningTreeDistribution& p, int k, std::uint64_t seed) const {
    const PerturbedSpanningTrees drawn = sample_without_replacement(p, k, {.seed = seed});
    Distinct found{{}, drawn.perturbed, drawn.threshold};
    for (const SpanningTree& t : drawn.trees) found.structures.push_back(scored(t).first);
    return found;
  }
  /// What is on the diagonal is no number.
  SpanningTreeDistribution padded(const Weights& weights) const {
    Matrix m = matrix(weights);
    m.diagonal().setConstant(NAN);
    return SpanningTreeDistribution(m);
  }
  SpanningTreeDistribution forbid(const SpanningTreeDistribution& p, std::size_t place) const {
    return p.forbid(edges_[place]);
  }
  /// Nodes have other names.
  std::vector<std::size_t> renaming(graphs::Random& random) const {
    std::vector<int> to(nodes_);
    std::iota(to.begin(), to.end(), 0);
    std::shuffle(to.begin(), to.end(), random);
    std::vector<std::size_t> renamed;
    for (const Edge& e : edges_) renamed.push_back(place(to[e.a], to[e.b]));
    return renamed;
  }

 private:
  std::size_t place(int a, int b) const {
    const Edge edge{std::min(a, b), std::max(a, b)};
    return static_cast<std::size_t>(std::find(edges_.begin(), edges_.end(), edge) - edges_.begin());
  }
  Matrix matrix(const Weights& weights) const {
    Matrix m = Matrix::Zero(nodes_, nodes_);
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      m(edges_[i].a, edges_[i].b) = m(edges_[i].b, edges_[i].a) = weights[i];
    }
    return m;
  }
  Weights flat(const Matrix& m) const {
    Weights all;
    for (const Edge& e : edges_) all.push_back(m(e.a, e.b));
    return all;
  }
  std::pair<Structure, double> scored(const SpanningTree& tree) const {
    Structure s(edges_.size(), 0);
    for (const Edge& e : tree.edges) s[place(e.a, e.b)] = 1;
    return {s, *tree.log_prob};
  }

  int nodes_;
  std::vector<Edge> edges_;
  Weights weights_;
};

}  // namespace kirchhoff::laws
