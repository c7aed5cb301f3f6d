// Distributions over the spanning trees of an undirected weighted graph [Kirchhoff1847], with the verbs of trees.
//
// Scores are a symmetric N x N matrix of log-weights of edges, N >= 2 nodes; -inf means that there is no edge, and the
// diagonal is ignored. Hung from node 0, a spanning tree is one tree of a TreeDistribution with the same scores and
// several root children, which answers all questions. Arrays of results are symmetric: an edge's number is there twice,
// and gradients are with respect to the score of the edge. Costs are those of the functions of trees.
#pragma once

#include "kirchhoff/expectation.hpp"
#include "kirchhoff/sample.hpp"

#include <optional>
#include <vector>

namespace kirchhoff {

/// The edge between two nodes, in any order.
struct Edge {
  int a = 0;
  int b = 0;
  friend bool operator==(const Edge&, const Edge&) = default;
};

struct SpanningTree {
  std::vector<Edge> edges;         ///< N - 1 edges with a < b, sorted
  double score = 0.0;              ///< the sum of the scores of its edges
  std::optional<double> log_prob;  ///< set when the tree comes from a distribution
};

/// p(tree) = exp(sum of its edges' scores) / Z. It never changes, and copies are cheap.
class SpanningTreeDistribution {
 public:
  /// Throws InputError (not square or not symmetric, NaN, +inf, size) or Infeasible, when the graph is not connected.
  explicit SpanningTreeDistribution(const MatrixRef& scores, Accuracy accuracy = {});

  int nodes() const { return rooted_.words() + 1; }
  /// The symmetric scores, with -inf on the diagonal.
  Matrix scores() const;
  const Report& report() const { return rooted_.report(); }
  /// The same trees, hung from node 0.
  const TreeDistribution& rooted() const { return rooted_; }

  /// log Z, the logarithm of the sum of exp(score) over all spanning trees.
  double log_partition() const { return rooted_.log_partition(); }
  /// The probability of each edge, which is also the gradient of log Z.
  Matrix marginals() const;
  /// Their logarithms, right also where a probability is below the smallest double.
  Matrix log_marginals() const;
  /// log p(tree), which is -inf when there is no such edge. Throws InputError when the edges are not a spanning tree.
  double log_prob(const std::vector<Edge>& edges) const;
  /// The probability that a tree has both edges.
  double pair_marginal(Edge e, Edge f) const;
  /// The natural logarithm of the number of spanning trees.
  double log_count() const { return rooted_.log_count(); }

  /// The distribution with scores / temperature, temperature > 0.
  SpanningTreeDistribution with_temperature(double temperature) const;
  /// The distribution given that the edge is not in the tree. Throws Infeasible when no tree is left.
  SpanningTreeDistribution forbid(Edge edge) const;
  SpanningTreeDistribution with_scores(const MatrixRef& scores) const;
  /// The directional derivative of the marginals when the scores move along `direction`, a symmetric matrix: entry
  /// (a, b) is Cov(direction(tree), [edge in tree]).
  Matrix marginals_along(const MatrixRef& direction) const;

 private:
  TreeDistribution rooted_;
};

/// E[r], Cov(r, s) and E[r s^T] of functions that are sums over edges, each given by a symmetric matrix.
Vector expectation(const SpanningTreeDistribution& p, const std::vector<Matrix>& r);
Matrix covariance(const SpanningTreeDistribution& p, const std::vector<Matrix>& r, const std::vector<Matrix>& s);
Matrix second_order(const SpanningTreeDistribution& p, const std::vector<Matrix>& r, const std::vector<Matrix>& s);
/// The gradient of the number Cov(r, s) of two such functions, third derivatives of log Z.
Matrix covariance_gradient(const SpanningTreeDistribution& p, const Matrix& r, const Matrix& s);
/// The cumulants of one such function, as those of trees.
Vector cumulants(const SpanningTreeDistribution& p, const Matrix& f, int order);

/// What expectation.hpp says of these functions holds here too.
double entropy(const SpanningTreeDistribution& p);
Matrix entropy_gradient(const SpanningTreeDistribution& p);
double cross_entropy(const SpanningTreeDistribution& p, const SpanningTreeDistribution& q);
PairGradient<TreeDistribution> cross_entropy_gradient(const SpanningTreeDistribution& p,
                                                      const SpanningTreeDistribution& q);
double kl(const SpanningTreeDistribution& p, const SpanningTreeDistribution& q);
PairGradient<TreeDistribution> kl_gradient(const SpanningTreeDistribution& p, const SpanningTreeDistribution& q);
double renyi(const SpanningTreeDistribution& p, double alpha);
Matrix renyi_gradient(const SpanningTreeDistribution& p, double alpha);

/// The most probable tree, which is the spanning tree of largest weight; the k most probable; independent samples.
SpanningTree best_tree(const SpanningTreeDistribution& p);
std::vector<SpanningTree> k_best_trees(const SpanningTreeDistribution& p, int k, const Stop& stop = {});
std::vector<SpanningTree> sample_trees(const SpanningTreeDistribution& p, int count, const SampleOptions& options = {});
/// Minimum Bayes risk: the tree with the highest expected number of edges that are right.
SpanningTree mbr_tree(const SpanningTreeDistribution& p);

/// Distinct trees: see PerturbedTrees.
struct PerturbedSpanningTrees {
  std::vector<SpanningTree> trees;
  std::vector<double> perturbed;
  double threshold = 0.0;
};
/// The k trees of highest perturbed log-probability, a sample without replacement, as that of trees.
PerturbedSpanningTrees sample_without_replacement(const SpanningTreeDistribution& p, int k,
                                                  const SampleOptions& options = {}, const Stop& stop = {});

}  // namespace kirchhoff
