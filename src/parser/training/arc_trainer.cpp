// Steps over batches: gather weights, compute losses and gradients in parallel, and update in the order of the batches.
#include "parser/training/arc_trainer.hpp"

#include "kirchhoff/projective.hpp"
#include "parser/training/arc_text.hpp"
#include "parser/training/candidate_features.hpp"
#include "parser/training/frequent_features.hpp"
#include "parser/training/shuffle.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

namespace kirchhoff::parser {

void add_updates(const FeatureLists& lists, std::span<const double> gradient, Contribution& updates) {
  for (std::size_t c = 0; c < gradient.size(); ++c) {
    if (std::abs(gradient[c]) >= kNegligible) updates.add(lists.of(c), static_cast<float>(gradient[c]));
  }
}

ArcTrainer::ArcTrainer(const std::vector<Encoded>& sentences, const Templates& templates, const TrainOptions& options,
                       base::Crew& crew)
    : sentences_(&sentences), templates_(&templates), options_(options), crew_(&crew) {
  const auto gold_keys = [&]() -> KeysOf {
    return [&, features = std::make_shared<FeatureKeys>(templates)](std::size_t i, std::vector<std::uint64_t>& keys) {
      const Encoded& s = sentences[i];
      features->read(s);
      for (int d = 1; d <= s.words; ++d) features->append({s.heads[static_cast<std::size_t>(d)], d}, keys);
    };
  };
  keys_ = frequent_features(sentences.size(), gold_keys, options_.min_count, crew);
}

void ArcTrainer::take(std::vector<Candidates> candidates) {
  candidates_ = std::move(candidates);
  if (joint_ != nullptr) label_lists_ = joint_->lists(*sentences_, candidates_);
  take_features();
}

void ArcTrainer::take_features() {
  if (options_.features == FeatureSet::complete) {
    add_keys(candidate_features(*sentences_, candidates_, *templates_, 1));
  }
  learner_ = Learner(keys_.size(), options_.step);
  lists_ = lists(*sentences_, candidates_);
}

void ArcTrainer::add_keys(std::span<const std::uint64_t> keys) {
  FeatureIndex index;
  for (const std::uint64_t key : keys_) index.insert(key);
  for (const std::uint64_t key : keys) index.insert(key);
  keys_ = index.keys();
}

void ArcTrainer::admit(const std::vector<Encoded>& sentences, const std::vector<Candidates>& candidates, int least) {
  add_keys(candidate_features(sentences, candidates, *templates_, least));
}

std::unique_ptr<TextModel> ArcTrainer::text_model() { return std::make_unique<ArcText>(*this); }

std::vector<double> ArcTrainer::scores(const FeatureLists& lists) const {
  const auto weights = learner_.weights();
  std::vector<double> scores;
  for (std::size_t c = 0; c + 1 < lists.begin.size(); ++c) {
    float sum = 0.0F;
    for (const std::uint32_t f : lists.of(c)) sum += weights[f];
    scores.push_back(sum);
  }
  return scores;
}

void ArcTrainer::compute_updates(std::size_t sentence, Result& result) {
  const FeatureLists& lists = lists_[sentence];
  const Candidates& candidates = candidates_[sentence];
  const Encoded& s = (*sentences_)[sentence];
  result.loss = 0.0;
  if (options_.projective && !is_projective(s.heads)) return;
  if (joint_ != nullptr) return compute_labelled_updates(sentence, result);
  const Matrix theta = matrix_of(candidates, scores(lists), -HUGE_VAL);
  const ArcObjective objective = options_.projective
                                     ? structured_projective_loss(theta, s.heads, options_.root, options_.loss)
                                     : structured_loss(theta, s.heads, options_.root, options_.loss);
  result.loss = objective.value;
  add_updates(lists, list_of(candidates, objective.gradient), result.updates);
}

void ArcTrainer::compute_labelled_updates(std::size_t sentence, Result& result) const {
  const FeatureLists& lists = lists_[sentence];
  const Candidates& candidates = candidates_[sentence];
  const Encoded& s = (*sentences_)[sentence];
  const learn::LabelledArcs arcs = joint_->labelled(candidates, label_lists_[sentence], scores(lists));
  const learn::LabelledArcsObjective objective = learn::labelled_loss(
      "train_parser", arcs, {s.heads, s.labels}, options_.root, options_.loss, options_.projective);
  result.loss = objective.value;
  const auto labels = static_cast<std::size_t>(arcs.labels);
  std::vector<double> of_arcs(arcs.arcs.size(), 0.0);
  for (std::size_t i = 0; i < objective.gradient.size(); ++i) of_arcs[i / labels] += objective.gradient[i];
  add_updates(lists, of_arcs, result.updates);
  joint_->add_updates(label_lists_[sentence], objective.gradient, result.of_labels);
}

/// Gives a round its sentences, sorts them, and makes room for their results.
void ArcTrainer::fill(Round& round, std::span<const std::size_t> sentences) const {
  round.sentences = sentences;
  while (round.results.size() < sentences.size()) round.results.push_back(make_result());
  round.longest_first = longest_first(*sentences_, sentences);
}

void ArcTrainer::learn(std::span<const std::size_t> sentences, const std::function<void(std::size_t, double)>& done) {
  // One round ahead is enough for the time the longest sentence takes; more would only need more memory.
  const std::size_t ahead = crew_->threads() == 1 ? 0 : 1;
  const auto batch = static_cast<std::size_t>(options_.batch);
  const std::size_t size = batch * batches_together(options_.step, sentences_->size(), batch);
  const std::size_t count = (sentences.size() + size - 1) / size;
  rounds_.resize(ahead + 1);
  std::deque<base::Crew::Loop> preparations;
  std::size_t begun = 0;
  for (std::size_t k = 0; k < count; ++k) {
    for (; begun < std::min(count, k + 1 + ahead); ++begun) {
      Round& round = rounds_[begun % rounds_.size()];
      fill(round, sentences.subspan(begun * size, std::min(size, sentences.size() - begun * size)));
      preparations.emplace_back(*crew_, prepares() ? round.sentences.size() : 0, [this, &round](std::size_t i) {
        const std::size_t s = round.longest_first[i];
        prepare(round.sentences[s], *round.results[s]);
      });
    }
    preparations.front().finish();
    preparations.pop_front();
    step(rounds_[k % rounds_.size()], done);
  }
}

void ArcTrainer::step(Round& round, const std::function<void(std::size_t, double)>& done) {
  crew_->loop(round.sentences.size(), [&](std::size_t k) {
    const std::size_t i = round.longest_first[k];
    Result& result = *round.results[i];
    result.updates.clear();
    result.late.clear();
    result.of_labels.clear();
    compute_updates(round.sentences[i], result);
    result.updates.sort();
    result.of_labels.sort();
  });
  const auto size = static_cast<std::size_t>(options_.batch);
  std::vector<Gradient> gradients((round.sentences.size() + size - 1) / size), of_labels(gradients.size());
  for (std::size_t i = 0; i < round.sentences.size(); ++i) {
    Result& result = *round.results[i];
    Gradient& gradient = gradients[i / size];
    gradient.loss += result.loss;
    add_growth(result);
    gradient.contributions.push_back(&result.updates);
    if (!result.late.items().empty()) gradient.contributions.push_back(&result.late);
    of_labels[i / size].contributions.push_back(&result.of_labels);
  }
  if (joint_ != nullptr) {
    Learner::step_together({&learner_, &joint_->learner()}, {gradients, of_labels}, *crew_);
  } else {
    learner_.step(gradients, *crew_);
  }
  for (std::size_t b = 0; b < gradients.size(); ++b) {
    done(std::min(size, round.sentences.size() - b * size), gradients[b].loss);
  }
}

}  // namespace kirchhoff::parser
