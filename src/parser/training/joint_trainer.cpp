// Adds the scores of relations to those of arcs, and gives each its part of the gradient.
#include "parser/training/joint_trainer.hpp"

#include "kirchhoff/projective.hpp"
#include "parser/training/arc_text.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::parser {

JointTrainer::JointTrainer(const std::vector<Encoded>& sentences, const Templates& arcs, LabelTrainer& labels,
                           const TrainOptions& options, base::Crew& crew)
    : ArcTrainer(sentences, arcs, options, crew), labels_(&labels) {}

void JointTrainer::take(std::vector<Candidates> candidates) {
  label_lists_ = label_lists(*sentences_, candidates);
  ArcTrainer::take(std::move(candidates));
}

std::unique_ptr<TextModel> JointTrainer::text_model() { return std::make_unique<JointText>(*this); }

std::vector<ArcLists> JointTrainer::label_lists(const std::vector<Encoded>& sentences,
                                                const std::vector<Candidates>& candidates) const {
  std::vector<ArcLists> found = arc_lists(sentences, candidates, {labels_->keys(), labels_->templates()}, *crew_);
  for (ArcLists& lists : found) lists.candidates = {};
  return found;
}

learn::LabelledArcs JointTrainer::labelled_arcs(const ArcLists& lists, const ArcLists& label_lists, int words) const {
  const Matrix theta = scores(lists, words);
  const std::size_t labels = labels_->label_use().size();
  learn::LabelledArcs arcs{words, static_cast<int>(labels), {}, std::vector<double>(lists.candidates.size() * labels)};
  for_each_arc(lists.candidates, [&](int h, int d) {
    const std::span<double> own(arcs.scores.data() + arcs.arcs.size() * labels, labels);
    labels_->add_scores(label_lists.of(arcs.arcs.size()), own);
    for (std::size_t l = 0; l < labels; ++l) {
      own[l] = label_allowed(labels_->label_use()[l], h == 0) ? own[l] + theta(h, d) : -HUGE_VAL;
    }
    arcs.arcs.push_back({h, d});
  });
  return arcs;
}

Matrix JointTrainer::folded_scores(const ArcLists& lists, const ArcLists& label_lists, int words,
                                   std::vector<double>& given) const {
  learn::LabelledArcs arcs = labelled_arcs(lists, label_lists, words);
  const auto labels = static_cast<std::size_t>(arcs.labels);
  Matrix theta = scores(lists, words);
  for (std::size_t a = 0; a < arcs.arcs.size(); ++a) {
    const double folded = learn::fold_labels(std::span(arcs.scores).subspan(a * labels, labels), 1.0);
    // Where no label was seen in trees, such as of the root's dependents, the parser has one, too.
    if (!std::isinf(folded)) theta(arcs.arcs[a].head, arcs.arcs[a].dependent) = folded;
  }
  given = std::move(arcs.scores);
  return theta;
}

void JointTrainer::compute_updates(std::size_t sentence, Result& computed) {
  auto& result = static_cast<JointResult&>(computed);
  const Encoded& s = (*sentences_)[sentence];
  result.loss = 0.0;
  result.of_labels.clear();
  if (!options_.projective || is_projective(s.heads)) {
    const ArcLists& lists = lists_[sentence];
    const ArcLists& label_lists = label_lists_[sentence];
    const learn::LabelledArcs arcs = labelled_arcs(lists, label_lists, s.words);
    const auto labels = static_cast<std::size_t>(arcs.labels);
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

void JointTrainer::take_steps(std::span<const Gradient> gradients, std::span<const std::unique_ptr<Result>> results) {
  const auto batch = static_cast<std::size_t>(options_.batch);
  std::vector<Gradient> of_labels(gradients.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    of_labels[i / batch].contributions.push_back(&static_cast<const JointResult&>(*results[i]).of_labels);
  }
  Learner::step_together({&learner_, &labels_->learner()}, {gradients, of_labels}, *crew_);
}

}  // namespace kirchhoff::parser
