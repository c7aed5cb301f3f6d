// Learning the weights of arcs and of their relations together, by losses over labelled trees. Relations know the two
// words of their arc and nothing of the other arcs, so their sum for an arc can be taken before trees are looked at.
#pragma once

#include "learn/labelled_loss.hpp"
#include "parser/training/arc_trainer.hpp"
#include "parser/training/label_trainer.hpp"

namespace kirchhoff::parser {

class JointTrainer : public ArcTrainer {
 public:
  /// `labels` keeps the weights of relations and their features, which its templates make of arcs.
  JointTrainer(const std::vector<Encoded>& sentences, const Templates& arcs, LabelTrainer& labels,
               const TrainOptions& options, base::Crew& crew);
  void take(std::vector<Candidates> candidates) override;
  std::unique_ptr<TextModel> text_model() override;
  LabelTrainer& labels() const { return *labels_; }
  /// The features of relations that the candidates have. The candidates themselves are left out.
  std::vector<ArcLists> label_lists(const std::vector<Encoded>& sentences,
                                    const std::vector<Candidates>& candidates) const;
  /// The scores of arcs with relations summed out. `given` becomes the probabilities of each arc's relations.
  Matrix folded_scores(const ArcLists& lists, const ArcLists& label_lists, int words, std::vector<double>& given) const;

 protected:
  struct JointResult : Result {
    Contribution of_labels;
  };
  std::unique_ptr<Result> make_result() const override { return std::make_unique<JointResult>(); }
  void compute_updates(std::size_t sentence, Result& result) override;
  void take_steps(std::span<const Gradient> gradients, std::span<const std::unique_ptr<Result>> results) override;

 private:
  learn::LabelledArcs labelled_arcs(const ArcLists& lists, const ArcLists& label_lists, int words) const;

  LabelTrainer* labels_;
  std::vector<ArcLists> label_lists_;  ///< Their candidates are left out: those of lists_ are the same.
};

}  // namespace kirchhoff::parser
