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
/// What is left of labelled arcs when their labels are summed out under a loss, whose costs are in theta then. With
/// L(theta; y) the loss over trees without costs, that over labelled trees is L(theta; y) + excess.
struct FoldedArcs {
  std::vector<double> theta;      ///< By arc: 1/beta log sum over labels of exp beta [score + gamma cost].
  std::vector<double> given;      ///< The probabilities of the labels that this makes, as LabelledArcs::scores lie.
  std::vector<std::size_t> gold;  ///< gold[d - 1] is the arc into word d.
  std::vector<double> right;      ///< By arc: the probability of the gold label of a gold arc; 0 for other arcs.
  double excess = 0.0;            ///< The sum over gold arcs of theta, less the score of the gold labelled tree.
};
/// Of the expected cost beta is 1, and gamma 0. InputError: `gold` has an arc or a label that is not there.
FoldedArcs fold_arcs(const char* function, const LabelledArcs& arcs, const Gold& gold, const Loss& loss);
/// The gradient by the scores of labels from that by theta. `of_gold` has the weight of a gold arc's own label: 1 for
/// each, and for the expected cost the probability of the arc with that label.
std::vector<double> unfold(const FoldedArcs& folded, const Gold& gold, std::span<const double> by_theta,
                           std::span<const double> of_gold);

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
