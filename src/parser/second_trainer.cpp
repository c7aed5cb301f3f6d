#include "parser/second_trainer.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kirchhoff::parser {

SecondTrainer::SecondTrainer(const std::vector<Encoded>& sentences, std::vector<Candidates> candidates,
                             const Templates& arcs, const Templates& siblings, const Templates& grands,
                             const TrainOptions& options)
    : ArcTrainer(sentences, std::move(candidates), arcs, options), siblings_(&siblings), grands_(&grands) {
  SecondFeatures features(siblings, grands);
  FeatureCounter counter;
  for (const Encoded& s : sentences) {
    const TreeParts gold = tree_parts(s.heads);
    features.read(s);
    features.each(gold.siblings, gold.grands, [&](const auto& keys) { counter.add(keys); });
  }
  keys_ = counter.at_least(options.min_count).keys();
  std::vector<std::uint32_t> numbers(keys_.size());
  std::iota(numbers.begin(), numbers.end(), index_.size() + 1);
  buckets_ = make_buckets(keys_, numbers);
  table_ = BucketTable(buckets_);
  learner_ = Learner(index_.size() + keys_.size(), options.step);
}

std::vector<std::uint64_t> SecondTrainer::keys() const {
  std::vector<std::uint64_t> all = index_.keys();
  all.insert(all.end(), keys_.begin(), keys_.end());
  return all;
}

struct SecondTrainer::Work {
  Work(const Templates& siblings, const Templates& grands) : features(siblings, grands) {}
  SecondFeatures features;
  std::vector<double> arc_scores, part_scores;
};

/// L_{beta,gamma} as in loss.cpp, with beliefs for marginals and Bethe's log Z.
void SecondTrainer::read_sentence(std::size_t sentence, Result& result) {
  const Encoded& s = (*sentences_)[sentence];
  const ArcLists& lists = lists_[sentence];
  const Candidates& candidates = lists.candidates;
  const SecondParts parts = list_parts(s.words, candidates);
  const std::vector<char> gold = parts_of(parts, candidates, s.heads);
  const auto weights = learner_.weights();
  const bool soft = !std::isinf(options_.loss.beta);
  const double beta = soft ? options_.loss.beta : 1.0;

  thread_local std::unique_ptr<Work> storage;
  if (!storage || &storage->features.siblings.templates() != siblings_) {
    storage = std::make_unique<Work>(*siblings_, *grands_);
  }
  Work& work = *storage;
  work.features.read(s);
  work.arc_scores.clear();
  work.part_scores.clear();
  std::vector<std::uint32_t> begin = {0};
  result.features.clear();
  double gold_score = 0.0;
  const auto is_gold = [&](std::size_t c) { return s.heads[parts.dependents[c]] == candidates.heads[c]; };
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    double sum = 0.0;
    for (const std::uint32_t f : lists.of(c)) sum += weights[f];
    if (is_gold(c)) gold_score += beta * sum;
    work.arc_scores.push_back(beta * (sum + (is_gold(c) ? 0.0 : options_.loss.gamma)));
  }
  work.features.each(parts.siblings, parts.grands, [&](const auto& keys) {
    double sum = 0.0;
    table_.prefetch(keys);
    for (const std::uint64_t key : keys) {
      const std::uint32_t number = table_.find(key);
      if (number == 0) continue;
      result.features.push_back(number - 1);
      sum += weights[number - 1];
    }
    if (gold[work.part_scores.size()] != 0) gold_score += beta * sum;
    work.part_scores.push_back(beta * sum);
    begin.push_back(static_cast<std::uint32_t>(result.features.size()));
  });

  std::vector<double> arc_beliefs, part_beliefs;
  if (soft) {
    SecondBeliefs b = second_order_beliefs(parts, candidates, options_.root, work.arc_scores, work.part_scores, {});
    result.loss = std::max(0.0, b.log_partition - gold_score) / beta;
    arc_beliefs = std::move(b.arcs);
    part_beliefs = std::move(b.parts);
  } else {
    const BestTree best =
        second_order_best(parts, candidates, options_.root, work.arc_scores, work.part_scores, MapSolver::ad3);
    result.loss = std::max(0.0, best.score - gold_score);
    const std::vector<char> has = parts_of(parts, candidates, best.heads);
    part_beliefs.assign(has.begin(), has.end());
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      arc_beliefs.push_back(best.heads[parts.dependents[c]] == candidates.heads[c] ? 1.0 : 0.0);
    }
  }
  const auto update = [&](std::span<const std::uint32_t> features, double gradient) {
    if (std::abs(gradient) >= kNegligible && !features.empty()) {
      result.updates.push_back({features, static_cast<float>(gradient)});
    }
  };
  for (std::size_t c = 0; c < candidates.size(); ++c) update(lists.of(c), arc_beliefs[c] - (is_gold(c) ? 1.0 : 0.0));
  for (std::size_t p = 0; p < parts.size(); ++p) {
    update({result.features.data() + begin[p], result.features.data() + begin[p + 1]}, part_beliefs[p] - gold[p]);
  }
}

}  // namespace kirchhoff::parser
