// Objectives by belief propagation. Directions in which beliefs are to be differentiated at the same scores are added
// up, so that two propagations serve all of them.
#include "parser/training/part_text.hpp"

#include "parser/file/model.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::parser {
namespace {

using dependency::PartBeliefs;
using dependency::PartNumbers;

/// An arc that is left out has a score so far below the best of its word: messages must stay finite.
constexpr double kFarBelow = 500.0;

/// For each candidate, whether the word has a settled head and this is not it.
std::vector<char> unsettled(const Candidates& candidates, const Heads& settled) {
  std::vector<char> absent;
  for_each_arc(candidates, [&](int h, int d) {
    const int head = settled[static_cast<std::size_t>(d)];
    absent.push_back(head >= 0 && head != h ? 1 : 0);
  });
  return absent;
}

PartNumbers difference(const TreeScores& a, const TreeScores& b, const std::vector<char>& absent) {
  PartNumbers d{a.arcs, a.parts};
  for (std::size_t c = 0; c < d.arcs.size(); ++c) d.arcs[c] = absent[c] != 0 ? 0.0 : a.arcs[c] - b.arcs[c];
  for (std::size_t p = 0; p < d.parts.size(); ++p) d.parts[p] -= b.parts[p];
  return d;
}

double dot(const PartNumbers& numbers, const PartBeliefs& beliefs) {
  double sum = 0.0;
  for (std::size_t c = 0; c < numbers.arcs.size(); ++c) sum += numbers.arcs[c] * beliefs.arcs[c];
  for (std::size_t p = 0; p < numbers.parts.size(); ++p) sum += numbers.parts[p] * beliefs.parts[p];
  return sum;
}

void add(double weight, const std::vector<double>& numbers, std::vector<double>& sum) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += weight * numbers[i];
}

}  // namespace

PropagatedTrees::PropagatedTrees(const Candidates& candidates, PartFeatures features, TreeScores scores, Root root,
                                 std::optional<SummedLabels> labels)
    : TextTrees(std::move(labels)),
      candidates_(&candidates),
      features_(std::move(features)),
      root_(root),
      scores_(std::move(scores)),
      gradient_{std::vector<double>(scores_.arcs.size(), 0.0), std::vector<double>(scores_.parts.size(), 0.0)},
      direction_(gradient_) {
  beliefs_ = beliefs_of(scores_);
}

PartBeliefs PropagatedTrees::beliefs_of(const TreeScores& scores) const {
  return dependency::propagate_beliefs(scored(scores), dependency::kFixedPoint);
}

/// The scores of the trees that do without these arcs.
TreeScores PropagatedTrees::without(TreeScores scores, const std::vector<char>& absent) const {
  for (std::size_t d = 1; d + 1 < candidates_->begin.size(); ++d) {
    double highest = -HUGE_VAL;
    for (std::uint32_t c = candidates_->begin[d]; c < candidates_->begin[d + 1]; ++c) {
      if (absent[c] == 0) highest = std::max(highest, scores.arcs[c]);
    }
    for (std::uint32_t c = candidates_->begin[d]; c < candidates_->begin[d + 1]; ++c) {
      if (absent[c] != 0) scores.arcs[c] = highest - kFarBelow;
    }
  }
  return scores;
}

void PropagatedTrees::add_beliefs(double weight, const PartBeliefs& beliefs) {
  add(weight, beliefs.arcs, gradient_.arcs);
  add(weight, beliefs.parts, gradient_.parts);
}

void PropagatedTrees::add_along(const TreeScores& scores, const PartNumbers& direction) {
  const auto slopes = dependency::beliefs_along(scored(scores), direction);
  if (!slopes) return;  // Beliefs are no function of the scores here.
  add(1.0, slopes->arcs, gradient_.arcs);
  add(1.0, slopes->parts, gradient_.parts);
}

double PropagatedTrees::add_entropy(double weight, double order) {
  // So near 1 the orders differ by less than their difference of two propagations can tell.
  constexpr double kNearOne = 1e-4;
  if (std::abs(order - 1.0) < kNearOne) {
    const PartNumbers scores{scores_.arcs, scores_.parts};
    add(-weight, scores.arcs, direction_.arcs);
    add(-weight, scores.parts, direction_.parts);
    return weight * (beliefs_.log_partition - dot(scores, beliefs_));
  }
  TreeScores tempered = scores_;
  for (auto* list : {&tempered.arcs, &tempered.parts}) {
    for (double& s : *list) s *= order;
  }
  const PartBeliefs b = beliefs_of(tempered);
  const double share = weight / (1.0 - order);
  if (!b.converged) return 0.0;
  add_beliefs(share * order, b);
  add_beliefs(-share * order, beliefs_);
  return share * (b.log_partition - order * beliefs_.log_partition);
}

double PropagatedTrees::add_divergence(const TreeScores& teacher, double forward, double reverse) {
  std::vector<char> absent;
  for (const double s : teacher.arcs) absent.push_back(std::isinf(s) ? 1 : 0);
  TreeScores t = without(teacher, absent);
  t.parts.resize(scores_.parts.size(), 0.0);
  const PartBeliefs of_teacher = beliefs_of(t);
  if (!of_teacher.converged) return 0.0;
  double value = 0.0;
  if (forward > 0.0) {
    value +=
        forward * (beliefs_.log_partition - of_teacher.log_partition - dot(difference(scores_, t, absent), of_teacher));
    add_beliefs(forward, beliefs_);
    add_beliefs(-forward, of_teacher);
  }
  if (reverse > 0.0) {
    const TreeScores s = without(scores_, absent);
    const PartBeliefs b = beliefs_of(s);
    if (!b.converged) return value;
    PartNumbers direction = difference(s, t, absent);
    value += reverse * (of_teacher.log_partition - b.log_partition + dot(direction, b));
    for (auto* list : {&direction.arcs, &direction.parts}) {
      for (double& v : *list) v *= reverse;
    }
    add_along(s, direction);
  }
  return value;
}

double PropagatedTrees::add_settled(const Heads& settled, double weight) {
  const PartBeliefs b = beliefs_of(without(scores_, unsettled(*candidates_, settled)));
  if (!b.converged) return 0.0;
  add_beliefs(weight, beliefs_);
  add_beliefs(-weight, b);
  return weight * (beliefs_.log_partition - b.log_partition);
}

void PropagatedTrees::add_probabilities(std::span<const double> weights) {
  for (std::size_t c = 0; c < weights.size(); ++c) direction_.arcs[c] += weights[c];
}

void PropagatedTrees::finish(TextUpdates& updates) {
  add_along(scores_, direction_);
  const auto update = [&](std::size_t place, double gradient) {
    if (std::abs(gradient) >= kNegligible) updates.arcs.add(features_.of(place), static_cast<float>(gradient));
  };
  for (std::size_t c = 0; c < gradient_.arcs.size(); ++c) update(c, gradient_.arcs[c]);
  for (std::size_t p = 0; p < gradient_.parts.size(); ++p) update(gradient_.arcs.size() + p, gradient_.parts[p]);
  finish_labels(gradient_.arcs, updates);
}

std::unique_ptr<TextTrees> PartText::trees(std::size_t i) const {
  PartFeatures features = parts_->read_parts(sentence(i), candidates(i));
  TreeScores scores = features.scores(candidates(i).size(), learner_->weights());
  auto labels = sum_labels(i, scores.arcs);
  return std::make_unique<PropagatedTrees>(candidates(i), std::move(features), std::move(scores), root(),
                                           std::move(labels));
}

TreeScores PartText::teacher_scores(Parser& teacher, const Sentence& sentence, std::size_t i) const {
  TreeScores scores = TextModel::teacher_scores(teacher, sentence, i);
  const Model& model = *ModelAccess::model_of(teacher.model());
  if (scores.arcs.empty() || !(model.settings.parts == parts_->parts().set)) return scores;
  const Encoded encoded = encode(sentence, model.inventory);
  FeatureKeys arcs(model.arc_templates);
  arcs.read(encoded);
  Labeller labels(model);
  labels.read(encoded);
  std::vector<std::uint64_t> keys;
  std::size_t c = 0;
  for_each_arc(candidates(i), [&](int h, int d) {
    double& score = scores.arcs[c++];
    if (std::isinf(score)) return;
    keys.clear();
    arcs.append({h, d}, keys);
    const double of_labels = model.settings.joint ? labels.fold({h, d}).sum : 0.0;
    score = (model.arcs.sum(keys) + of_labels) / model.settings.temperature;
  });
  PartKeys parts(model.part_templates);
  parts.read(encoded);
  parts.for_each(dependency::list_parts(encoded.words, candidates(i), model.settings.parts), [&](const auto& found) {
    scores.parts.push_back(model.arcs.sum(found) / model.settings.temperature);
  });
  return scores;
}

}  // namespace kirchhoff::parser
