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

std::vector<ArcLists> arc_lists(const std::vector<Encoded>& sentences, std::vector<Candidates> candidates,
                                const KnownFeatures& known, base::Crew& crew) {
  const Buckets buckets = make_numbering(known.keys, crew);
  const BucketTable table(buckets);
  std::vector<ArcLists> all(sentences.size());
  crew.chunks(all.size(), [&](std::size_t first, std::size_t last) {
    FeatureKeys features(known.templates);
    std::vector<std::uint64_t> keys;
    std::vector<std::uint32_t> found;
    for (std::size_t i = first; i < last; ++i) {
      ArcLists& lists = all[i];
      lists.candidates = std::move(candidates[i]);
      lists.begin = {0};
      features.read(sentences[i]);
      found.clear();
      for_each_arc(lists.candidates, [&](int h, int d) {
        keys.clear();
        features.append({h, d}, keys);
        table.prefetch(keys);
        for (const std::uint64_t key : keys) {
          if (const std::uint32_t place = table.find(key); place != 0) found.push_back(place - 1);
        }
        lists.begin.push_back(static_cast<std::uint32_t>(found.size()));
      });
      lists.features.assign(found.begin(), found.end());
    }
  });
  return all;
}

void add_updates(const ArcLists& lists, const Matrix& gradient, Contribution& updates) {
  std::size_t c = 0;
  for_each_arc(lists.candidates, [&](int h, int d) {
    const double g = gradient(h, d);
    if (std::abs(g) >= kNegligible) updates.add(lists.of(c), static_cast<float>(g));
    ++c;
  });
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
  if (options_.features == FeatureSet::complete) {
    add_keys(candidate_features(*sentences_, candidates, *templates_, 1));
  }
  learner_ = Learner(keys_.size(), options_.step);
  lists_ = lists(*sentences_, std::move(candidates));
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

Matrix ArcTrainer::scores(const ArcLists& lists, int n) const {
  const auto weights = learner_.weights();
  Matrix s = Matrix::Constant(n + 1, n + 1, -std::numeric_limits<double>::infinity());
  for (int d = 1; d <= n; ++d) {
    const auto w = static_cast<std::size_t>(d);
    for (std::uint32_t c = lists.candidates.begin[w]; c < lists.candidates.begin[w + 1]; ++c) {
      float sum = 0.0F;
      for (const std::uint32_t f : lists.of(c)) sum += weights[f];
      s(lists.candidates.heads[c], d) = sum;
    }
  }
  return s;
}

void ArcTrainer::compute_updates(std::size_t sentence, Result& result) {
  const ArcLists& lists = lists_[sentence];
  const Encoded& s = (*sentences_)[sentence];
  result.loss = 0.0;
  if (options_.projective && !is_projective(s.heads)) return;
  const Matrix theta = scores(lists, s.words);
  const ArcObjective objective = options_.projective
                                     ? structured_projective_loss(theta, s.heads, options_.root, options_.loss)
                                     : structured_loss(theta, s.heads, options_.root, options_.loss);
  result.loss = objective.value;
  add_updates(lists, objective.gradient, result.updates);
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
    compute_updates(round.sentences[i], result);
    result.updates.sort();
  });
  const auto size = static_cast<std::size_t>(options_.batch);
  std::vector<Gradient> gradients((round.sentences.size() + size - 1) / size);
  for (std::size_t i = 0; i < round.sentences.size(); ++i) {
    Result& result = *round.results[i];
    Gradient& gradient = gradients[i / size];
    gradient.loss += result.loss;
    add_growth(result);
    gradient.contributions.push_back(&result.updates);
    if (!result.late.items().empty()) gradient.contributions.push_back(&result.late);
  }
  take_steps(gradients, std::span(round.results).first(round.sentences.size()));
  for (std::size_t b = 0; b < gradients.size(); ++b) {
    done(std::min(size, round.sentences.size() - b * size), gradients[b].loss);
  }
}

}  // namespace kirchhoff::parser
