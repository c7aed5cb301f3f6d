// Arcs with labels: loops over them, the sum over the labels of one, and their shares of it.
#pragma once

#include "base/check.hpp"
#include "kirchhoff/types.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

namespace kirchhoff::tree {

inline std::string label_place(int head, int dependent, int label) {
  return "scores(" + std::to_string(head) + ", " + std::to_string(dependent) + ", " + std::to_string(label) + ")";
}

inline void check_label(const char* function, int label, int labels) {
  if (label >= 0 && label < labels) return;
  base::input_error(function, "label " + std::to_string(label) + " is not in 0.." + std::to_string(labels - 1));
}

template <class Visit>
void for_each_labelled_arc(int words, Visit visit) {
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
      : ArcLabels(scores.data() + (static_cast<std::size_t>(head) * (scores.words() + 1) + dependent) * scores.labels(),
                  scores.labels()) {}
  ArcLabels(const double* first, int labels) : first_(first), top_(*std::max_element(first, first + labels)) {
    for (int y = 0; possible() && y < labels; ++y) sum_ += std::exp(first_[y] - top_);
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

}  // namespace kirchhoff::tree
