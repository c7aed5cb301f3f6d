// Sentences without trees under models of arcs, whose distributions over trees are exact.
#pragma once

#include "kirchhoff/expectation.hpp"
#include "parser/training/arc_trainer.hpp"
#include "parser/training/joint_trainer.hpp"
#include "parser/training/text_model.hpp"

#include <functional>

namespace kirchhoff::parser {

/// A distribution by the scores of arcs.
class ExactTrees : public TextTrees {
 public:
  /// Turns the gradient by these scores into updates.
  using Finish = std::function<void(const Matrix& gradient, TextUpdates& updates)>;
  ExactTrees(const Candidates& candidates, Matrix scores, Root root, Finish finish);

  std::vector<double> probabilities() const override;
  double add_entropy(double weight, double order) override;
  double add_divergence(const TreeScores& teacher, double forward, double reverse) override;
  double add_settled(const Heads& settled, double weight) override;
  void add_probabilities(std::span<const double> weights) override;
  void finish(TextUpdates& updates) override;

 private:
  Matrix matrix_of(std::span<const double> by_candidate, double others) const;

  const Candidates* candidates_;
  Matrix scores_;
  TreeDistribution p_;
  Finish finish_;
  Matrix gradient_, direction_;
};

/// The sentences of an ArcTrainer's model.
class ArcText : public TextModel {
 public:
  explicit ArcText(ArcTrainer& arcs) : TextModel(arcs.learner(), arcs.root(), arcs.crew()), arcs_(&arcs) {}
  void read(std::vector<Encoded> sentences, std::vector<Candidates> candidates) override;
  const Candidates& candidates(std::size_t i) const override { return lists_[i].candidates; }
  std::unique_ptr<TextTrees> trees(std::size_t i) const override;

 protected:
  std::vector<ArcLists> lists_;

 private:
  ArcTrainer* arcs_;
};

/// Those of a model of joint relations, which are summed out: objectives are about trees.
class JointText : public ArcText {
 public:
  explicit JointText(JointTrainer& joint) : ArcText(joint), joint_(&joint) {}
  void read(std::vector<Encoded> sentences, std::vector<Candidates> candidates) override;
  std::unique_ptr<TextTrees> trees(std::size_t i) const override;
  void step(std::span<const TextUpdates> updates, double objective) override;

 private:
  JointTrainer* joint_;
  std::vector<ArcLists> label_lists_;
};

}  // namespace kirchhoff::parser
