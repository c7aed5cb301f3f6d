// Sentences without trees under models of arcs, whose distributions over trees are exact.
#pragma once

#include "kirchhoff/expectation.hpp"
#include "parser/training/arc_trainer.hpp"
#include "parser/training/text_model.hpp"

#include <functional>

namespace kirchhoff::parser {

/// A distribution by the scores of arcs.
class ExactTrees : public TextTrees {
 public:
  /// Turns the gradient by the scores of candidates into updates of the weights of arcs.
  using Finish = std::function<void(std::span<const double> gradient, Contribution& updates)>;
  ExactTrees(const Candidates& candidates, std::span<const double> scores, Root root,
             std::optional<SummedLabels> labels, Finish finish);

  std::vector<double> probabilities() const override;
  double add_entropy(double weight, double order) override;
  double add_divergence(const TreeScores& teacher, double forward, double reverse) override;
  double add_settled(const Heads& settled, double weight) override;
  void add_probabilities(std::span<const double> weights) override;
  void finish(TextUpdates& updates) override;

 private:
  const Candidates* candidates_;
  Matrix scores_;
  TreeDistribution p_;
  Finish finish_;
  Matrix gradient_, direction_;
};

/// The sentences of an ArcTrainer's model.
class ArcText : public TextModel {
 public:
  explicit ArcText(ArcTrainer& arcs)
      : TextModel(arcs.learner(), arcs.root(), arcs.crew(), arcs.joint()), arcs_(&arcs) {}
  void read(std::vector<Encoded> sentences, std::vector<Candidates> candidates) override;
  std::unique_ptr<TextTrees> trees(std::size_t i) const override;

 private:
  ArcTrainer* arcs_;
  std::vector<FeatureLists> lists_;
};

}  // namespace kirchhoff::parser
