// First- and second-order expectations of additive functions: T1 and T2 of [Zmigrod21].
//
// Cov(r, s) = sum p_ij r_ij s_ij - tr(K L_r K L_s) with the inverse at hand; where only the robust method is right,
// row f of Cov(r, s) is the derivative of E[s] along r_f: min(R, S) directional derivatives.
// Labels: given the tree they are independent, so Cov(r, s) = Cov(r', s') + sum_ij p_ij Cov_y(r_ij, s_ij), r' =
// E_y[r_ij].
#include "expectation/dense_features.hpp"
#include "expectation/trace.hpp"
#include "expectation/view.hpp"
#include "tree/batch/along.hpp"

#include <algorithm>

namespace kirchhoff {
namespace {

using expectations::View;
using Entries = std::vector<FeatureEntry>;

bool same_arc(const FeatureEntry& a, const FeatureEntry& b) { return a.head == b.head && a.dependent == b.dependent; }
bool before(const FeatureEntry& a, const FeatureEntry& b) {
  return a.dependent != b.dependent ? a.dependent < b.dependent : a.head < b.head;
}

// Calls visit(arc's r entries, arc's s entries) for every arc that has both; both lists are sorted by arc.
template <class Visit>
void for_each_common_arc(const Entries& r, const Entries& s, Visit visit) {
  auto i = r.begin();
  auto k = s.begin();
  while (i != r.end() && k != s.end()) {
    if (before(*i, *k)) {
      ++i;
    } else if (before(*k, *i)) {
      ++k;
    } else {
      const auto i_end = std::find_if(i, r.end(), [&](const FeatureEntry& e) { return !same_arc(e, *i); });
      const auto k_end = std::find_if(k, s.end(), [&](const FeatureEntry& e) { return !same_arc(e, *k); });
      visit(i, i_end, k, k_end);
      i = i_end;
      k = k_end;
    }
  }
}

// Adds the sum over arcs of p r s^T, label by label, to the covariance.
void add_diagonal(const View& v, const Entries& r, const Entries& s, Matrix& covariance) {
  for_each_common_arc(r, s, [&](auto i, auto i_end, auto k, auto k_end) {
    for (auto a = i; a != i_end; ++a) {
      const double p = v.marginals[v.index(a->head, a->dependent, a->label)] * a->value;
      if (p == 0.0) continue;
      double* row = covariance.data() + a->feature * covariance.cols();
      for (auto b = k; b != k_end; ++b) {
        if (b->label == a->label) row[b->feature] += p * b->value;
      }
    }
  });
}

// The derivatives of E[s] along r_begin ... r_(end-1), a row for each feature of s. Copies of a small graph lie in the
// lanes, each with a direction of its own.
Matrix along_directions(const TreeDistribution& p, const Entries& r, int begin, int end, const Entries& s, int s_size) {
  const int size = p.words() + 1, count = end - begin;
  std::vector<Matrix> directions(count, Matrix::Zero(size, size));
  for (const FeatureEntry& e : r) {
    if (begin <= e.feature && e.feature < end) directions[e.feature - begin](e.head, e.dependent) += e.value;
  }
  std::vector<GraphView> views;
  for (const Matrix& direction : directions) views.push_back(graph_view(direction));
  const TreeBatch copies(std::vector<GraphView>(count, graph_view(p.scores())), p.root(), {.threads = 1});
  Matrix slopes(count, size * size);
  for (const std::size_t k : tree::along_in_lanes(copies, {views, 1.0, {slopes.data(), copies.array_size()}}, {})) {
    tree::marginals_along(TreeAccess::state(p), directions[k], slopes.row(k).data());
  }
  const Matrix of_arcs = slopes.transpose();
  Matrix result = Matrix::Zero(s_size, count);
  for (const FeatureEntry& e : s) result.row(e.feature) += e.value * of_arcs.row(e.head * size + e.dependent);
  return result;
}

// Cov(r, s) by derivatives along each r_f.
Matrix by_directions(const TreeDistribution& p, const Entries& r, int r_size, const Entries& s, int s_size) {
  constexpr int kTogether = 64;  // directions that are in memory at once
  Matrix covariance(r_size, s_size);
  for (int f = 0; f < r_size; f += kTogether) {
    const int count = std::min(kTogether, r_size - f);
    covariance.middleRows(f, count) = along_directions(p, r, f, f + count, s, s_size).transpose();
  }
  return covariance;
}

Matrix tree_covariance(const TreeDistribution& p, const Entries& r, int r_size, const Entries& s, int s_size) {
  if (p.report().method != Method::fast) {
    return r_size <= s_size ? by_directions(p, r, r_size, s, s_size)
                            : Matrix(by_directions(p, s, s_size, r, r_size).transpose());
  }
  Matrix covariance = Matrix::Zero(r_size, s_size);
  if (r_size == 0 || s_size == 0) return covariance;
  add_diagonal(expectations::view(p), r, s, covariance);
  expectations::subtract_traces(TreeAccess::state(p), r, s, covariance);
  return covariance;
}

// Returns r' = E_y[r_ij] as unlabelled entries, which are still sorted.
Entries label_means(const LabelledTreeDistribution& p, const Entries& entries) {
  Entries means;
  std::size_t arc_begin = 0;
  for (const FeatureEntry& e : entries) {
    const double p_arc = p.tree().marginals()(e.head, e.dependent);
    const double share = p_arc == 0.0 ? 0.0 : p.marginals()(e.head, e.dependent, e.label) / p_arc;
    if (means.size() > arc_begin && !same_arc(means[arc_begin], e)) arc_begin = means.size();
    const auto same = std::find_if(means.begin() + arc_begin, means.end(),
                                   [&](const FeatureEntry& m) { return m.feature == e.feature; });
    if (same == means.end()) {
      means.push_back({e.head, e.dependent, e.feature, share * e.value, 0});
    } else {
      same->value += share * e.value;
    }
  }
  return means;
}

Matrix covariance_of(const TreeDistribution& p, const Features& r, const Features& s) {
  const bool dense = expectations::is_dense(r) && expectations::is_dense(s);
  if (dense && p.report().method == Method::fast) {
    return expectations::dense_covariance(TreeAccess::state(p), r, s);
  }
  return tree_covariance(p, r.entries(), r.size(), s.entries(), s.size());
}

Matrix covariance_of(const LabelledTreeDistribution& p, const Features& r, const Features& s) {
  const Entries r_mean = label_means(p, r.entries()), s_mean = label_means(p, s.entries());
  Matrix covariance = tree_covariance(p.tree(), r_mean, r.size(), s_mean, s.size());
  add_diagonal(expectations::view(p), r.entries(), s.entries(), covariance);
  Matrix means = Matrix::Zero(r.size(), s.size());
  add_diagonal(expectations::view(p.tree()), r_mean, s_mean, means);
  return covariance - means;
}

}  // namespace

template <class D>
Vector expectation(const D& p, const Features& r) {
  expectations::check_features("expectation", p, r);
  const View v = expectations::view(p);
  if (expectations::is_dense(r)) {
    const MatrixView marginals(v.marginals, v.words + 1, v.words + 1);
    const Matrix by_dependent = marginals.rightCols(v.words).transpose();
    const Eigen::Map<const Vector> flat(by_dependent.data(), by_dependent.size());
    return (expectations::dense_rows(r).transpose() * flat).head(r.size());
  }
  Vector sum = Vector::Zero(r.size());
  for (const FeatureEntry& e : r.entries()) {
    sum(e.feature) += v.marginals[v.index(e.head, e.dependent, e.label)] * e.value;
  }
  return sum;
}

template <class D>
Matrix covariance(const D& p, const Features& r, const Features& s) {
  expectations::check_features("covariance", p, r);
  expectations::check_features("covariance", p, s);
  return covariance_of(p, r, s);
}

template <class D>
Matrix second_order(const D& p, const Features& r, const Features& s) {
  expectations::check_features("second_order", p, r);
  expectations::check_features("second_order", p, s);
  return covariance_of(p, r, s) + expectation(p, r) * expectation(p, s).transpose();
}

template Vector expectation(const TreeDistribution&, const Features&);
template Vector expectation(const LabelledTreeDistribution&, const Features&);
template Matrix covariance(const TreeDistribution&, const Features&, const Features&);
template Matrix covariance(const LabelledTreeDistribution&, const Features&, const Features&);
template Matrix second_order(const TreeDistribution&, const Features&, const Features&);
template Matrix second_order(const LabelledTreeDistribution&, const Features&, const Features&);

}  // namespace kirchhoff
