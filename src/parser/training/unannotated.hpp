// Learning from sentences without trees. Three functions of the model's distribution over their trees, with the
// gradients that expectation.hpp gives, are added to the loss of the trees after each of its batches.
//
//   entropy weight * H(p)                                       the model should be sure of itself
//   constraint weight * sum_c (E[f_c] / N_c - share_c)^2        shares of heads by tag, over the batch [Zmigrod21]
//   teacher weight * KL(teacher || p)                           what another model believes
#pragma once

#include "parser/training/arc_trainer.hpp"

namespace kirchhoff::parser {

/// Takes the steps that follow those on trees.
class UnannotatedTrainer {
 public:
  /// `arcs` keeps the weights and their features. The teacher's scores are computed once.
  UnannotatedTrainer(const Unannotated& unannotated, std::vector<Encoded> sentences, std::vector<Candidates> candidates,
                     ArcTrainer& arcs, const TrainOptions& options, base::Crew& crew);

  std::size_t size() const { return sentences_.size(); }
  /// The objective of a batch and its gradient with respect to the weights.
  struct Objective {
    double value = 0.0;
    Contribution updates;
  };
  Objective objective(std::span<const std::size_t> batch) const;
  /// Takes one step and returns the objective before it.
  double step(std::span<const std::size_t> batch);

 private:
  /// A constraint on the arcs from heads of one tag into words of another.
  struct Constraint {
    std::uint64_t dependent = 0, head = 0;
    bool root = false;  ///< Whether the head is the root.
    TagConstraint::Side side = TagConstraint::Side::any;
    double share = 0.0;
  };
  bool matches(const Constraint& c, const Encoded& s, int head, int dependent) const;
  /// The derivative d objective / d E[f_c] for each constraint c; adds the constraints' part of the objective to
  /// `value`.
  std::vector<double> constraint_slopes(std::span<const std::size_t> batch, std::span<const TreeDistribution> p,
                                        double& value) const;

  const Unannotated* unannotated_;
  std::vector<Encoded> sentences_;
  std::vector<ArcLists> lists_;
  std::vector<Matrix> teacher_;  ///< Its scores on the candidates; empty without a teacher or a tree in common.
  std::vector<Constraint> constraints_;
  ArcTrainer* arcs_;
  TrainOptions options_;
  base::Crew* crew_;
};

}  // namespace kirchhoff::parser
