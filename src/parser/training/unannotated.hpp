// Learning from sentences without trees. Functions of the model's distribution over their trees, with the gradients
// that a TextModel gives, are added to the loss of the trees after each of its batches, or stand alone.
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

#include "base/crew.hpp"
#include "parser/training/constraints.hpp"
#include "parser/training/text_model.hpp"

namespace kirchhoff::parser {

/// Takes the steps on sentences without trees.
class UnannotatedTrainer {
 public:
  /// `model` keeps the weights and their features. What is learnt from the teacher is computed once.
  UnannotatedTrainer(const Unannotated& unannotated, const Inventory& inventory, std::vector<Encoded> sentences,
                     std::vector<Candidates> candidates, std::unique_ptr<TextModel> model, const TrainOptions& options,
                     base::Crew& crew);

  std::size_t size() const { return sentences_.size(); }
  /// The objective of a batch, with the running sums that there are, and its gradient with respect to the weights.
  struct Objective {
    double value = 0.0;
    std::vector<TextUpdates> updates;  ///< One for each sentence, sorted.
    std::vector<double> sums;          ///< The running sums with this batch.
  };
  Objective objective(std::span<const std::size_t> batch) const;
  /// Takes one step and returns the objective before it.
  double step(std::span<const std::size_t> batch);
  /// Takes a step for each batch of these sentences. Returns the sum over sentences of their batch's objective.
  double learn(std::span<const std::size_t> sentences);
  /// Takes the steps that follow the first `trees` trees of an epoch and were not taken yet. Sentences come in this
  /// order, over and over; those that follow a batch of trees begin a batch of their own. Returns false when stop ended
  /// this before its end.
  bool follow(std::span<const std::size_t> order, std::size_t trees, const Stop& stop);

  /// What a training that goes on needs: for each constraint, the running sums of E[f_c] and N_c, and then how many
  /// sentences of the epoch's text are done.
  std::vector<double> state() const;
  /// Throws ModelError when these are not as many. Without the last one, which older checkpoints do not have, all that
  /// follows `trees` trees is done.
  void restore(const std::vector<double>& state, const std::string& path, std::size_t trees = 0);

 private:
  struct Unparsed {
    ConstrainedArcs constrained;
    TreeScores teacher;  ///< Empty without a teacher or a tree in common.
    Heads settled;       ///< The heads that the teacher is sure of, and -1; empty when no confidence is asked for.
  };
  using Batch = std::span<const std::unique_ptr<TextTrees>>;
  /// How many sentences follow the first `trees` trees of an epoch.
  std::size_t text_of(std::size_t trees) const;
  void ask_teacher(Parser& teacher, std::size_t i, Candidates& candidates);
  /// For each constraint, the derivative of the objective by the batch's sum of E[f_c]. The constraints' part of the
  /// objective is added to o.value.
  std::vector<double> slopes(std::span<const std::size_t> batch, Batch trees, Objective& o) const;
  /// Adds what the entropy and the teacher have to say of a sentence, and returns their part of the objective.
  double add_others(const Unparsed& s, TextTrees& trees) const;
  void add_constraints(const Unparsed& s, std::span<const double> by_constraint, TextTrees& trees) const;

  const Unannotated* unannotated_;
  ConstraintSet constraints_;
  std::vector<Unparsed> sentences_;
  std::vector<double> mean_words_;  ///< For each constraint, how many words of a sentence it is about.
  std::vector<double> sums_;
  std::size_t done_ = 0;  ///< How many sentences of the epoch's text were learnt from.
  std::unique_ptr<TextModel> model_;
  std::size_t batch_;  ///< sentences to a step
  base::Crew* crew_;
};

}  // namespace kirchhoff::parser
