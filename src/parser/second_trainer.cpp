#include "parser/second_trainer.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kirchhoff::parser {
namespace {

/// Gradients from this on are worth a new feature: for beta < inf few, of the many parts that are a little likely.
constexpr double kGrows = 0.01;

}  // namespace

SecondTrainer::SecondTrainer(const std::vector<Encoded>& sentences, std::vector<Candidates> candidates,
                             const Templates& arcs, const Templates& siblings, const Templates& grands,
                             const TrainOptions& options)
    : ArcTrainer(sentences, arcs, options),
      candidates_(std::move(candidates)),
      arcs_(&arcs),
      siblings_(&siblings),
      grands_(&grands) {
  SecondFeatures features(siblings, grands);
  FeatureCounter counter;
  for (const Encoded& s : sentences) {
    const TreeParts gold = tree_parts(s.heads);
    features.read(s);
    features.each(gold.siblings, gold.grands, [&](const auto& keys) { counter.add(keys); });
  }
  keys_ = index_.keys();
  const FeatureIndex frequent = counter.at_least(options.min_count);
  keys_.insert(keys_.end(), frequent.keys().begin(), frequent.keys().end());
  index_ = {};
  std::vector<std::uint32_t> numbers(keys_.size());
  std::iota(numbers.begin(), numbers.end(), 1U);
  buckets_ = make_buckets(keys_, numbers);
  table_ = BucketTable(buckets_);
  learner_ = Learner(keys_.size(), options.step);
}

std::vector<std::uint64_t> SecondTrainer::keys() const {
  std::vector<std::uint64_t> all = keys_;
  all.insert(all.end(), grown_.keys().begin(), grown_.keys().end());
  return all;
}

void SecondTrainer::grow(std::span<const std::uint64_t> keys) {
  for (const std::uint64_t key : keys) grown_.insert(key);
  learner_.grow(keys_.size() + grown_.size());
}

void SecondTrainer::add_growth(Result& result) {
  if (result.growth.empty()) return;
  result.numbers.resize(result.missing.size());
  for (const Result::Growth& g : result.growth) {
    for (std::uint32_t i = g.begin; i < g.end; ++i) {
      result.numbers[i] = static_cast<std::uint32_t>(keys_.size()) + grown_.insert(result.missing[i]);
    }
    result.updates.push_back({{result.numbers.data() + g.begin, result.numbers.data() + g.end}, g.amount});
  }
  learner_.grow(keys_.size() + grown_.size());
}

struct SecondTrainer::Work {
  Work(const Templates& arcs_in, const Templates& siblings, const Templates& grands)
      : arcs(arcs_in), features(siblings, grands) {}
  Features arcs;
  SecondFeatures features;
  std::vector<double> arc_scores, part_scores;
};

/// L_{beta,gamma} as in loss.cpp, with beliefs for marginals and Bethe's log Z.
void SecondTrainer::read_sentence(std::size_t sentence, Result& result) {
  const Encoded& s = (*sentences_)[sentence];
  const Candidates& candidates = candidates_[sentence];
  const SecondParts parts = list_parts(s.words, candidates);
  const std::vector<char> gold = parts_of(parts, candidates, s.heads);
  const auto weights = learner_.weights();
  const bool soft = !std::isinf(options_.loss.beta);
  const double beta = soft ? options_.loss.beta : 1.0;

  thread_local std::unique_ptr<Work> storage;
  if (!storage || &storage->features.siblings.templates() != siblings_) {
    storage = std::make_unique<Work>(*arcs_, *siblings_, *grands_);
  }
  Work& work = *storage;
  work.arcs.read(s);
  work.features.read(s);
  work.arc_scores.clear();
  work.part_scores.clear();
  const bool complete = options_.features == FeatureSet::complete;
  std::vector<std::uint32_t> begin = {0}, missing_begin = {0};  // of the features of arcs, then of parts
  result.features.clear();
  result.missing.clear();
  result.growth.clear();
  double gold_score = 0.0;
  const auto is_gold = [&](std::size_t c) { return s.heads[parts.dependents[c]] == candidates.heads[c]; };
  const auto look_up = [&](const std::vector<std::uint64_t>& keys) {
    double sum = 0.0;
    table_.prefetch(keys);
    if (complete) std::for_each(keys.begin(), keys.end(), [&](std::uint64_t key) { grown_.prefetch(key); });
    for (const std::uint64_t key : keys) {
      std::uint32_t number = table_.find(key);
      if (number == 0 && complete) {
        const std::uint32_t late = grown_.find(key);
        if (late == FeatureIndex::kAbsent) {
          result.missing.push_back(key);
        } else {
          number = static_cast<std::uint32_t>(keys_.size()) + late + 1;
        }
      }
      if (number == 0) continue;
      result.features.push_back(number - 1);
      sum += weights[number - 1];
    }
    begin.push_back(static_cast<std::uint32_t>(result.features.size()));
    missing_begin.push_back(static_cast<std::uint32_t>(result.missing.size()));
    return sum;
  };
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    work.features.keys.clear();
    work.arcs.append({candidates.heads[c], parts.dependents[c]}, work.features.keys);
    const double sum = look_up(work.features.keys);
    if (is_gold(c)) gold_score += beta * sum;
    work.arc_scores.push_back(beta * (sum + (is_gold(c) ? 0.0 : options_.loss.gamma)));
  }
  work.features.each(parts.siblings, parts.grands, [&](const auto& keys) {
    const double sum = look_up(keys);
    if (gold[work.part_scores.size()] != 0) gold_score += beta * sum;
    work.part_scores.push_back(beta * sum);
  });

  std::vector<double> arc_beliefs, part_beliefs;
  if (soft) {
    SecondBeliefs b = second_order_beliefs(parts, candidates, options_.root, work.arc_scores, work.part_scores, {});
    result.loss = std::max(0.0, b.log_partition - gold_score) / beta;
    arc_beliefs = std::move(b.arcs);
    part_beliefs = std::move(b.parts);
  } else {
    // A hundredth is near enough for a step, and takes a third of the iterations.
    const BestTree best =
        second_order_best(parts, candidates, options_.root, work.arc_scores, work.part_scores, {.gap = 1e-2});
    result.loss = std::max(0.0, best.score - gold_score);
    const std::vector<char> has = parts_of(parts, candidates, best.heads);
    part_beliefs.assign(has.begin(), has.end());
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      arc_beliefs.push_back(best.heads[parts.dependents[c]] == candidates.heads[c] ? 1.0 : 0.0);
    }
  }
  const auto update = [&](std::size_t place, double gradient) {
    const std::span<const std::uint32_t> features(result.features.data() + begin[place],
                                                  result.features.data() + begin[place + 1]);
    if (std::abs(gradient) >= kNegligible && !features.empty()) {
      result.updates.push_back({features, static_cast<float>(gradient)});
    }
    if (std::abs(gradient) >= kGrows && missing_begin[place] < missing_begin[place + 1]) {
      result.growth.push_back({missing_begin[place], missing_begin[place + 1], static_cast<float>(gradient)});
    }
  };
  for (std::size_t c = 0; c < candidates.size(); ++c) update(c, arc_beliefs[c] - (is_gold(c) ? 1.0 : 0.0));
  for (std::size_t p = 0; p < parts.size(); ++p) update(candidates.size() + p, part_beliefs[p] - gold[p]);
}

}  // namespace kirchhoff::parser
