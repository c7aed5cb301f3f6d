// Spanning trees of undirected graphs: every one, hung from node 0, is one rooted tree of the same weight, so that both
// directions of an edge are added up and all else is what the rooted trees say.
#include "kirchhoff/spanning.hpp"

#include "base/check.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace kirchhoff {
namespace {

using P = SpanningTreeDistribution;

std::string pair_text(Eigen::Index a, Eigen::Index b) {
  return "(" + std::to_string(a) + ", " + std::to_string(b) + ")";
}

void check_symmetric(const char* function, const char* name, const MatrixRef& matrix) {
  for (Eigen::Index a = 0; a < matrix.rows(); ++a) {
    for (Eigen::Index b = 0; b < a; ++b) {
      if (matrix(a, b) == matrix(b, a)) continue;
      base::input_error(function, std::string(name) + pair_text(a, b) + " is not " + name + pair_text(b, a) +
                                      ": an edge has one number, and the matrix must be symmetric");
    }
  }
}

TreeDistribution rooted_trees(const MatrixRef& scores, const Accuracy& accuracy) {
  base::check_square("SpanningTreeDistribution", "scores", scores);
  base::check_scores("SpanningTreeDistribution", scores);
  check_symmetric("SpanningTreeDistribution", "scores", scores);
  return {scores, Root::multi, accuracy};
}

/// What both directions of an edge have together.
Matrix both_directions(const Matrix& arcs) { return arcs + arcs.transpose(); }

void check_edge(const char* function, Edge edge, int nodes) {
  if (edge.a >= 0 && edge.b >= 0 && edge.a < nodes && edge.b < nodes && edge.a != edge.b) return;
  base::input_error(function, "no edge: " + std::to_string(edge.a) + " - " + std::to_string(edge.b) + " among " +
                                  std::to_string(nodes) + " nodes");
}

/// The edges hung from node 0; InputError when they are not a spanning tree.
Heads hung_from_first(const char* function, const std::vector<Edge>& edges, int nodes) {
  std::vector<std::vector<int>> neighbours(nodes);
  for (const Edge edge : edges) {
    check_edge(function, edge, nodes);
    neighbours[edge.a].push_back(edge.b);
    neighbours[edge.b].push_back(edge.a);
  }
  Heads heads(nodes, -1);
  std::vector<int> reached = {0};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const int next : neighbours[reached[i]]) {
      if (next == 0 || heads[next] >= 0) continue;
      heads[next] = reached[i];
      reached.push_back(next);
    }
  }
  if (static_cast<int>(edges.size()) != nodes - 1 || static_cast<int>(reached.size()) != nodes) {
    base::input_error(function, std::to_string(edges.size()) + " edges that are not a spanning tree of " +
                                    std::to_string(nodes) + " nodes");
  }
  return heads;
}

SpanningTree without_root(const Tree& tree) {
  SpanningTree result{{}, tree.score, tree.log_prob};
  for (int d = 1; d < static_cast<int>(tree.heads.size()); ++d) {
    result.edges.push_back({std::min(tree.heads[d], d), std::max(tree.heads[d], d)});
  }
  std::sort(result.edges.begin(), result.edges.end(),
            [](const Edge& x, const Edge& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; });
  return result;
}
std::vector<SpanningTree> without_roots(const std::vector<Tree>& trees) {
  std::vector<SpanningTree> result;
  for (const Tree& tree : trees) result.push_back(without_root(tree));
  return result;
}

Features edge_features(const char* function, const P& p, const std::vector<Matrix>& r) {
  for (const Matrix& values : r) {
    base::check_shape(function, "feature", values, p.nodes() - 1);
    check_symmetric(function, "feature", values);
  }
  return r.empty() ? Features(p.nodes() - 1, 0, {}) : Features::from_matrices(r);
}

}  // namespace

SpanningTreeDistribution::SpanningTreeDistribution(const MatrixRef& scores, Accuracy accuracy)
    : rooted_(rooted_trees(scores, accuracy)) {}

Matrix SpanningTreeDistribution::scores() const {
  Matrix result = rooted_.scores();
  result.col(0) = result.row(0).transpose().eval();  // rooted trees have no arcs into their root
  return result;
}

Matrix SpanningTreeDistribution::marginals() const { return both_directions(rooted_.marginals()).cwiseMin(1.0); }

Matrix SpanningTreeDistribution::log_marginals() const {
  const Matrix arcs = rooted_.log_marginals();
  return arcs.binaryExpr(arcs.transpose(), [](double x, double y) {
    const double high = std::max(x, y);
    return high == -HUGE_VAL ? high : std::min(0.0, high + std::log1p(std::exp(std::min(x, y) - high)));
  });
}

double SpanningTreeDistribution::log_prob(const std::vector<Edge>& edges) const {
  return rooted_.log_prob(hung_from_first("log_prob", edges, nodes()));
}

double SpanningTreeDistribution::pair_marginal(Edge e, Edge f) const {
  check_edge("pair_marginal", e, nodes());
  check_edge("pair_marginal", f, nodes());
  const bool same = e == f || (e.a == f.b && e.b == f.a);
  if (same) return marginals()(e.a, e.b);
  double sum = 0.0;
  for (const Arc x : {Arc{e.a, e.b}, Arc{e.b, e.a}}) {
    for (const Arc y : {Arc{f.a, f.b}, Arc{f.b, f.a}}) {
      if (x.dependent != 0 && y.dependent != 0) sum += rooted_.pair_marginal(x, y);
    }
  }
  return std::min(sum, 1.0);
}

SpanningTreeDistribution SpanningTreeDistribution::with_temperature(double temperature) const {
  if (!(temperature > 0.0) || !std::isfinite(temperature)) {
    base::input_error("with_temperature",
                      "temperature must be positive and finite, not " + std::to_string(temperature));
  }
  return with_scores(scores() / temperature);
}

SpanningTreeDistribution SpanningTreeDistribution::forbid(Edge edge) const {
  check_edge("forbid", edge, nodes());
  Matrix other = scores();
  other(edge.a, edge.b) = other(edge.b, edge.a) = -HUGE_VAL;
  return with_scores(other);
}

SpanningTreeDistribution SpanningTreeDistribution::with_scores(const MatrixRef& other) const {
  base::check_shape("with_scores", "scores", other, nodes() - 1);
  return SpanningTreeDistribution(other, rooted_.accuracy());
}

Matrix SpanningTreeDistribution::marginals_along(const MatrixRef& direction) const {
  check_symmetric("marginals_along", "direction", direction);
  return both_directions(rooted_.marginals_along(direction));
}

Vector expectation(const P& p, const std::vector<Matrix>& r) {
  return expectation(p.rooted(), edge_features("expectation", p, r));
}
Matrix covariance(const P& p, const std::vector<Matrix>& r, const std::vector<Matrix>& s) {
  return covariance(p.rooted(), edge_features("covariance", p, r), edge_features("covariance", p, s));
}
Matrix second_order(const P& p, const std::vector<Matrix>& r, const std::vector<Matrix>& s) {
  return second_order(p.rooted(), edge_features("second_order", p, r), edge_features("second_order", p, s));
}
Matrix covariance_gradient(const P& p, const Matrix& r, const Matrix& s) {
  for (const Matrix* f : {&r, &s}) {
    base::check_shape("covariance_gradient", f == &r ? "r" : "s", *f, p.nodes() - 1);
    check_symmetric("covariance_gradient", f == &r ? "r" : "s", *f);
  }
  return both_directions(covariance_gradient(p.rooted(), r, s));
}
Vector cumulants(const P& p, const Matrix& f, int order) {
  base::check_shape("cumulants", "f", f, p.nodes() - 1);
  check_symmetric("cumulants", "f", f);
  return cumulants(p.rooted(), f, order);
}

double entropy(const P& p) { return entropy(p.rooted()); }
Matrix entropy_gradient(const P& p) { return both_directions(entropy_gradient(p.rooted())); }
double cross_entropy(const P& p, const P& q) { return cross_entropy(p.rooted(), q.rooted()); }
PairGradient<TreeDistribution> cross_entropy_gradient(const P& p, const P& q) {
  const PairGradient<TreeDistribution> arcs = cross_entropy_gradient(p.rooted(), q.rooted());
  return {both_directions(arcs.p), both_directions(arcs.q)};
}
double kl(const P& p, const P& q) { return kl(p.rooted(), q.rooted()); }
PairGradient<TreeDistribution> kl_gradient(const P& p, const P& q) {
  const PairGradient<TreeDistribution> arcs = kl_gradient(p.rooted(), q.rooted());
  return {both_directions(arcs.p), both_directions(arcs.q)};
}
double renyi(const P& p, double alpha) { return renyi(p.rooted(), alpha); }
Matrix renyi_gradient(const P& p, double alpha) { return both_directions(renyi_gradient(p.rooted(), alpha)); }

SpanningTree best_tree(const P& p) { return without_root(best_tree(p.rooted())); }
std::vector<SpanningTree> k_best_trees(const P& p, int k, const Stop& stop) {
  return without_roots(k_best_trees(p.rooted(), k, stop));
}
std::vector<SpanningTree> sample_trees(const P& p, int count, const SampleOptions& options) {
  return without_roots(sample_trees(p.rooted(), count, options));
}

SpanningTree mbr_tree(const P& p) {
  const Matrix scores = p.scores();
  const Matrix gains = (scores.array() > -HUGE_VAL).select(p.marginals(), -HUGE_VAL);
  SpanningTree result = without_root(best_tree(gains, Root::multi));
  result.score = 0.0;
  for (const Edge edge : result.edges) result.score += scores(edge.a, edge.b);
  result.log_prob = p.log_prob(result.edges);
  return result;
}

PerturbedSpanningTrees sample_without_replacement(const P& p, int k, const SampleOptions& options, const Stop& stop) {
  PerturbedTrees drawn = sample_without_replacement(p.rooted(), k, options, stop);
  return {without_roots(drawn.trees), std::move(drawn.perturbed), drawn.threshold};
}

}  // namespace kirchhoff
