// Adds the scores of relations to those of arcs, and gives each its part of the gradient.
#include "parser/training/joint_trainer.hpp"

#include "kirchhoff/projective.hpp"
#include "learn/labelled_loss.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::parser {

JointTrainer::JointTrainer(const std::vector<Encoded>& sentences, const Templates& arcs, LabelTrainer& labels,
                           const TrainOptions& options, base::Crew& crew)
    : ArcTrainer(sentences, arcs, options, crew), labels_(&labels) {}

void JointTrainer::take(std::vector<Candidates> candidates) {
  label_lists_ = arc_lists(*sentences_, candidates, {labels_->keys(), labels_->templates()}, *crew_);
  for (ArcLists& lists : label_lists_) lists.candidates = {};
  ArcTrainer::take(std::move(candidates));
}

void JointTrainer::compute_updates(std::size_t sentence, Result& computed) {
  auto& result = static_cast<JointResult&>(computed);
  const Encoded& s = (*sentences_)[sentence];
  result.loss = 0.0;
  result.of_labels.clear();
  if (!options_.projective || is_projective(s.heads)) {
    const ArcLists& lists = lists_[sentence];
    const ArcLists& label_lists = label_lists_[sentence];
    const Matrix theta = scores(lists, s.words);
    const std::size_t labels = labels_->label_use().size();
    learn::LabelledArcs arcs{
        s.words, static_cast<int>(labels), {}, std::vector<double>(lists.candidates.size() * labels)};
    for_each_arc(lists.candidates, [&](int h, int d) {
      const std::span<double> own(arcs.scores.data() + arcs.arcs.size() * labels, labels);
      labels_->add_scores(label_lists.of(arcs.arcs.size()), own);
      for (std::size_t l = 0; l < labels; ++l) {
        own[l] = label_allowed(labels_->label_use()[l], h == 0) ? own[l] + theta(h, d) : -HUGE_VAL;
      }
      arcs.arcs.push_back({h, d});
    });
    const learn::LabelledArcsObjective objective = learn::labelled_loss(
        "train_parser", arcs, {s.heads, s.labels}, options_.root, options_.loss, options_.projective);
    result.loss = objective.value;
    for (std::size_t a = 0; a < arcs.arcs.size(); ++a) {
      const std::span<const double> own(objective.gradient.data() + a * labels, labels);
      double sum = 0.0;
      for (const double g : own) sum += g;
      if (std::abs(sum) >= kNegligible) result.updates.add(lists.of(a), static_cast<float>(sum));
      labels_->add_updates(label_lists.of(a), own, result.of_labels);
    }
  }
  result.of_labels.sort();
}

void JointTrainer::finish_step(std::span<const std::unique_ptr<Result>> results) {
  const auto batch = static_cast<std::size_t>(options_.batch);
  std::vector<Gradient> gradients((results.size() + batch - 1) / batch);
  for (std::size_t i = 0; i < results.size(); ++i) {
    gradients[i / batch].contributions.push_back(&static_cast<const JointResult&>(*results[i]).of_labels);
  }
  labels_->learner().step(gradients, *crew_);
}

}  // namespace kirchhoff::parser
