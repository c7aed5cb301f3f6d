// Learning from sentences without trees: three functions of the model's distribution over their trees, each with the
// gradient that expectation.hpp gives, added to the labelled loss after each of its batches.
//   entropy weight * H(p)                                       the model shall be sure of itself
//   constraint weight * sum_c (E[f_c] / N_c - share_c)^2        shares of heads by tag, over the batch [Zmigrod21]
//   teacher weight * KL(teacher || p)                           what another model believes
#pragma once

#include "parser/training/arc_trainer.hpp"

namespace kirchhoff::parser {

class UnannotatedTrainer {
 public:
  /// `arcs` keeps the weights and their features. A teacher's scores are asked for once.
  UnannotatedTrainer(const Unannotated& unannotated, std::vector<Encoded> sentences, std::vector<Candidates> candidates,
                     const Templates& templates, ArcTrainer& arcs, const TrainOptions& options, base::Crew& crew);

  std::size_t size() const { return sentences_.size(); }
  /// The objective of a batch and its gradient with respect to the weights, as updates that point into this object.
  struct Objective {
    double value = 0.0;
    std::vector<Update> updates;
  };
  Objective objective(std::span<const std::size_t> batch) const;
  double step(std::span<const std::size_t> batch);

 private:
  /// Arcs into words of a tag from heads of a tag.
  struct Constraint {
    std::uint64_t dependent = 0, head = 0;
    bool root = false;  ///< the head is the root
    TagConstraint::Side side = TagConstraint::Side::any;
    double share = 0.0;
  };
  bool matches(const Constraint& c, const Encoded& s, int head, int dependent) const;
  /// For each constraint, what the scores must be multiplied with for its gradient: d objective / d E[f_c].
  std::vector<double> constraint_slopes(std::span<const std::size_t> batch, std::span<const TreeDistribution> p,
                                        double& value) const;

  const Unannotated* unannotated_;
  std::vector<Encoded> sentences_;
  std::vector<ArcLists> lists_;
  std::vector<Matrix> teacher_;  ///< scores on the candidates; empty: none, or no tree in common
  std::vector<Constraint> constraints_;
  ArcTrainer* arcs_;
  TrainOptions options_;
  base::Crew* crew_;
};

}  // namespace kirchhoff::parser
