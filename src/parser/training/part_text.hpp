// Sentences without trees under models of parts, whose beliefs and log Z are belief propagation's. With F Bethe's log
// Z, s the scores and b = dF/ds the beliefs at a fixed point, of arcs and of parts:
//
//   entropy              F(s) - s.b                            gradient -J s, J = db/ds being symmetric
//   Renyi's, order a     [F(a s) - a F(s)] / (1 - a)                    a [b(a s) - b(s)] / (1 - a)
//   sum of v.b           v.b                                            J v
//   KL(t || p)           F(s) - F(t) - (s - t).b(t)                     b(s) - b(t)
//   KL(p || t)           F(t) - F(s) - (t - s).b(s)                     J (s - t)
//   -log p(arcs)         F(s) - F(s where others are forbidden)         a difference of beliefs
//
// J v is dependency::beliefs_along. On graphs without loops these are the functions of the distribution over trees.
#pragma once

#include "dependency/second_order.hpp"
#include "parser/training/second_order_trainer.hpp"
#include "parser/training/text_model.hpp"

namespace kirchhoff::parser {

class PropagatedTrees : public TextTrees {
 public:
  /// The candidates must outlive it. `scores` are those of the candidates and the parts, joint labels summed out.
  PropagatedTrees(const Candidates& candidates, PartFeatures features, TreeScores scores, Root root,
                  std::optional<SummedLabels> labels);

  bool is_known() const override { return beliefs_.converged; }
  std::vector<double> probabilities() const override { return beliefs_.arcs; }
  double add_entropy(double weight, double order) override;
  double add_divergence(const TreeScores& teacher, double forward, double reverse) override;
  double add_settled(const Heads& settled, double weight) override;
  void add_probabilities(std::span<const double> weights) override;
  void finish(TextUpdates& updates) override;

 private:
  dependency::ScoredParts scored(const TreeScores& scores) const {
    return {features_.parts, *candidates_, root_, scores.arcs, scores.parts};
  }
  dependency::PartBeliefs beliefs_of(const TreeScores& scores) const;
  TreeScores without(TreeScores scores, const std::vector<char>& absent) const;
  void add_beliefs(double weight, const dependency::PartBeliefs& beliefs);
  void add_along(const TreeScores& scores, const dependency::PartNumbers& direction);

  const Candidates* candidates_;
  PartFeatures features_;
  Root root_;
  TreeScores scores_;
  dependency::PartBeliefs beliefs_;
  dependency::PartNumbers gradient_, direction_;
};

/// The sentences of a SecondOrderTrainer's model. Features of parts are looked up at every step.
class PartText : public TextModel {
 public:
  explicit PartText(SecondOrderTrainer& parts)
      : TextModel(parts.learner(), parts.root(), parts.crew(), parts.joint()), parts_(&parts) {}
  std::unique_ptr<TextTrees> trees(std::size_t i) const override;
  /// A teacher of the same parts also gives the scores of these.
  TreeScores teacher_scores(Parser& teacher, const Sentence& sentence, std::size_t i) const override;

 private:
  SecondOrderTrainer* parts_;
};

}  // namespace kirchhoff::parser
