// Lists all trees of a graph and sums over the list; every quantity is written as its definition says.
#include "support/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kirchhoff::oracle {
namespace {

constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

/// Following heads from every word must end at the root within n steps.
bool is_tree(const Heads& heads, Root root) {
  const int n = static_cast<int>(heads.size()) - 1;
  int root_children = 0;
  for (int word = 1; word <= n; ++word) {
    root_children += heads[word] == 0;
    int node = word;
    for (int step = 0; step < n && node != 0; ++step) node = heads[node];
    if (node != 0) return false;
  }
  return root == Root::multi || root_children == 1;
}

/// Counts through all values 0..base-1 of digits[1..], like a milometer. False after the last.
bool next(std::vector<int>& digits, int base) {
  for (std::size_t i = 1; i < digits.size(); ++i) {
    if (++digits[i] < base) return true;
    digits[i] = 0;
  }
  return false;
}

Tree make_tree(const ArcArray& scores, const Heads& heads, const std::vector<int>& labels) {
  Tree tree;
  tree.heads = heads;
  tree.heads[0] = -1;
  tree.labels = labels;
  for (int word = 1; word <= scores.words(); ++word) {
    tree.arcs.push_back(scores.index(heads[word], word, labels[word]));
    tree.score += scores[tree.arcs.back()];
  }
  return tree;
}

/// Whether an end of some arc is strictly between the ends of another whose own ends it is not between.
bool has_crossing(const Heads& heads) {
  const int n = static_cast<int>(heads.size()) - 1;
  for (int d = 1; d <= n; ++d) {
    for (int e = 1; e <= n; ++e) {
      const int a = std::min(d, heads[d]), b = std::max(d, heads[d]);
      const int x = std::min(e, heads[e]), y = std::max(e, heads[e]);
      if (a < x && x < b && b < y) return true;
    }
  }
  return false;
}

std::vector<Tree> all_trees(const ArcArray& scores, Root root, Kind kind) {
  std::vector<Tree> trees;
  Heads heads(scores.words() + 1, 0);
  do {
    if (!is_tree(heads, root) || (kind == Kind::projective && has_crossing(heads))) continue;
    std::vector<int> labels(scores.words() + 1, 0);
    do trees.push_back(make_tree(scores, heads, labels));
    while (next(labels, scores.labels()));
  } while (next(heads, scores.words() + 1));
  return trees;
}

bool possible(const Tree& tree) { return tree.score > -kInfinity; }

bool contains(const Tree& tree, std::size_t arc) {
  return std::find(tree.arcs.begin(), tree.arcs.end(), arc) != tree.arcs.end();
}

}  // namespace

ArcArray::ArcArray(const Matrix& matrix) : ArcArray(static_cast<int>(matrix.rows()) - 1, 1) {
  for (int i = 0; i <= words_; ++i)
    for (int j = 0; j <= words_; ++j) (*this)(i, j) = matrix(i, j);
}

ArcArray::ArcArray(const LabelledMatrix& matrix) : ArcArray(matrix.words(), matrix.labels()) {
  std::copy(matrix.data(), matrix.data() + matrix.size(), values_.begin());
}

Forest::Forest(const ArcArray& scores, Root root, Kind kind)
    : words_(scores.words()), labels_(scores.labels()), trees_(all_trees(scores, root, kind)) {
  std::vector<Real> terms;
  for (const Tree& tree : trees_) terms.push_back(tree.score);
  log_partition_ = log_sum_exp(terms);
  for (Tree& tree : trees_) {
    count_ += possible(tree);
    tree.log_prob = possible(tree) ? tree.score - log_partition_ : -kInfinity;
    tree.prob = std::exp(tree.log_prob);
  }
}

Real log_sum_exp(const std::vector<Real>& terms) {
  const Real top = terms.empty() ? -kInfinity : *std::max_element(terms.begin(), terms.end());
  if (top == -kInfinity) return top;
  Real sum = 0;
  for (Real term : terms) sum += std::exp(term - top);
  return top + std::log(sum);
}

Real additive(const Tree& tree, const ArcArray& r) {
  Real sum = 0;
  for (std::size_t arc : tree.arcs) sum += r[arc];
  return sum;
}

Real mean(const Forest& p, const std::function<Real(const Tree&)>& f) {
  Real sum = 0;
  for (const Tree& tree : p.trees())
    if (possible(tree)) sum += tree.prob * f(tree);  // 0 * f = 0 also where f is infinite
  return sum;
}

ArcArray marginals(const Forest& p) {
  ArcArray result(p.words(), p.labels());
  for (const Tree& tree : p.trees())
    for (std::size_t arc : tree.arcs) result[arc] += tree.prob;
  return result;
}

ArcArray log_marginals(const Forest& p) {
  std::vector<std::vector<Real>> terms(ArcArray(p.words(), p.labels()).size());
  for (const Tree& tree : p.trees())
    for (std::size_t arc : tree.arcs) terms[arc].push_back(tree.log_prob);
  ArcArray result(p.words(), p.labels());
  for (std::size_t arc = 0; arc < result.size(); ++arc) result[arc] = log_sum_exp(terms[arc]);
  return result;
}

Real pair_marginal(const Forest& p, std::size_t a, std::size_t b) {
  return mean(p, [&](const Tree& tree) { return Real(contains(tree, a) && contains(tree, b)); });
}

std::vector<Real> pair_marginals(const Forest& p) {
  const std::size_t size = ArcArray(p.words(), p.labels()).size();
  std::vector<Real> result(size * size, 0);
  for (const Tree& tree : p.trees())
    for (std::size_t a : tree.arcs)
      for (std::size_t b : tree.arcs) result[a * size + b] += tree.prob;
  return result;
}

ArcArray covariance_with_arcs(const Forest& p, const ArcArray& r) {
  const Real centre = mean(p, [&](const Tree& tree) { return additive(tree, r); });
  ArcArray result(p.words(), p.labels());
  for (const Tree& tree : p.trees()) {
    if (!possible(tree)) continue;
    const Real weighted = tree.prob * (additive(tree, r) - centre);
    for (std::size_t arc : tree.arcs) result[arc] += weighted;
  }
  return result;
}

std::vector<Real> expectation(const Forest& p, const std::vector<ArcArray>& r) {
  std::vector<Real> result;
  for (const ArcArray& feature : r) result.push_back(mean(p, [&](const Tree& t) { return additive(t, feature); }));
  return result;
}

std::vector<Real> second_order(const Forest& p, const std::vector<ArcArray>& r, const std::vector<ArcArray>& s) {
  std::vector<Real> result;
  for (const ArcArray& a : r)
    for (const ArcArray& b : s)
      result.push_back(mean(p, [&](const Tree& t) { return additive(t, a) * additive(t, b); }));
  return result;
}

std::vector<Real> covariance(const Forest& p, const std::vector<ArcArray>& r, const std::vector<ArcArray>& s) {
  const auto er = expectation(p, r), es = expectation(p, s);
  std::vector<Real> result;
  for (std::size_t i = 0; i < r.size(); ++i)
    for (std::size_t j = 0; j < s.size(); ++j)
      result.push_back(
          mean(p, [&](const Tree& t) { return (additive(t, r[i]) - er[i]) * (additive(t, s[j]) - es[j]); }));
  return result;
}

Real entropy(const Forest& p) {
  return -mean(p, [](const Tree& tree) { return tree.log_prob; });
}

Real cross_entropy(const Forest& p, const Forest& q) {
  Real sum = 0;
  for (std::size_t i = 0; i < p.trees().size(); ++i) {
    if (!possible(p.trees()[i])) continue;
    if (!possible(q.trees()[i])) return kInfinity;
    sum -= p.trees()[i].prob * q.trees()[i].log_prob;
  }
  return sum;
}

Real kl(const Forest& p, const Forest& q) {
  Real sum = 0;
  for (std::size_t i = 0; i < p.trees().size(); ++i) {
    if (!possible(p.trees()[i])) continue;
    if (!possible(q.trees()[i])) return kInfinity;
    sum += p.trees()[i].prob * (p.trees()[i].log_prob - q.trees()[i].log_prob);
  }
  return sum;
}

Real renyi(const Forest& p, Real alpha) {
  std::vector<Real> terms;
  for (const Tree& tree : p.trees())
    if (possible(tree)) terms.push_back(alpha * tree.log_prob);
  return log_sum_exp(terms) / (1 - alpha);
}

Real norm(const Forest& p, Real k) {
  std::vector<Real> terms;
  for (const Tree& tree : p.trees())
    if (possible(tree)) terms.push_back(k * tree.log_prob);
  return std::exp(log_sum_exp(terms) / k);
}

Real risk(const Forest& p, const std::vector<std::size_t>& gold) {
  return mean(p, [&](const Tree& tree) {
    Real right = 0;
    for (std::size_t arc : gold) right += contains(tree, arc);
    return right / p.words();
  });
}

Real generalized_expectation(const Forest& p, const std::vector<ArcArray>& f, const Vector& target) {
  const auto e = expectation(p, f);
  Real sum = 0;
  for (std::size_t i = 0; i < f.size(); ++i) sum += (e[i] - target(i)) * (e[i] - target(i)) / 2;
  return sum;
}

Real log_multiplicative_expectation(const Forest& p, const ArcArray& log_q) {
  std::vector<Real> terms;
  for (const Tree& tree : p.trees())
    if (possible(tree)) terms.push_back(tree.log_prob + additive(tree, log_q));
  return log_sum_exp(terms);
}

}  // namespace kirchhoff::oracle
