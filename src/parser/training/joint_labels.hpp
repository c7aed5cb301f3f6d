// Relations that are learnt together with the tree. They know the two words of their arc and nothing of the other arcs,
// so they are summed out of the scores of arcs before trees are looked at, whatever else a model scores: the gradient
// by the score of an arc's relation is that by the arc's score times the probability of the relation given the arc.
#pragma once

#include "learn/labelled_loss.hpp"
#include "parser/training/feature_lists.hpp"
#include "parser/training/label_trainer.hpp"

#include <span>
#include <vector>

namespace kirchhoff::parser {

/// The relations of one sentence's candidates without a tree, and the gradient of an objective by their scores.
class SummedLabels {
 public:
  SummedLabels(const LabelTrainer& labels, const FeatureLists& lists, std::vector<double> given)
      : labels_(&labels), lists_(&lists), given_(std::move(given)) {}

  /// The probability of a relation given the arc.
  double given(std::size_t candidate, std::size_t label) const { return given_[candidate * count() + label]; }
  /// Adds weight times the derivative of that probability to the gradient.
  void add_given(std::size_t candidate, std::size_t label, double weight);
  /// The entropy of the relations given the arc, weight times the derivative of which is added to the gradient.
  double add_entropy(std::size_t candidate, double weight);
  /// Adds what comes from a gradient by the scores of arcs, relations summed out, and turns all of it into updates.
  void finish(std::span<const double> by_candidate, Contribution& updates) const;

 private:
  std::size_t count() const { return labels_->label_use().size(); }
  const LabelTrainer* labels_;
  const FeatureLists* lists_;
  std::vector<double> given_;     ///< Candidate c and label l at c * count() + l.
  std::vector<double> gradient_;  ///< The same for what add_given() added; empty when that is nothing.
};

class JointLabels {
 public:
  /// `labels` keeps the weights of relations and their features, which its templates make of arcs.
  JointLabels(LabelTrainer& labels, base::Crew& crew) : labels_(&labels), crew_(&crew) {}

  /// The features of relations that the candidates have.
  std::vector<FeatureLists> lists(const std::vector<Encoded>& sentences,
                                  const std::vector<Candidates>& candidates) const;
  /// The candidates with a score for each label: the arc's and its own, -inf where labels were never seen.
  learn::LabelledArcs labelled(const Candidates& candidates, const FeatureLists& lists,
                               std::span<const double> arc_scores) const;
  /// The same, summed out under a loss. An arc without labels, such as one into the root's dependents where trees are
  /// one word below another, keeps its score, as in the parser.
  learn::FoldedArcs folded(const Candidates& candidates, const FeatureLists& lists, std::span<const double> arc_scores,
                           const Gold& gold, const Loss& loss) const;
  /// Sums labels out where there is no loss: adds to the scores of arcs what their labels add.
  SummedLabels sum(const Candidates& candidates, const FeatureLists& lists, std::span<double> arc_scores) const;
  /// Turns a gradient by the scores of labels into updates of their weights.
  void add_updates(const FeatureLists& lists, std::span<const double> gradient, Contribution& updates) const;

  LabelTrainer& trainer() const { return *labels_; }
  Learner& learner() const { return labels_->learner(); }

 private:
  LabelTrainer* labels_;
  base::Crew* crew_;
};

}  // namespace kirchhoff::parser
