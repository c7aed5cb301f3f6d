// Collects the pairs of features and labels that occur together, and takes steps of logistic regression over them.
#include "parser/training/label_trainer.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::parser {
namespace {

constexpr std::size_t kFirstSeen = std::size_t{1} << 16;  // pairs of features and labels, before doubles are left out

}  // namespace

LabelTrainer::LabelTrainer(const std::vector<Encoded>& sentences, const Inventory& inventory,
                           const Templates& templates, base::Crew& crew)
    : sentences_(&sentences), crew_(&crew), use_(static_cast<std::size_t>(inventory.labels.size()), 0) {
  for (const Encoded& s : sentences) {
    for (std::size_t d = 1; d < s.heads.size(); ++d) {
      use_[static_cast<std::size_t>(s.labels[d])] |= s.heads[d] == 0 ? kRootLabel : kWordLabel;
    }
  }
  build_pairs(templates, 2);
  learner_ = Learner(ids_.size(), {.kind = StepRule::Kind::adagrad, .rate = 0.05});
}

void LabelTrainer::build_pairs(const Templates& templates, int min_count) {
  // The first pass counts the features, the second finds the labels each occurs with. The lists then have no gaps.
  FeatureKeys features(templates);
  std::vector<std::uint64_t> keys;
  FeatureCounter counter;
  const auto visit = [&](const auto& action) {
    for (std::size_t i = 0; i < sentences_->size(); ++i) {
      const Encoded& s = (*sentences_)[i];
      features.read(s);
      const std::vector<Nodes> nodes = label_nodes(s.heads);
      for (std::size_t d = 1; d < s.heads.size(); ++d) {
        keys.clear();
        features.append(nodes[d], keys);
        for (const std::uint64_t key : keys) index_.prefetch(key);
        action(i, s.labels[d]);
      }
    }
  };
  visit([&](std::size_t, int) { counter.add(keys); });
  index_ = counter.at_least(min_count);
  words_.resize(sentences_->size());
  word_begin_.assign(sentences_->size(), {0});
  std::vector<std::uint64_t> seen;
  const auto keep_each_once = [&] {
    std::sort(seen.begin(), seen.end());
    seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  };
  std::size_t most = kFirstSeen;
  visit([&](std::size_t i, int label) {
    for (const std::uint64_t key : keys) {
      const std::uint32_t f = index_.find(key);
      if (f == FeatureIndex::kAbsent) continue;
      words_[i].push_back(f);
      seen.push_back(static_cast<std::uint64_t>(f) << 16 | static_cast<std::uint64_t>(label));
    }
    word_begin_[i].push_back(static_cast<std::uint32_t>(words_[i].size()));
    if (seen.size() > most) {  // Memory is that of the pairs, not of the words, and sorting waits until it doubles.
      keep_each_once();
      most = std::max(most, 2 * seen.size());
    }
  });
  keep_each_once();
  begin_.assign(index_.size() + 1, 0);
  for (const std::uint64_t pair : seen) {
    ++begin_[(pair >> 16) + 1];
    ids_.push_back(static_cast<std::uint16_t>(pair));
  }
  for (std::size_t f = 0; f < index_.size(); ++f) begin_[f + 1] += begin_[f];
}

/// Appends one group of pairs for each label whose probability is wrong by enough; `amounts` gets the end of each group
/// and its amount.
double LabelTrainer::add_sentence(std::size_t sentence, std::vector<std::uint32_t>& pairs,
                                  std::vector<std::pair<std::uint32_t, float>>& amounts) const {
  const Encoded& s = (*sentences_)[sentence];
  const auto weights = learner_.weights();
  const std::size_t labels = use_.size();
  std::vector<double> p(labels);
  std::vector<float> scores(labels);
  std::vector<std::vector<std::uint32_t>> groups(labels);
  double loss = 0.0;
  for (std::size_t d = 1; d < s.heads.size(); ++d) {
    const std::span<const std::uint32_t> features(words_[sentence].data() + word_begin_[sentence][d - 1],
                                                  words_[sentence].data() + word_begin_[sentence][d]);
    std::fill(scores.begin(), scores.end(), 0.0F);
    for (const std::uint32_t f : features) {
      __builtin_prefetch(&ids_[begin_[f]]);
      __builtin_prefetch(&weights[begin_[f]]);
    }
    for (const std::uint32_t f : features) {
      for (std::uint32_t i = begin_[f]; i < begin_[f + 1]; ++i) scores[ids_[i]] += weights[i];
    }
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
    loss += std::log(sum) + highest - scores[gold];
    bool is_wrong = false;  // Whether any label is wrong by enough for an update.
    for (std::size_t l = 0; l < labels; ++l) {
      p[l] = p[l] / sum - (l == gold ? 1.0 : 0.0);
      is_wrong |= std::abs(p[l]) >= 1e-4;
    }
    if (!is_wrong) continue;
    for (const std::uint32_t f : features) {
      for (std::uint32_t i = begin_[f]; i < begin_[f + 1]; ++i) {
        if (std::abs(p[ids_[i]]) >= 1e-4) groups[ids_[i]].push_back(i);
      }
    }
    for (std::size_t l = 0; l < labels; ++l) {
      if (groups[l].empty()) continue;
      pairs.insert(pairs.end(), groups[l].begin(), groups[l].end());
      amounts.emplace_back(static_cast<std::uint32_t>(pairs.size()), static_cast<float>(p[l]));
      groups[l].clear();
    }
  }
  return loss;
}

double LabelTrainer::step(std::span<const std::size_t> batch) {
  struct Result {
    double loss = 0.0;
    std::vector<std::uint32_t> pairs;
    std::vector<std::pair<std::uint32_t, float>> amounts;
  };
  std::vector<Result> results(batch.size());
  crew_->loop(batch.size(),
              [&](std::size_t i) { results[i].loss = add_sentence(batch[i], results[i].pairs, results[i].amounts); });
  double loss = 0.0;
  std::vector<Update> updates;
  for (const Result& r : results) {
    loss += r.loss;
    std::uint32_t from = 0;
    for (const auto& [to, amount] : r.amounts) {
      updates.push_back({{r.pairs.data() + from, r.pairs.data() + to}, amount});
      from = to;
    }
  }
  learner_.step(updates, loss, *crew_, crew_->threads_per_sequence());
  return loss;
}

}  // namespace kirchhoff::parser
