// Features of parts, those that grow, and the updates of their weights.
#include "parser/training/second_order_trainer.hpp"

#include "parser/training/candidate_features.hpp"
#include "parser/training/frequent_features.hpp"
#include "parser/training/part_loss.hpp"
#include "parser/training/part_text.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::parser {
namespace {

/// Gradients of this size are worth a new feature. For beta < inf that are few of the many parts that are a little
/// likely.
constexpr double kGrows = 0.01;

/// Stands for a feature that gold parts do not have. It may have a number by the time the weights are known.
constexpr std::uint32_t kMissing = ~std::uint32_t{0};

constexpr std::size_t kSoon = 16;  // Memory is asked for this many keys ahead.

}  // namespace

TreeScores PartFeatures::scores(std::size_t candidates, std::span<const float> weights) const {
  TreeScores scores;
  for (std::size_t place = 0; place < candidates + parts.size(); ++place) {
    double sum = 0.0;
    for (const std::uint32_t f : of(place)) sum += weights[f];
    (place < candidates ? scores.arcs : scores.parts).push_back(sum);
  }
  return scores;
}

SecondOrderTrainer::SecondOrderTrainer(const std::vector<Encoded>& sentences, const Templates& arcs,
                                       const PartTemplates& parts, const TrainOptions& options, base::Crew& crew)
    : ArcTrainer(sentences, arcs, options, crew), parts_(&parts) {
  const auto gold_keys = [&]() -> KeysOf {
    return [&, features = std::make_shared<PartKeys>(parts)](std::size_t i, std::vector<std::uint64_t>& keys) {
      features->read(sentences[i]);
      features->for_each(dependency::tree_parts(sentences[i].heads, parts.set),
                         [&](const auto& some) { keys.insert(keys.end(), some.begin(), some.end()); });
    };
  };
  const std::vector<std::uint64_t> frequent = frequent_features(sentences.size(), gold_keys, options.min_count, crew);
  keys_.insert(keys_.end(), frequent.begin(), frequent.end());
  number_keys();
}

void SecondOrderTrainer::number_keys() {
  buckets_ = make_numbering(keys_, *crew_);
  table_ = BucketTable(buckets_);
  learner_ = Learner(keys_.size(), options_.step);
}

void SecondOrderTrainer::admit(const std::vector<Encoded>& sentences, const std::vector<Candidates>& candidates,
                               int least) {
  PartKeys parts(*parts_);
  FeatureKeys arcs(*templates_);
  add_keys(candidate_features(
      sentences.size(),
      [&](std::size_t i, std::vector<std::uint64_t>& keys) {
        arcs.read(sentences[i]);
        for_each_arc(candidates[i], [&](int h, int d) { arcs.append({h, d}, keys); });
        parts.read(sentences[i]);
        parts.for_each(dependency::list_parts(sentences[i].words, candidates[i], parts_->set),
                       [&](const auto& some) { keys.insert(keys.end(), some.begin(), some.end()); });
      },
      least));
  number_keys();
}

std::unique_ptr<TextModel> SecondOrderTrainer::text_model() { return std::make_unique<PartText>(*this); }

std::vector<std::uint64_t> SecondOrderTrainer::keys() const {
  std::vector<std::uint64_t> all = keys_;
  all.insert(all.end(), grown_.keys().begin(), grown_.keys().end());
  return all;
}

void SecondOrderTrainer::grow(std::span<const std::uint64_t> keys) {
  for (const std::uint64_t key : keys) grown_.insert(key);
  learner_.grow(keys_.size() + grown_.size());
}

void SecondOrderTrainer::add_growth(Result& computed) {
  auto& result = static_cast<PartResult&>(computed);
  if (result.growth.empty()) return;
  result.numbers.resize(result.missing.size());
  for (const PartResult::Growth& g : result.growth) {
    for (std::uint32_t i = g.begin; i < g.end; ++i) {
      result.numbers[i] = static_cast<std::uint32_t>(keys_.size()) + grown_.insert(result.missing[i]);
    }
    result.late.add(std::span(result.numbers).subspan(g.begin, g.end - g.begin), g.amount);
  }
  result.late.sort();
  learner_.grow(keys_.size() + grown_.size());
}

void SecondOrderTrainer::prepare(std::size_t sentence, Result& prepared) const {
  auto& result = static_cast<PartResult&>(prepared);
  const Encoded& s = (*sentences_)[sentence];
  look_up(s, candidates_[sentence], result);
  result.gold = dependency::parts_in_tree(result.parts, candidates_[sentence], s.heads);
}

PartFeatures SecondOrderTrainer::read_parts(const Encoded& sentence, const Candidates& candidates) const {
  PartFeatures found;
  look_up(sentence, candidates, found);
  if (options_.features == FeatureSet::complete) find_grown(found);
  return found;
}

/// Lists the parts and looks up their features, but for those that have grown.
void SecondOrderTrainer::look_up(const Encoded& s, const Candidates& candidates, PartFeatures& result) const {
  struct Work {
    FeatureKeys arcs;
    PartKeys parts;
    std::vector<std::uint64_t> keys;
  };
  thread_local std::unique_ptr<Work> storage;
  if (!storage || &storage->parts.templates() != parts_) {
    storage = std::make_unique<Work>(Work{FeatureKeys(*templates_), PartKeys(*parts_), {}});
  }
  Work& work = *storage;
  work.arcs.read(s);
  work.parts.read(s);
  result.parts = dependency::list_parts(s.words, candidates, parts_->set);
  result.begin = {0};
  const bool complete = options_.features == FeatureSet::complete;
  std::size_t count = 0, missing = 0;
  const auto look_up = [&](const std::vector<std::uint64_t>& keys) {
    table_.prefetch(keys);
    if (result.features.size() < count + keys.size()) result.features.resize(2 * (count + keys.size()));
    if (result.missing.size() < missing + keys.size()) result.missing.resize(2 * (missing + keys.size()));
    for (const std::uint64_t key : keys) {
      const std::uint32_t number = table_.find(key);
      if (number == 0 && !complete) continue;
      result.features[count++] = number - 1;  // 0 - 1 is kMissing
      if (number == 0) result.missing[missing++] = key;
    }
    result.begin.push_back(static_cast<std::uint32_t>(count));
  };
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    work.keys.clear();
    work.arcs.append({candidates.heads[c], result.parts.dependents[c]}, work.keys);
    look_up(work.keys);
  }
  work.parts.for_each(result.parts, look_up);
}

/// Gives numbers to the missing features that have grown by now, and takes the others off the list.
void SecondOrderTrainer::find_grown(PartFeatures& result) const {
  std::size_t from = 0, to = 0, missing_from = 0, missing_to = 0;
  result.missing_begin = {0};
  for (std::size_t place = 0; place + 1 < result.begin.size(); ++place) {
    for (; from < result.begin[place + 1]; ++from) {
      std::uint32_t number = result.features[from];
      if (number == kMissing) {
        const std::uint64_t key = result.missing[missing_from++];
        if (missing_from + kSoon < result.missing.size()) grown_.prefetch(result.missing[missing_from + kSoon]);
        const std::uint32_t late = grown_.find(key);
        if (late == FeatureIndex::kAbsent) {
          result.missing[missing_to++] = key;
          continue;
        }
        number = static_cast<std::uint32_t>(keys_.size()) + late;
      }
      result.features[to++] = number;
    }
    result.begin[place + 1] = static_cast<std::uint32_t>(to);
    result.missing_begin.push_back(static_cast<std::uint32_t>(missing_to));
  }
}

void SecondOrderTrainer::compute_updates(std::size_t sentence, Result& prepared) {
  auto& result = static_cast<PartResult&>(prepared);
  const Encoded& s = (*sentences_)[sentence];
  const Candidates& candidates = candidates_[sentence];
  const bool complete = options_.features == FeatureSet::complete;
  if (complete) find_grown(result);
  result.growth.clear();

  TreeScores scores = result.scores(candidates.size(), learner_.weights());
  Loss loss = options_.loss;
  const Gold gold{s.heads, s.labels};
  learn::FoldedArcs folded;
  if (joint_ != nullptr) {
    folded = joint_->folded(candidates, label_lists_[sentence], scores.arcs, gold, loss);
    scores.arcs = folded.theta;
    loss.gamma = 0.0;  // The costs are in theta.
  }
  const PartObjective objective = part_loss({result.parts, candidates, options_.root, scores.arcs, scores.parts},
                                            {s.heads, result.gold}, loss, options_.relaxed, folded.right);
  result.loss = objective.value;
  if (joint_ != nullptr) {
    if (loss.kind != Loss::Kind::expected_cost) result.loss += folded.excess;
    joint_->add_updates(label_lists_[sentence], learn::unfold(folded, gold, objective.arcs, objective.of_gold),
                        result.of_labels);
  }
  const auto update = [&](std::size_t place, double gradient) {
    const auto features = result.of(place);
    if (std::abs(gradient) >= kNegligible && !features.empty()) {
      result.updates.add(features, static_cast<float>(gradient));
    }
    if (!complete || std::abs(gradient) < kGrows) return;
    const std::uint32_t begin = result.missing_begin[place], end = result.missing_begin[place + 1];
    if (begin < end) result.growth.push_back({begin, end, static_cast<float>(gradient)});
  };
  for (std::size_t c = 0; c < objective.arcs.size(); ++c) update(c, objective.arcs[c]);
  for (std::size_t p = 0; p < objective.parts.size(); ++p) update(objective.arcs.size() + p, objective.parts[p]);
}

std::unique_ptr<ArcTrainer> make_arc_trainer(const std::vector<Encoded>& sentences, const Templates& arcs,
                                             const PartTemplates& parts, const TrainOptions& options,
                                             base::Crew& crew) {
  if (options.parts == kArcs) return std::make_unique<ArcTrainer>(sentences, arcs, options, crew);
  return std::make_unique<SecondOrderTrainer>(sentences, arcs, parts, options, crew);
}

}  // namespace kirchhoff::parser
