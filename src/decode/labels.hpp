// Labelled arcs reduce to unlabelled ones: each arc takes its best label, the lowest of several.
#pragma once

#include "kirchhoff/types.hpp"

#include <vector>

namespace kirchhoff::decode {

struct LabelChoice {
  int label = -1;  ///< -1 when none is possible
  double score = 0.0;
};

/// The best label of an arc that comes after `after` in the order of decreasing score, then increasing label. O(L).
LabelChoice next_label(const LabelledMatrix& scores, Arc arc, const LabelChoice& after);
LabelChoice best_label(const LabelledMatrix& scores, Arc arc);

struct BestLabels {
  Matrix scores;            ///< the score of each arc's best label, -inf where none is possible
  std::vector<int> labels;  ///< the label of each arc, at head * (n+1) + dependent
};
/// Throws InputError when a score is NaN, +inf or beyond base::kLargestScore.
BestLabels best_labels(const char* function, const LabelledMatrix& scores);

}  // namespace kirchhoff::decode
