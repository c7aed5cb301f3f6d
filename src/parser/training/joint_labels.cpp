// Scores of relations beside those of arcs, their sums, and what they get of gradients.
#include "parser/training/joint_labels.hpp"

#include <cmath>

namespace kirchhoff::parser {

void SummedLabels::add_given(std::size_t candidate, std::size_t label, double weight) {
  gradient_.resize(given_.size(), 0.0);
  const std::size_t first = candidate * count();
  const double change = weight * given_[first + label];
  for (std::size_t i = first; i < first + count(); ++i) gradient_[i] -= change * given_[i];
  gradient_[first + label] += change;
}

double SummedLabels::add_entropy(std::size_t candidate, double weight) {
  gradient_.resize(given_.size(), 0.0);
  const std::span<const double> c(given_.data() + candidate * count(), count());
  const auto log_of = [](double p) { return p > 0.0 ? std::log(p) : 0.0; };
  double entropy = 0.0;
  for (const double p : c) entropy -= p * log_of(p);
  for (std::size_t l = 0; l < c.size(); ++l)
    gradient_[candidate * count() + l] -= weight * c[l] * (log_of(c[l]) + entropy);
  return entropy;
}

void SummedLabels::finish(std::span<const double> by_candidate, Contribution& updates) const {
  std::vector<double> own(count());
  for (std::size_t c = 0; c < by_candidate.size(); ++c) {
    for (std::size_t l = 0; l < own.size(); ++l) {
      own[l] = by_candidate[c] * given(c, l) + (gradient_.empty() ? 0.0 : gradient_[c * count() + l]);
    }
    labels_->add_updates(lists_->of(c), own, updates);
  }
}

std::vector<FeatureLists> JointLabels::lists(const std::vector<Encoded>& sentences,
                                             const std::vector<Candidates>& candidates) const {
  return feature_lists(sentences, candidates, {labels_->keys(), labels_->templates()}, *crew_);
}

learn::LabelledArcs JointLabels::labelled(const Candidates& candidates, const FeatureLists& lists,
                                          std::span<const double> arc_scores) const {
  const std::size_t labels = labels_->label_use().size();
  learn::LabelledArcs arcs{static_cast<int>(candidates.begin.size()) - 2,
                           static_cast<int>(labels),
                           {},
                           std::vector<double>(candidates.size() * labels)};
  for_each_arc(candidates, [&](int h, int d) {
    const std::size_t c = arcs.arcs.size();
    const std::span<double> own(arcs.scores.data() + c * labels, labels);
    labels_->add_scores(lists.of(c), own);
    for (std::size_t l = 0; l < labels; ++l) {
      own[l] = label_allowed(labels_->label_use()[l], h == 0) ? own[l] + arc_scores[c] : -HUGE_VAL;
    }
    arcs.arcs.push_back({h, d});
  });
  return arcs;
}

learn::FoldedArcs JointLabels::folded(const Candidates& candidates, const FeatureLists& lists,
                                      std::span<const double> arc_scores, const Gold& gold, const Loss& loss) const {
  learn::FoldedArcs folded = learn::fold_arcs("train_parser", labelled(candidates, lists, arc_scores), gold, loss);
  for (std::size_t c = 0; c < arc_scores.size(); ++c) {
    if (std::isinf(folded.theta[c])) folded.theta[c] = arc_scores[c];
  }
  return folded;
}

SummedLabels JointLabels::sum(const Candidates& candidates, const FeatureLists& lists,
                              std::span<double> arc_scores) const {
  learn::LabelledArcs arcs = labelled(candidates, lists, arc_scores);
  const auto labels = static_cast<std::size_t>(arcs.labels);
  for (std::size_t c = 0; c < arc_scores.size(); ++c) {
    const double sum = learn::fold_labels(std::span(arcs.scores).subspan(c * labels, labels), 1.0);
    if (!std::isinf(sum)) arc_scores[c] = sum;
  }
  return {*labels_, lists, std::move(arcs.scores)};
}

void JointLabels::add_updates(const FeatureLists& lists, std::span<const double> gradient,
                              Contribution& updates) const {
  const std::size_t labels = labels_->label_use().size();
  for (std::size_t c = 0; c + 1 < lists.begin.size(); ++c) {
    labels_->add_updates(lists.of(c), gradient.subspan(c * labels, labels), updates);
  }
}

}  // namespace kirchhoff::parser
