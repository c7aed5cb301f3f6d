// Reduces labelled trees to unlabelled ones: theta_ij = logsumexp_y theta_ijy, p(ij, y) = p(ij) softmax_y
// (docs/methods/trees.md).
#include "base/check.hpp"
#include "kirchhoff/tree.hpp"
#include "numeric/sum.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace kirchhoff {
namespace {

std::string place(int head, int dependent, int label) {
  return "scores(" + std::to_string(head) + ", " + std::to_string(dependent) + ", " + std::to_string(label) + ")";
}

void check_label(const char* function, int label, int labels) {
  if (label >= 0 && label < labels) return;
  base::input_error(function, "label " + std::to_string(label) + " is not in 0.." + std::to_string(labels - 1));
}

template <class Visit>
void for_each_arc(int words, Visit visit) {
  for (int head = 0; head <= words; ++head) {
    for (int dependent = 1; dependent <= words; ++dependent) {
      if (head != dependent) visit(head, dependent);
    }
  }
}

// The labels of one arc: logsumexp = top + log(sum), kept apart because their sum would lose digits to large scores.
class ArcLabels {
 public:
  ArcLabels(const LabelledMatrix& scores, int head, int dependent)
      : first_(scores.data() + (static_cast<std::size_t>(head) * (scores.words() + 1) + dependent) * scores.labels()) {
    top_ = *std::max_element(first_, first_ + scores.labels());
    for (int y = 0; possible() && y < scores.labels(); ++y) sum_ += std::exp(first_[y] - top_);
  }
  bool possible() const { return top_ != -HUGE_VAL; }
  double log_sum_minus(double shift) const { return possible() ? (top_ - shift) + std::log(sum_) : top_; }
  /// Conditional probability of the label given the arc.
  double share(int label) const { return possible() ? std::exp(first_[label] - top_) / sum_ : 0.0; }
  double log_share(int label) const { return possible() ? (first_[label] - top_) - std::log(sum_) : -HUGE_VAL; }

 private:
  const double* first_;
  double top_;
  double sum_ = 0.0;
};

std::vector<double> largest_scores(const LabelledMatrix& scores) {
  base::check_scores("LabelledTreeDistribution", scores);
  std::vector<double> largest(scores.words() + 1, -HUGE_VAL);
  for_each_arc(scores.words(), [&](int head, int dependent) {
    for (int y = 0; y < scores.labels(); ++y) {
      largest[dependent] = std::max(largest[dependent], scores(head, dependent, y));
    }
  });
  for (double& x : largest) x = x == -HUGE_VAL ? 0.0 : x;
  return largest;
}

Matrix sum_over_labels(const LabelledMatrix& scores, const std::vector<double>& word_shift) {
  const int n = scores.words();
  Matrix sums = Matrix::Constant(n + 1, n + 1, -HUGE_VAL);
  for_each_arc(n, [&](int head, int dependent) {
    sums(head, dependent) = ArcLabels(scores, head, dependent).log_sum_minus(word_shift[dependent]);
  });
  return sums;
}

}  // namespace

LabelledTreeDistribution::LabelledTreeDistribution(LabelledMatrix scores, Root root, Accuracy accuracy)
    : scores_(std::move(scores)),
      word_shift_(largest_scores(scores_)),
      tree_(sum_over_labels(scores_, word_shift_), root, accuracy),
      marginals_(scores_.words(), scores_.labels()) {
  for_each_arc(words(), [&](int head, int dependent) {
    const double p = tree_.marginals()(head, dependent);
    if (p == 0.0) return;
    const ArcLabels arc(scores_, head, dependent);
    for (int y = 0; y < labels(); ++y) marginals_(head, dependent, y) = p * arc.share(y);
  });
}

double LabelledTreeDistribution::log_partition() const {
  numeric::Sum sum;
  sum.add(tree_.log_partition());
  for (const double shift : word_shift_) sum.add(shift);
  return sum.value();
}

LabelledMatrix LabelledTreeDistribution::log_marginals() const {
  LabelledMatrix result(words(), labels(), -HUGE_VAL);
  const Matrix tree = tree_.log_marginals();
  for_each_arc(words(), [&](int head, int dependent) {
    if (tree(head, dependent) == -HUGE_VAL) return;
    const ArcLabels arc(scores_, head, dependent);
    for (int y = 0; y < labels(); ++y) {
      result(head, dependent, y) = std::min(tree(head, dependent) + arc.log_share(y), 0.0);
    }
  });
  return result;
}

double LabelledTreeDistribution::log_prob(const Heads& heads, const std::vector<int>& tree_labels) const {
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
    check_label("log_prob", tree_labels[d], labels());
    sum.add(ArcLabels(scores_, heads[d], d).log_share(tree_labels[d]));
    if (scores_(heads[d], d, tree_labels[d]) == -HUGE_VAL) return -HUGE_VAL;
  }
  return std::min(sum.value(), 0.0);
}

double LabelledTreeDistribution::log_count() const {
  LabelledMatrix zeros = scores_;
  for (std::size_t i = 0; i < zeros.size(); ++i) {
    if (zeros.data()[i] != -HUGE_VAL) zeros.data()[i] = 0.0;
  }
  return with_scores(std::move(zeros)).log_partition();
}

LabelledTreeDistribution LabelledTreeDistribution::with_scores(LabelledMatrix other) const {
  if (other.words() != words() || other.labels() != labels()) {
    base::input_error("with_scores", "scores: " + std::to_string(other.words()) + " words and " +
                                         std::to_string(other.labels()) + " labels, expected " +
                                         std::to_string(words()) + " and " + std::to_string(labels()));
  }
  return {std::move(other), root(), tree_.accuracy()};
}

LabelledTreeDistribution LabelledTreeDistribution::with_temperature(double temperature) const {
  if (!(temperature > 0.0) || !std::isfinite(temperature)) {
    base::input_error("with_temperature",
                      "temperature must be positive and finite, not " + std::to_string(temperature));
  }
  LabelledMatrix other = scores_;
  for (std::size_t i = 0; i < other.size(); ++i) other.data()[i] /= temperature;
  return with_scores(std::move(other));
}

LabelledTreeDistribution LabelledTreeDistribution::require(Arc arc, int label) const {
  base::check_arc("require", arc, words());
  check_label("require", label, labels());
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

LabelledTreeDistribution LabelledTreeDistribution::forbid(Arc arc, int label) const {
  base::check_arc("forbid", arc, words());
  check_label("forbid", label, labels());
  LabelledMatrix other = scores_;
  other(arc.head, arc.dependent, label) = -HUGE_VAL;
  return with_scores(std::move(other));
}

LabelledMatrix LabelledTreeDistribution::marginals_along(const LabelledMatrix& direction) const {
  if (direction.words() != words() || direction.labels() != labels()) {
    base::input_error("marginals_along", "direction has another shape than the scores");
  }
  // Given the tree, labels are independent: Cov(r, 1_ijy) = p_ij q_y (r_ijy - mean) + q_y Cov(mean, 1_ij), where q is
  // the label's share and mean_ij = sum_y q_y r_ijy.
  Matrix mean = Matrix::Zero(words() + 1, words() + 1);
  for_each_arc(words(), [&](int head, int dependent) {
    const ArcLabels arc(scores_, head, dependent);
    for (int y = 0; y < labels(); ++y) {
      const double weight = arc.share(y);
      const double r = direction(head, dependent, y);
      if (weight == 0.0) continue;
      if (!std::isfinite(r)) {
        base::input_error("marginals_along", "direction at " + place(head, dependent, y) + " is not finite");
      }
      mean(head, dependent) += weight * r;
    }
  });
  const Matrix along = tree_.marginals_along(mean);
  LabelledMatrix result(words(), labels());
  for_each_arc(words(), [&](int head, int dependent) {
    const ArcLabels arc(scores_, head, dependent);
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
