// Learning the weights of arcs and of their relations together, by losses over labelled trees. Relations know the two
// words of their arc and nothing of the other arcs, so their sum for an arc can be taken before trees are looked at.
#pragma once

#include "parser/training/arc_trainer.hpp"
#include "parser/training/label_trainer.hpp"

namespace kirchhoff::parser {

class JointTrainer : public ArcTrainer {
 public:
  /// `labels` keeps the weights of relations and their features, which its templates make of arcs.
  JointTrainer(const std::vector<Encoded>& sentences, const Templates& arcs, LabelTrainer& labels,
               const TrainOptions& options, base::Crew& crew);
  void take(std::vector<Candidates> candidates) override;

 protected:
  struct JointResult : Result {
    Contribution of_labels;
  };
  std::unique_ptr<Result> make_result() const override { return std::make_unique<JointResult>(); }
  void compute_updates(std::size_t sentence, Result& result) override;
  void finish_step(std::span<const std::unique_ptr<Result>> results) override;

 private:
  LabelTrainer* labels_;
  std::vector<ArcLists> label_lists_;  ///< Their candidates are left out: those of lists_ are the same.
};

}  // namespace kirchhoff::parser
