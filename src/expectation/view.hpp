// One way to look at unlabelled and labelled distributions: flat arrays, index (head * (n+1) + dependent) * labels +
// label.
#pragma once

#include "core/check.hpp"
#include "kirchhoff/expectation.hpp"
#include "tree/state.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

namespace kirchhoff::detail {

struct View {
  int words;
  int labels;
  const double* scores;
  const double* marginals;
  const TreeState& tree;  // of the tree without its labels

  std::size_t size() const { return static_cast<std::size_t>(words + 1) * (words + 1) * labels; }
  std::size_t index(int head, int dependent, int label) const {
    return (static_cast<std::size_t>(head) * (words + 1) + dependent) * labels + label;
  }
};

/// Scaled score (log w: score minus the constants that leave the distribution as it is), -inf where no tree has the arc
/// or it cannot matter. What depends on the distribution only is computed from these: they keep their digits under
/// scores of any size.
inline double scaled_score(const View& v, int head, int dependent, std::size_t index) {
  constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();
  if (v.scores[index] == kMinusInfinity || head == dependent || dependent == 0) return kMinusInfinity;
  const tree::Weights& weights = v.tree.weights;
  const double loaded = weights.scores.data()[weights.node(head) * weights.ld + weights.node(dependent) - 1];
  return loaded == kMinusInfinity ? loaded : weights.shifted(v.scores[index], head, dependent);
}

/// Calls visit(index, scaled score) for all arcs and labels.
template <class Visit>
void for_each_scaled_score(const View& v, Visit visit) {
  for (int head = 0; head <= v.words; ++head) {
    for (int dependent = 0; dependent <= v.words; ++dependent) {
      for (int label = 0; label < v.labels; ++label) {
        const std::size_t i = v.index(head, dependent, label);
        visit(i, scaled_score(v, head, dependent, i));
      }
    }
  }
}

inline View view(const TreeDistribution& p) {
  return {p.words(), 1, p.scores().data(), p.marginals().data(), TreeAccess::state(p)};
}
inline View view(const LabelledTreeDistribution& p) {
  return {p.words(), p.labels(), p.scores().data(), p.marginals().data(), TreeAccess::state(p.tree())};
}

inline Matrix empty_array(const TreeDistribution& p) { return Matrix::Zero(p.words() + 1, p.words() + 1); }
inline LabelledMatrix empty_array(const LabelledTreeDistribution& p) { return {p.words(), p.labels()}; }

/// Gradient of E[r]; entries of r at impossible arcs may be anything.
inline Matrix expectation_gradient(const TreeDistribution& p, const MatrixRef& r) {
  Matrix result(p.words() + 1, p.words() + 1);
  marginals_along(TreeAccess::state(p), r, result.data());
  return result;
}
inline LabelledMatrix expectation_gradient(const LabelledTreeDistribution& p, const LabelledMatrix& r) {
  return p.marginals_along(r);
}

template <class D>
void check_same_shape(const char* function, const D& p, const D& q) {
  const View a = view(p), b = view(q);
  if (a.words != b.words || a.labels != b.labels) {
    core::input_error(function, "p has " + std::to_string(a.words) + " words and " + std::to_string(a.labels) +
                                    " labels, q " + std::to_string(b.words) + " and " + std::to_string(b.labels));
  }
  if (p.root() != q.root()) core::input_error(function, "p and q have different root modes");
}

template <class D>
void check_features(const char* function, const D& p, const Features& f) {
  const View a = view(p);
  if (a.words == f.words() && a.labels == f.labels()) return;
  core::input_error(function, "features are for " + std::to_string(f.words()) + " words and " +
                                  std::to_string(f.labels()) + " labels, the distribution has " +
                                  std::to_string(a.words) + " and " + std::to_string(a.labels));
}

/// A dense function's values as a matrix: one row per arc, ordered by dependent and then head, padded features.
inline MatrixView dense_rows(const Features& f) {
  const Eigen::Index arcs = static_cast<Eigen::Index>(f.words()) * (f.words() + 1);
  return {f.dense().data(), arcs, static_cast<Eigen::Index>(f.dense().size()) / arcs};
}

}  // namespace kirchhoff::detail
