// One way to look at unlabelled and labelled distributions: flat arrays with the index (head * (n+1) + dependent) *
// labels + label.
#pragma once

#include "base/check.hpp"
#include "kirchhoff/expectation.hpp"
#include "tree/marginals_along.hpp"
#include "tree/state.hpp"

#include <cmath>
#include <cstddef>
#include <string>

namespace kirchhoff::expectations {

struct View {
  int words;
  int labels;
  const double* scores;
  const double* marginals;
  const tree::TreeState& tree;  // the state of the tree without its labels
  const double* word_shift;     // what was taken off the scores to get the tree's, or null

  std::size_t size() const { return static_cast<std::size_t>(words + 1) * (words + 1) * labels; }
  std::size_t index(int head, int dependent, int label) const {
    return (static_cast<std::size_t>(head) * (words + 1) + dependent) * labels + label;
  }
};

inline View view(const TreeDistribution& p) {
  return {p.words(), 1, p.scores().data(), p.marginals().data(), TreeAccess::state(p), nullptr};
}
inline View view(const LabelledTreeDistribution& p) {
  return {p.words(),
          p.labels(),
          p.scores().data(),
          p.marginals().data(),
          TreeAccess::state(p.tree()),
          TreeAccess::word_shift(p).data()};
}

inline Matrix empty_array(const TreeDistribution& p) { return Matrix::Zero(p.words() + 1, p.words() + 1); }
inline LabelledMatrix empty_array(const LabelledTreeDistribution& p) { return {p.words(), p.labels()}; }

/// Gradient of E[r]; entries of r at impossible arcs may be anything.
inline Matrix expectation_gradient(const TreeDistribution& p, const MatrixRef& r) {
  Matrix result(p.words() + 1, p.words() + 1);
  tree::marginals_along(TreeAccess::state(p), r, result.data());
  return result;
}
inline LabelledMatrix expectation_gradient(const LabelledTreeDistribution& p, const LabelledMatrix& r) {
  return p.marginals_along(r);
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
