// What learning from sentences without trees needs of a model, whatever its parts are: the distribution over the trees
// of each sentence, to which objectives add their gradients, and the steps.
#pragma once

#include "kirchhoff/parser.hpp"
#include "parser/features/encode.hpp"
#include "parser/inference/pruner.hpp"
#include "parser/training/contribution.hpp"
#include "parser/training/joint_labels.hpp"
#include "parser/training/learner.hpp"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace kirchhoff::parser {

/// Scores of trees: by candidate, -inf for arcs that are left out, and by part; without parts these have no score.
struct TreeScores {
  std::vector<double> arcs, parts;
};

/// What a sentence adds to the gradients by the weights of arcs and parts, and by those of joint relations.
struct TextUpdates {
  Contribution arcs, labels;
};

/// The distribution over the trees of one sentence, and the gradient of an objective. Each `add` adds a term with its
/// weight to the objective, whose value it returns. Joint labels are summed out: objectives are about trees, where
/// nothing else is said.
class TextTrees {
 public:
  explicit TextTrees(std::optional<SummedLabels> labels) : labels_(std::move(labels)) {}
  virtual ~TextTrees() = default;
  /// Whether there is one: propagation may not come to a fixed point, and then nothing is learnt.
  virtual bool is_known() const { return true; }
  /// The probability of each candidate.
  virtual std::vector<double> probabilities() const = 0;
  /// The entropy: Renyi's of this order, and Shannon's for 1.
  virtual double add_entropy(double weight, double order) = 0;
  /// KL(teacher || p) and KL(p || teacher), the latter among the arcs that the teacher has.
  virtual double add_divergence(const TreeScores& teacher, double forward, double reverse) = 0;
  /// -log of the probability of the trees that have these heads, where they are not -1.
  virtual double add_settled(const Heads& settled, double weight) = 0;
  /// The sum over candidates of weight times probability, whose value is not returned.
  virtual void add_probabilities(std::span<const double> weights) = 0;
  /// The probability of a joint label given its arc; 1 for -1, which is any label, and where labels are not joint.
  double given(std::size_t candidate, int label) const {
    return labels_ && label >= 0 ? labels_->given(candidate, static_cast<std::size_t>(label)) : 1.0;
  }
  /// Weight times that probability, whose value is not returned.
  void add_given(std::size_t candidate, int label, double weight) {
    if (labels_ && label >= 0) labels_->add_given(candidate, static_cast<std::size_t>(label), weight);
  }
  /// The entropy of joint labels given the trees, which with that of the trees is the entropy of labelled ones.
  double add_entropy_of_labels(double weight);
  /// Turns the gradient into updates of the model's weights. To be called once, at the end.
  virtual void finish(TextUpdates& updates) = 0;

 protected:
  /// The updates of joint labels by the gradient by the scores of candidates.
  void finish_labels(std::span<const double> by_candidate, TextUpdates& updates) const {
    if (labels_) labels_->finish(by_candidate, updates.labels);
  }

 private:
  std::optional<SummedLabels> labels_;
};

/// The sentences, and the model that scores their arcs and whose weights take the steps.
class TextModel {
 public:
  /// `joint` is null where relations are learnt on their own.
  TextModel(Learner& learner, Root root, base::Crew& crew, const JointLabels* joint = nullptr)
      : learner_(&learner), root_(root), crew_(&crew), joint_(joint) {}
  virtual ~TextModel() = default;
  /// Takes the sentences, whose numbers are from 0.
  virtual void read(std::vector<Encoded> sentences, std::vector<Candidates> candidates);
  const Encoded& sentence(std::size_t i) const { return sentences_[i]; }
  const Candidates& candidates(std::size_t i) const { return candidates_[i]; }
  virtual std::unique_ptr<TextTrees> trees(std::size_t i) const = 0;
  /// What a teacher says of the candidates: the scores of its distribution over trees. No arcs are returned where no
  /// tree is left of those that both have.
  virtual TreeScores teacher_scores(Parser& teacher, const Sentence& sentence, std::size_t i) const;
  /// Takes a step against the sum of these, the objective being what it is.
  void step(std::span<const TextUpdates> updates, double objective);
  Root root() const { return root_; }

 protected:
  /// Sums joint labels out of the scores of a sentence's candidates, to which it adds what they add.
  std::optional<SummedLabels> sum_labels(std::size_t i, std::span<double> arc_scores) const {
    if (joint_ == nullptr) return std::nullopt;
    return joint_->sum(candidates(i), label_lists_[i], arc_scores);
  }
  const std::vector<Encoded>& all_sentences() const { return sentences_; }
  const std::vector<Candidates>& all_candidates() const { return candidates_; }
  Learner* learner_;
  Root root_;
  base::Crew* crew_;

 private:
  const JointLabels* joint_;
  std::vector<Encoded> sentences_;
  std::vector<Candidates> candidates_;
  std::vector<FeatureLists> label_lists_;
};

}  // namespace kirchhoff::parser
