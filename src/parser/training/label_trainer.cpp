// Collects the pairs of features and labels that occur together, and takes steps of logistic regression over them.
#include "parser/training/label_trainer.hpp"

#include "parser/training/candidate_features.hpp"
#include "parser/training/constraints.hpp"
#include "parser/training/frequent_features.hpp"
#include "parser/training/shuffle.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace kirchhoff::parser {
namespace {

constexpr std::size_t kParts = 16;  // of the pairs of features and labels

void keep_each_once(std::vector<std::uint64_t>& pairs) {
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
}

}  // namespace

Templates label_templates(const TrainOptions& options) {
  const std::string roles = label_roles(options.labels == Labelling::joint);
  if (!options.label_templates.empty()) return {roles, options.label_templates};
  return {roles, lines_of_roles(kLabelTemplates, roles)};
}

LabelTrainer::LabelTrainer(const std::vector<Encoded>& sentences, const Inventory& inventory,
                           const Templates& templates, base::Crew& crew, StepRule rule)
    : sentences_(&sentences),
      templates_(&templates),
      crew_(&crew),
      use_(static_cast<std::size_t>(inventory.labels.size()), 0) {
  for (const Encoded& s : sentences) {
    for (std::size_t d = 1; d < s.heads.size(); ++d) {
      use_[static_cast<std::size_t>(s.labels[d])] |= s.heads[d] == 0 ? kRootLabel : kWordLabel;
    }
  }
  if (sentences.empty()) {
    for (int l = 0; l < inventory.labels.size(); ++l) {
      use_[static_cast<std::size_t>(l)] = inventory.labels.name(l) == kRootRelation ? kRootLabel : kWordLabel;
    }
  }
  build_pairs(templates, 2);
  learner_ = Learner(ids_.size(), rule);
}

void LabelTrainer::build_pairs(const Templates& templates, int min_count) {
  // The first pass counts the features, the second finds the labels each occurs with. The lists then have no gaps.
  const auto gold_keys = [&]() -> KeysOf {
    return [&, features = std::make_shared<FeatureKeys>(templates)](std::size_t i, std::vector<std::uint64_t>& keys) {
      const Encoded& s = (*sentences_)[i];
      features->read(s);
      const std::vector<Nodes> nodes = label_nodes(s.heads);
      for (std::size_t d = 1; d < s.heads.size(); ++d) features->append(nodes[d], keys);
    };
  };
  keys_ = frequent_features(sentences_->size(), gold_keys, min_count, *crew_);
  const std::vector<std::uint64_t> seen = find_words(templates);
  begin_.assign(keys_.size() + 1, 0);
  for (const std::uint64_t pair : seen) {
    ++begin_[(pair >> 16) + 1];
    ids_.push_back(static_cast<std::uint16_t>(pair));
  }
  for (std::size_t f = 0; f < keys_.size(); ++f) begin_[f + 1] += begin_[f];
}

/// Finds the features of all words. Returns the pairs of a feature (<< 16) and a label that occur together, sorted.
std::vector<std::uint64_t> LabelTrainer::find_words(const Templates& templates) {
  words_.resize(sentences_->size());
  word_begin_.assign(sentences_->size(), {0});
  // Pairs are sorted in parts of neighbouring features, each by one thread.
  const std::size_t of_part = keys_.size() / kParts + 1;
  const Buckets buckets = make_numbering(keys_, *crew_);
  const BucketTable table(buckets);
  std::vector<std::array<std::vector<std::uint64_t>, kParts>> found(base::Crew::chunk_count(sentences_->size()));
  crew_->chunks(sentences_->size(), [&](std::size_t first, std::size_t last) {
    auto& of_chunk = found[first / base::Crew::kChunk];
    FeatureKeys features(templates);
    std::vector<std::uint64_t> keys;
    for (std::size_t i = first; i < last; ++i) {
      const Encoded& s = (*sentences_)[i];
      features.read(s);
      const std::vector<Nodes> nodes = label_nodes(s.heads);
      for (std::size_t d = 1; d < s.heads.size(); ++d) {
        keys.clear();
        features.append(nodes[d], keys);
        table.prefetch(keys);
        for (const std::uint64_t key : keys) {
          const std::uint32_t number = table.find(key);
          if (number == 0) continue;
          const std::uint32_t f = number - 1;
          words_[i].push_back(f);
          of_chunk[f / of_part].push_back(static_cast<std::uint64_t>(f) << 16 |
                                          static_cast<std::uint64_t>(s.labels[d]));
        }
        word_begin_[i].push_back(static_cast<std::uint32_t>(words_[i].size()));
      }
    }
    for (std::vector<std::uint64_t>& part : of_chunk) keep_each_once(part);
  });
  std::array<std::vector<std::uint64_t>, kParts> parts;
  crew_->loop(kParts, [&](std::size_t part) {
    for (const auto& chunk : found) parts[part].insert(parts[part].end(), chunk[part].begin(), chunk[part].end());
    keep_each_once(parts[part]);
  });
  std::vector<std::uint64_t> seen;
  for (const std::vector<std::uint64_t>& part : parts) seen.insert(seen.end(), part.begin(), part.end());
  return seen;
}

void LabelTrainer::admit(const std::vector<Encoded>& sentences, const std::vector<Candidates>& candidates, int least,
                         const std::vector<char>& open, const Model* start) {
  FeatureKeys features(*templates_);
  keys_ = candidate_features(
      sentences.size(),
      [&](std::size_t i, std::vector<std::uint64_t>& keys) {
        features.read(sentences[i]);
        for_each_arc(candidates[i], [&](int h, int d) {
          if (h != 0) features.append({h, d}, keys);
        });
      },
      least);
  begin_ = {0};
  ids_.clear();
  for (const std::uint64_t key : keys_) {
    std::vector<char> has = open;
    if (start != nullptr) start->labels.visit(key, [&](std::uint32_t label, float) { has[label] = 1; });
    for (std::size_t l = 0; l < has.size(); ++l) {
      if (has[l] != 0 && label_allowed(use_[l], false)) ids_.push_back(static_cast<std::uint16_t>(l));
    }
    begin_.push_back(static_cast<std::uint32_t>(ids_.size()));
  }
  learner_ = Learner(ids_.size(), learner_.rule());
}

void LabelTrainer::add_updates(std::span<const std::uint32_t> features, std::span<const double> gradient,
                               Contribution& updates) const {
  constexpr double kWrongEnough = 1e-4;
  const auto matters = [](double g) { return std::abs(g) >= kWrongEnough; };
  if (std::none_of(gradient.begin(), gradient.end(), matters)) return;
  for (const std::uint32_t f : features) {
    for (std::uint32_t i = begin_[f]; i < begin_[f + 1]; ++i) {
      if (matters(gradient[ids_[i]])) updates.add(i, static_cast<float>(gradient[ids_[i]]));
    }
  }
}

/// Adds an update to the pairs of each label whose probability is wrong by enough.
void LabelTrainer::add_sentence(std::size_t sentence, Contribution& updates) const {
  const Encoded& s = (*sentences_)[sentence];
  const std::size_t labels = use_.size();
  std::vector<double> p(labels);
  std::vector<float> scores(labels);
  for (std::size_t d = 1; d < s.heads.size(); ++d) {
    const std::span<const std::uint32_t> features(words_[sentence].data() + word_begin_[sentence][d - 1],
                                                  words_[sentence].data() + word_begin_[sentence][d]);
    std::fill(scores.begin(), scores.end(), 0.0F);
    add_scores(features, std::span(scores));
    const auto gold = static_cast<std::size_t>(s.labels[d]);
    const bool below_root = s.heads[d] == 0;
    double highest = scores[gold];
    for (std::size_t l = 0; l < labels; ++l) {
      if (label_allowed(use_[l], below_root)) highest = std::max(highest, static_cast<double>(scores[l]));
    }
    double sum = 0.0;
    for (std::size_t l = 0; l < labels; ++l) {
      p[l] = label_allowed(use_[l], below_root) ? std::exp(scores[l] - highest) : 0.0;
      sum += p[l];
    }
    for (std::size_t l = 0; l < labels; ++l) p[l] = p[l] / sum - (l == gold ? 1.0 : 0.0);
    add_updates(features, p, updates);
  }
}

void LabelTrainer::learn(std::span<const std::size_t> sentences, std::size_t batch) {
  const std::size_t size = batch * batches_together(learner_.rule(), sentences_->size(), batch);
  for (std::size_t i = 0; i < sentences.size(); i += size) {
    step(sentences.subspan(i, std::min(size, sentences.size() - i)), batch);
  }
}

void LabelTrainer::step(std::span<const std::size_t> sentences, std::size_t batch) {
  if (updates_.size() < sentences.size()) updates_.resize(sentences.size());
  const std::vector<std::size_t> next = longest_first(*sentences_, sentences);
  crew_->loop(sentences.size(), [&](std::size_t k) {
    const std::size_t i = next[k];
    updates_[i].clear();
    add_sentence(sentences[i], updates_[i]);
    updates_[i].sort();
  });
  std::vector<Gradient> gradients((sentences.size() + batch - 1) / batch);
  for (std::size_t i = 0; i < sentences.size(); ++i) gradients[i / batch].contributions.push_back(&updates_[i]);
  learner_.step(gradients, *crew_);
}

std::unique_ptr<LabelTrainer> make_label_trainer(const std::vector<Encoded>& sentences, const Inventory& inventory,
                                                 const Templates& templates, const TrainOptions& options,
                                                 base::Crew& crew) {
  const bool as_arcs = options.labels == Labelling::joint && options.step.kind == StepRule::Kind::aggressive;
  auto trainer =
      std::make_unique<LabelTrainer>(sentences, inventory, templates, crew, as_arcs ? options.step : kLabelRule);
  if (sentences.empty() && options.start) trainer->allow(ModelAccess::model_of(*options.start)->label_use);
  return trainer;
}

std::vector<char> open_relations(const Inventory& inventory, const TrainOptions& options) {
  std::vector<char> open(static_cast<std::size_t>(inventory.labels.size()), options.start ? 0 : 1);
  for (const std::string& name : relations_of(options.unannotated)) {
    open[static_cast<std::size_t>(inventory.labels.find(name))] = 1;
  }
  return open;
}

}  // namespace kirchhoff::parser
