// Reduces labelled trees to unlabelled ones: theta_ij = logsumexp_y theta_ijy, p(ij, y) = p(ij) softmax_y
// (docs/methods/trees.md). The bodies of LabelledOf's members, for the files that instantiate them.
#pragma once

#include "base/check.hpp"
#include "kirchhoff/tree.hpp"
#include "numeric/sum.hpp"
#include "tree/arc_labels.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace kirchhoff {
namespace tree {

inline std::vector<double> largest_scores(const LabelledMatrix& scores) {
  base::check_scores("LabelledTreeDistribution", scores);
  std::vector<double> largest(scores.words() + 1, -HUGE_VAL);
  for_each_labelled_arc(scores.words(), [&](int head, int dependent) {
    for (int y = 0; y < scores.labels(); ++y) {
      largest[dependent] = std::max(largest[dependent], scores(head, dependent, y));
    }
  });
  for (double& x : largest) x = x == -HUGE_VAL ? 0.0 : x;
  return largest;
}

inline Matrix sum_over_labels(const LabelledMatrix& scores, const std::vector<double>& word_shift) {
  const int n = scores.words();
  Matrix sums = Matrix::Constant(n + 1, n + 1, -HUGE_VAL);
  for_each_labelled_arc(n, [&](int head, int dependent) {
    sums(head, dependent) = ArcLabels(scores, head, dependent).log_sum_minus(word_shift[dependent]);
  });
  return sums;
}

}  // namespace tree

template <class T>
LabelledOf<T>::LabelledOf(LabelledMatrix scores, Root root, Accuracy accuracy)
    : scores_(std::move(scores)),
      word_shift_(tree::largest_scores(scores_)),
      tree_(tree::sum_over_labels(scores_, word_shift_), root, accuracy),
      marginals_(scores_.words(), scores_.labels()) {
  tree::for_each_labelled_arc(words(), [&](int head, int dependent) {
    const double p = tree_.marginals()(head, dependent);
    if (p == 0.0) return;
    const tree::ArcLabels arc(scores_, head, dependent);
    for (int y = 0; y < labels(); ++y) marginals_(head, dependent, y) = p * arc.share(y);
  });
}

template <class T>
double LabelledOf<T>::log_partition() const {
  numeric::Sum sum;
  sum.add(tree_.log_partition());
  for (const double shift : word_shift_) sum.add(shift);
  return sum.value();
}

template <class T>
LabelledMatrix LabelledOf<T>::log_marginals() const {
  LabelledMatrix result(words(), labels(), -HUGE_VAL);
  const Matrix arcs = tree_.log_marginals();
  tree::for_each_labelled_arc(words(), [&](int head, int dependent) {
    if (arcs(head, dependent) == -HUGE_VAL) return;
    const tree::ArcLabels arc(scores_, head, dependent);
    for (int y = 0; y < labels(); ++y) {
      result(head, dependent, y) = std::min(arcs(head, dependent) + arc.log_share(y), 0.0);
    }
  });
  return result;
}

template <class T>
double LabelledOf<T>::log_prob(const Heads& heads, const std::vector<int>& tree_labels) const {
  check_tree(heads, words(), root(), "log_prob");
  if (tree_labels.size() != heads.size()) {
    base::input_error("log_prob", "labels: " + std::to_string(tree_labels.size()) + " entries, expected " +
                                      std::to_string(heads.size()) + " (labels[0] is ignored)");
  }
  double log_p = tree_.log_prob(heads);
  if (log_p == -HUGE_VAL) return log_p;
  numeric::Sum sum;
  sum.add(log_p);
  for (int d = 1; d <= words(); ++d) {
    tree::check_label("log_prob", tree_labels[d], labels());
    sum.add(tree::ArcLabels(scores_, heads[d], d).log_share(tree_labels[d]));
    if (scores_(heads[d], d, tree_labels[d]) == -HUGE_VAL) return -HUGE_VAL;
  }
  return std::min(sum.value(), 0.0);
}

template <class T>
double LabelledOf<T>::pair_marginal(Arc a, int label_of_a, Arc b, int label_of_b) const {
  for (const auto& [arc, label] : {std::pair(a, label_of_a), std::pair(b, label_of_b)}) {
    base::check_arc("pair_marginal", arc, words());
    tree::check_label("pair_marginal", label, labels());
  }
  if (a == b) return label_of_a == label_of_b ? marginals_(a.head, a.dependent, label_of_a) : 0.0;
  const double both = tree_.pair_marginal(a, b);  // Given the tree, labels are independent.
  if (both == 0.0) return 0.0;
  return both * tree::ArcLabels(scores_, a.head, a.dependent).share(label_of_a) *
         tree::ArcLabels(scores_, b.head, b.dependent).share(label_of_b);
}

template <class T>
double LabelledOf<T>::log_count() const {
  LabelledMatrix zeros = scores_;
  for (std::size_t i = 0; i < zeros.size(); ++i) {
    if (zeros.data()[i] != -HUGE_VAL) zeros.data()[i] = 0.0;
  }
  return with_scores(std::move(zeros)).log_partition();
}

template <class T>
LabelledOf<T> LabelledOf<T>::with_scores(LabelledMatrix other) const {
  if (other.words() != words() || other.labels() != labels()) {
    base::input_error("with_scores", "scores: " + std::to_string(other.words()) + " words and " +
                                         std::to_string(other.labels()) + " labels, expected " +
                                         std::to_string(words()) + " and " + std::to_string(labels()));
  }
  return {std::move(other), root(), tree_.accuracy()};
}

template <class T>
LabelledOf<T> LabelledOf<T>::with_temperature(double temperature) const {
  if (!(temperature > 0.0) || !std::isfinite(temperature)) {
    base::input_error("with_temperature",
                      "temperature must be positive and finite, not " + std::to_string(temperature));
  }
  LabelledMatrix other = scores_;
  for (std::size_t i = 0; i < other.size(); ++i) other.data()[i] /= temperature;
  return with_scores(std::move(other));
}

template <class T>
LabelledOf<T> LabelledOf<T>::require(Arc arc, int label) const {
  base::check_arc("require", arc, words());
  tree::check_label("require", label, labels());
  const double score = scores_(arc.head, arc.dependent, label);
  if (score == -HUGE_VAL) {
    throw Infeasible("required arc " + std::to_string(arc.head) + " -> " + std::to_string(arc.dependent) +
                     " with label " + std::to_string(label) + " is impossible");
  }
  LabelledMatrix other = scores_;
  for (int head = 0; head <= words(); ++head) {
    for (int y = 0; y < labels(); ++y) other(head, arc.dependent, y) = -HUGE_VAL;
  }
  other(arc.head, arc.dependent, label) = score;
  return with_scores(std::move(other));
}

template <class T>
LabelledOf<T> LabelledOf<T>::forbid(Arc arc, int label) const {
  base::check_arc("forbid", arc, words());
  tree::check_label("forbid", label, labels());
  LabelledMatrix other = scores_;
  other(arc.head, arc.dependent, label) = -HUGE_VAL;
  return with_scores(std::move(other));
}

template <class T>
LabelledMatrix LabelledOf<T>::marginals_along(const LabelledMatrix& direction) const {
  if (direction.words() != words() || direction.labels() != labels()) {
    base::input_error("marginals_along", "direction has another shape than the scores");
  }
  // Given the tree, labels are independent: Cov(r, 1_ijy) = p_ij q_y (r_ijy - mean) + q_y Cov(mean, 1_ij), where q is
  // the label's share and mean_ij = sum_y q_y r_ijy.
  Matrix mean = Matrix::Zero(words() + 1, words() + 1);
  tree::for_each_labelled_arc(words(), [&](int head, int dependent) {
    const tree::ArcLabels arc(scores_, head, dependent);
    for (int y = 0; y < labels(); ++y) {
      const double weight = arc.share(y);
      const double r = direction(head, dependent, y);
      if (weight == 0.0) continue;
      if (!std::isfinite(r)) {
        base::input_error("marginals_along",
                          "direction at " + tree::label_place(head, dependent, y) + " is not finite");
      }
      mean(head, dependent) += weight * r;
    }
  });
  const Matrix along = tree_.marginals_along(mean);
  LabelledMatrix result(words(), labels());
  tree::for_each_labelled_arc(words(), [&](int head, int dependent) {
    const tree::ArcLabels arc(scores_, head, dependent);
    for (int y = 0; y < labels(); ++y) {
      const double weight = arc.share(y);
      if (weight == 0.0) continue;
      const double deviation = direction(head, dependent, y) - mean(head, dependent);
      result(head, dependent, y) = marginals_(head, dependent, y) * deviation + weight * along(head, dependent);
    }
  });
  return result;
}

}  // namespace kirchhoff
