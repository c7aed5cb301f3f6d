// Losses over labelled trees, for arcs that are given one by one: a sentence's candidates, or all of a matrix.
#pragma once

#include "kirchhoff/expectation.hpp"
#include "kirchhoff/learn.hpp"

#include <span>
#include <vector>

namespace kirchhoff::learn {

/// 1/beta log sum_l exp(beta s_l), or the largest score for beta = inf, which are -inf when all are. The scores become
/// the probabilities of the labels of an arc, which is in the tree.
double fold_labels(std::span<double> scores, double beta);

/// Some arcs, each of them once, with a score for each label.
struct LabelledArcs {
  int words = 0;
  int labels = 0;
  std::vector<Arc> arcs;
  std::vector<double> scores;  ///< Of arc a and label l at a * labels + l; -inf forbids.
};
struct LabelledArcsObjective {
  double value = 0.0;
  std::vector<double> gradient;  ///< As the scores lie.
};

/// The loss and its gradient over all trees, or projective ones. Takes O(n^3 + A L) for A arcs with L labels, and
/// O(n^2 + A L) for beta = inf. InputError, in the name of `function`: `gold` is no such tree, or has an arc or a label
/// that is not there.
LabelledArcsObjective labelled_loss(const char* function, const LabelledArcs& arcs, const Gold& gold, Root root,
                                    Loss loss, bool projective);

}  // namespace kirchhoff::learn
