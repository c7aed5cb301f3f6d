// One way to look at unlabelled and labelled distributions: flat arrays with the index (head * (n+1) + dependent) *
// labels + label.
#pragma once

#include "base/check.hpp"
#include "kirchhoff/expectation.hpp"
#include "tree/log_probabilities.hpp"
#include "tree/marginals_along.hpp"
#include "tree/state.hpp"

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace kirchhoff::expectations {

struct View {
  int words;
  int labels;
  const double* scores;
  const double* marginals;
  const tree::Weights& weights;      // how the scores of the tree without its labels were shifted
  const numeric::Sum& log_z_scaled;  // log Z of what they are then
  const double* arcs = nullptr;      // with labels, the scores of the tree without them

  std::size_t size() const { return static_cast<std::size_t>(words + 1) * (words + 1) * labels; }
  std::size_t index(int head, int dependent, int label) const {
    return (static_cast<std::size_t>(head) * (words + 1) + dependent) * labels + label;
  }
};

/// What a kind of distribution must tell about itself: see TreeDistribution's.
template <class D>
struct Reading;
template <>
struct Reading<TreeDistribution> {
  static View view(const TreeDistribution& p) {
    const tree::TreeState& state = TreeAccess::state(p);
    return {p.words(), 1, state.scores, state.marginals.data(), state.weights, state.log_z_scaled};
  }
  /// The gradient of E[r]; entries of r at impossible arcs may be anything.
  static Matrix expectation_gradient(const TreeDistribution& p, const MatrixRef& r) {
    Matrix result(p.words() + 1, p.words() + 1);
    tree::marginals_along(TreeAccess::state(p), r, result.data());
    return result;
  }
  /// Tells which arcs are in some tree, by structure; the index is head * (n+1) + dependent.
  static std::vector<bool> possible_arcs(const TreeDistribution& p) {
    return tree::possible_arcs(TreeAccess::state(p));
  }
};
template <class T>
struct Reading<LabelledOf<T>> {
  static View view(const LabelledOf<T>& p) {
    const View tree = Reading<T>::view(p.tree());
    return {p.words(),    p.labels(),        p.scores().data(), p.marginals().data(),
            tree.weights, tree.log_z_scaled, tree.scores};
  }
  static LabelledMatrix expectation_gradient(const LabelledOf<T>& p, const LabelledMatrix& r) {
    return p.marginals_along(r);
  }
  static std::vector<bool> possible_arcs(const LabelledOf<T>& p) { return Reading<T>::possible_arcs(p.tree()); }
};

template <class D>
View view(const D& p) {
  return Reading<D>::view(p);
}

template <class D>
Array<D> empty_array(const D& p) {
  if constexpr (kHasLabels<D>) {
    return LabelledMatrix(p.words(), p.labels());
  } else {
    return Matrix::Zero(p.words() + 1, p.words() + 1);
  }
}

template <class D, class R>
Array<D> expectation_gradient(const D& p, const R& r) {
  return Reading<D>::expectation_gradient(p, r);
}

template <class D>
void check_same_shape(const char* function, const D& p, const D& q) {
  const View a = view(p), b = view(q);
  if (a.words != b.words || a.labels != b.labels) {
    base::input_error(function, "p has " + std::to_string(a.words) + " words and " + std::to_string(a.labels) +
                                    " labels, q " + std::to_string(b.words) + " and " + std::to_string(b.labels));
  }
  if (p.root() != q.root()) base::input_error(function, "p and q have different root modes");
}

template <class D>
void check_features(const char* function, const D& p, const Features& f) {
  const View a = view(p);
  if (a.words == f.words() && a.labels == f.labels()) return;
  base::input_error(function, "features are for " + std::to_string(f.words()) + " words and " +
                                  std::to_string(f.labels()) + " labels, the distribution has " +
                                  std::to_string(a.words) + " and " + std::to_string(a.labels));
}

}  // namespace kirchhoff::expectations
