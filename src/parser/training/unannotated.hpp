// Learning from sentences without trees. Functions of the model's distribution over their trees, with the gradients
// that expectation.hpp gives, are added to the loss of the trees after each of its batches, or stand alone.
//
//   entropy weight * H_alpha(p)                                 the model should be sure of itself
//   constraint weight * sum_c penalty(E[f_c] / N_c, share_c)    shares of heads by tag [Druck09; Zmigrod21, sec. 6.4]
//   teacher weight * KL(teacher || p), KL(p || teacher)         what another model believes
//   teacher weight * -log p(the arcs the teacher is sure of)    self-training, when the teacher was trained before
//
// Shares are over the corpus, and a batch has few words of a rare tag. So E[f_c] and N_c are running sums, in which a
// batch counts less with each one that follows. The gradient of a batch is the penalty's slope at the running share
// times the gradient of sum E[f_c] / (the mean of N_c for as many sentences): where the running shares are those of the
// corpus, its mean over batches is the gradient for the corpus.
#pragma once

#include "parser/training/arc_trainer.hpp"
#include "parser/training/constraints.hpp"

namespace kirchhoff::parser {

/// Takes the steps on sentences without trees.
class UnannotatedTrainer {
 public:
  /// `arcs` keeps the weights and their features. What is learnt from the teacher is computed once.
  UnannotatedTrainer(const Unannotated& unannotated, std::vector<Encoded> sentences, std::vector<Candidates> candidates,
                     ArcTrainer& arcs, const TrainOptions& options, base::Crew& crew);

  std::size_t size() const { return sentences_.size(); }
  /// The objective of a batch, with the running sums that there are, and its gradient with respect to the weights.
  struct Objective {
    double value = 0.0;
    std::vector<Contribution> updates;  ///< One for each sentence, sorted.
    std::vector<double> sums;           ///< The running sums with this batch.
  };
  Objective objective(std::span<const std::size_t> batch) const;
  /// Takes one step and returns the objective before it.
  double step(std::span<const std::size_t> batch);
  /// Takes a step for each batch of these sentences. Returns the sum over sentences of their batch's objective.
  double learn(std::span<const std::size_t> sentences);
  /// Takes the steps that follow a batch of trees, the `count` after the first `first` ones of an epoch. Sentences come
  /// in this order, over and over.
  void follow(std::span<const std::size_t> order, std::size_t first, std::size_t count);

  /// For each constraint, the running sums of E[f_c] and N_c; a training that goes on needs them.
  const std::vector<double>& sums() const { return sums_; }
  /// Throws ModelError when these are not as many.
  void restore(const std::vector<double>& sums, const std::string& path);

 private:
  struct Unparsed {
    Encoded encoded;
    ArcLists lists;
    ConstrainedArcs constrained;
    Matrix teacher;  ///< The teacher's scores on the candidates; empty without a teacher or a tree in common.
    Heads settled;   ///< The heads that the teacher is sure of, and -1; empty when no confidence is asked for.
  };
  void ask_teacher(Parser& teacher, std::size_t i, Candidates& candidates);
  void take_scores(Parser& teacher, std::size_t i);
  /// For each constraint, the derivative of the objective by the batch's sum of E[f_c]. The constraints' part of the
  /// objective is added to o.value.
  std::vector<double> slopes(std::span<const std::size_t> batch, std::span<const TreeDistribution> p,
                             Objective& o) const;
  /// What the teacher's probabilities add to the objective of a sentence, and to its gradient.
  double add_divergence(const Unparsed& s, const TreeDistribution& p, Matrix& gradient) const;
  /// What the entropy and the teacher add to them.
  double add_others(const Unparsed& s, const TreeDistribution& p, Matrix& gradient) const;

  const Unannotated* unannotated_;
  ConstraintSet constraints_;
  std::vector<Unparsed> sentences_;
  std::vector<double> mean_words_;  ///< For each constraint, how many words of a sentence it is about.
  std::vector<double> sums_;
  ArcTrainer* arcs_;
  TrainOptions options_;
  base::Crew* crew_;
};

}  // namespace kirchhoff::parser
