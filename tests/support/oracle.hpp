// The judge of everything else: all trees of a graph of n <= 6 words, listed one by one, and every quantity as a direct
// sum over that list in long double. Nothing is clever here, and nothing is shared with the library but types.hpp.
#pragma once

#include "kirchhoff/types.hpp"

#include <functional>
#include <vector>

namespace kirchhoff::oracle {

using Real = long double;

/// One number per labelled arc; unlabelled graphs have one label.
class ArcArray {
 public:
  ArcArray(int words, int labels, Real fill = 0) : words_(words), labels_(labels) {
    values_.assign(static_cast<std::size_t>(words + 1) * (words + 1) * labels, fill);
  }
  explicit ArcArray(const Matrix& matrix);
  explicit ArcArray(const LabelledMatrix& matrix);

  int words() const { return words_; }
  int labels() const { return labels_; }
  std::size_t size() const { return values_.size(); }
  std::size_t index(int head, int dependent, int label = 0) const {
    return (static_cast<std::size_t>(head) * (words_ + 1) + dependent) * labels_ + label;
  }
  Real operator()(int head, int dependent, int label = 0) const { return values_[index(head, dependent, label)]; }
  Real& operator()(int head, int dependent, int label = 0) { return values_[index(head, dependent, label)]; }
  Real operator[](std::size_t i) const { return values_[i]; }
  Real& operator[](std::size_t i) { return values_[i]; }

 private:
  int words_;
  int labels_;
  std::vector<Real> values_;
};

/// The arcs of a tree, as indices into an ArcArray, and its probability. Impossible trees have log_prob = -inf.
struct Tree {
  Heads heads;
  std::vector<int> labels;
  std::vector<std::size_t> arcs;
  Real score = 0;
  Real log_prob = 0;
  Real prob = 0;
};

/// Which trees count: all, or those without two arcs that cross when drawn above the sentence, the root first.
enum class Kind { any, projective };

/// Every labelled tree of the complete graph, in a fixed order, weighted by `scores`.
class Forest {
 public:
  Forest(const ArcArray& scores, Root root, Kind kind = Kind::any);
  Forest(const Matrix& scores, Root root, Kind kind = Kind::any) : Forest(ArcArray(scores), root, kind) {}
  Forest(const LabelledMatrix& scores, Root root, Kind kind = Kind::any) : Forest(ArcArray(scores), root, kind) {}

  int words() const { return words_; }
  int labels() const { return labels_; }
  const std::vector<Tree>& trees() const { return trees_; }
  Real log_partition() const { return log_partition_; }
  /// Number of possible trees; 0 means infeasible.
  std::size_t count() const { return count_; }

 private:
  int words_;
  int labels_;
  std::vector<Tree> trees_;
  Real log_partition_ = 0;
  std::size_t count_ = 0;
};

/// log sum exp of a list; -inf for an empty one.
Real log_sum_exp(const std::vector<Real>& terms);
/// r(tree) = sum of r over its arcs.
Real additive(const Tree& tree, const ArcArray& r);
/// E[f(tree)] for any function of a tree.
Real mean(const Forest& p, const std::function<Real(const Tree&)>& f);

ArcArray marginals(const Forest& p);
ArcArray log_marginals(const Forest& p);
/// Probability that a tree has both (labelled) arcs.
Real pair_marginal(const Forest& p, std::size_t a, std::size_t b);
/// All of them: entry a * size + b.
std::vector<Real> pair_marginals(const Forest& p);
/// Cov(r(tree), [arc in tree]) for every arc: the derivative of the marginals along r.
ArcArray covariance_with_arcs(const Forest& p, const ArcArray& r);

std::vector<Real> expectation(const Forest& p, const std::vector<ArcArray>& r);
/// E[r s^T] and E[(r - E r)(s - E s)^T], row by row.
std::vector<Real> second_order(const Forest& p, const std::vector<ArcArray>& r, const std::vector<ArcArray>& s);
std::vector<Real> covariance(const Forest& p, const std::vector<ArcArray>& r, const std::vector<ArcArray>& s);

Real entropy(const Forest& p);
Real cross_entropy(const Forest& p, const Forest& q);
Real kl(const Forest& p, const Forest& q);
Real renyi(const Forest& p, Real alpha);
Real norm(const Forest& p, Real k);
/// Expected fraction of the arcs of `gold` (indices into an ArcArray) that are in the tree.
Real risk(const Forest& p, const std::vector<std::size_t>& gold);
Real generalized_expectation(const Forest& p, const std::vector<ArcArray>& f, const Vector& target);
/// log E[product of exp(log_q) over the arcs].
Real log_multiplicative_expectation(const Forest& p, const ArcArray& log_q);

}  // namespace kirchhoff::oracle
