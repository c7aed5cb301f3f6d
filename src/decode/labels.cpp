// Best labels of arcs, one after the other. O(n^2 L) for the best of all arcs.
#include "decode/labels.hpp"

#include "base/check.hpp"

#include <cmath>
#include <string>

namespace kirchhoff::decode {

LabelChoice next_label(const LabelledMatrix& scores, Arc arc, const LabelChoice& after) {
  LabelChoice best{-1, -HUGE_VAL};
  for (int label = 0; label < scores.labels(); ++label) {
    const double x = scores(arc.head, arc.dependent, label);
    const bool later = x < after.score || (x == after.score && label > after.label);
    if (later && x > best.score) best = {label, x};
  }
  return best;
}

LabelChoice best_label(const LabelledMatrix& scores, Arc arc) { return next_label(scores, arc, {-1, HUGE_VAL}); }

BestLabels best_labels(const char* function, const LabelledMatrix& scores) {
  const int n = scores.words();
  if (n < 1) base::input_error(function, "scores: no word; n words need (n+1) x (n+1) cells");
  BestLabels best{Matrix::Constant(n + 1, n + 1, -HUGE_VAL), std::vector<int>((n + 1) * (n + 1), -1)};
  for (int head = 0; head <= n; ++head) {
    for (int dependent = 1; dependent <= n; ++dependent) {
      if (head == dependent) continue;
      base::check_scores(function, scores, {head, dependent});
      const LabelChoice choice = best_label(scores, {head, dependent});
      best.scores(head, dependent) = choice.score;
      best.labels[head * (n + 1) + dependent] = choice.label;
    }
  }
  return best;
}

}  // namespace kirchhoff::decode
