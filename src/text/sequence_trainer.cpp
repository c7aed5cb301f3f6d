// Collects the pairs of features and tags that occur together, and takes steps along the gradient of the likelihood:
// expected less observed counts of pairs and, for chains, of neighbouring tags.
#include "text/sequence_trainer.hpp"

#include "base/check.hpp"
#include "parser/training/frequent_features.hpp"
#include "parser/training/shuffle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <string>

namespace kirchhoff::text {
namespace {

constexpr float kLeastAmount = 1e-4F;  // Smaller parts of a gradient are left out.

int label_count(const SequenceTask& task) {
  int count = task.labels.empty() ? task.tags : 0;
  for (const auto& some : task.labels) {
    for (const int label : some) count = std::max(count, label + 1);
  }
  return count;
}

class Trainer {
 public:
  Trainer(const SequenceTask& task, const SequenceOptions& options, base::Crew& crew)
      : task_(task), options_(options), crew_(crew), features_(task.gold.size()), begin_of_(task.gold.size()) {
    labels_ = label_count(task);
    every_tag_.resize(static_cast<std::size_t>(task.tags));
    std::iota(every_tag_.begin(), every_tag_.end(), 0);
    find_features();
    const auto tags = static_cast<std::size_t>(task.tags);
    learner_ = parser::Learner(ids_.size() + (task.chain ? tags * tags : 0),
                               {.kind = StepRule::Kind::adagrad, .rate = options.rate});
  }

  /// Returns false when `progress` ended it.
  bool run(const SequenceProgress& progress) {
    constexpr std::uint64_t kOrder = 0x74657874ULL;
    const std::size_t count = task_.gold.size(), all = count * static_cast<std::size_t>(options_.epochs);
    const std::size_t round = options_.batch * parser::batches_together(learner_.rule(), count, options_.batch);
    for (int epoch = 0; epoch < options_.epochs; ++epoch) {
      const auto order = parser::shuffled(count, options_.seed, epoch, kOrder);
      for (std::size_t i = 0; i < count; i += round) {
        const std::size_t some = std::min(round, count - i);
        step(std::span(order).subspan(i, some));
        if (progress && !progress(static_cast<std::size_t>(epoch) * count + i + some, all)) return false;
      }
    }
    return true;
  }

  SequenceWeights weights() && {
    std::vector<float> average = learner_.averaged(crew_);
    std::vector<float> transitions(average.begin() + static_cast<std::ptrdiff_t>(ids_.size()), average.end());
    average.resize(ids_.size());
    return {std::move(keys_), std::move(begin_), std::move(ids_), std::move(average), std::move(transitions)};
  }

 private:
  std::size_t transition(std::size_t from, std::size_t to) const {
    return ids_.size() + from * static_cast<std::size_t>(task_.tags) + to;
  }
  std::span<const std::uint32_t> features(std::size_t sequence, std::size_t position) const {
    const auto& begin = begin_of_[sequence];
    return std::span(features_[sequence]).subspan(begin[position], begin[position + 1] - begin[position]);
  }

  void find_features() {
    const auto flat = [&]() -> parser::KeysOf {
      return [find = task_.features(), keys = std::make_shared<SequenceKeys>()](std::size_t i,
                                                                                std::vector<std::uint64_t>& out) {
        keys->clear();
        find(i, *keys);
        out.insert(out.end(), keys->all().begin(), keys->all().end());
      };
    };
    keys_ = parser::frequent_features(task_.gold.size(), flat, options_.min_count, crew_);
    const parser::Buckets buckets = parser::make_numbering(keys_, crew_);
    const parser::BucketTable table(buckets);
    std::vector<std::vector<std::uint64_t>> found(base::Crew::chunk_count(task_.gold.size()));
    crew_.chunks(task_.gold.size(), [&](std::size_t first, std::size_t last) {
      const FeaturesOf find = task_.features();
      SequenceKeys keys;
      std::vector<std::uint64_t>& pairs = found[first / base::Crew::kChunk];
      for (std::size_t i = first; i < last; ++i) {
        keys.clear();
        find(i, keys);
        begin_of_[i].assign(1, 0);
        for (std::size_t t = 0; t < keys.length(); ++t) {
          table.prefetch(keys.of(t));
          for (const std::uint64_t key : keys.of(t)) {
            const std::uint32_t number = table.find(key);
            if (number == 0) continue;
            features_[i].push_back(number - 1);
            if (task_.gold[i][t] < 0) continue;
            for (const int label : labels_of(task_.gold[i][t])) {
              pairs.push_back(static_cast<std::uint64_t>(number - 1) << 16 | static_cast<std::uint64_t>(label));
            }
          }
          begin_of_[i].push_back(static_cast<std::uint32_t>(features_[i].size()));
        }
      }
      std::sort(pairs.begin(), pairs.end());
      pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    });
    number_pairs(found);
  }

  void number_pairs(std::vector<std::vector<std::uint64_t>>& found) {
    std::vector<std::uint64_t> all;
    for (auto& some : found) {
      all.insert(all.end(), some.begin(), some.end());
      some = {};
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    begin_.assign(keys_.size() + 1, 0);
    for (const std::uint64_t pair : all) {
      ++begin_[(pair >> 16) + 1];
      ids_.push_back(static_cast<std::uint16_t>(pair));
    }
    for (std::size_t f = 0; f < keys_.size(); ++f) begin_[f + 1] += begin_[f];
  }

  void step(std::span<const std::size_t> sequences) {
    if (updates_.size() < sequences.size()) updates_.resize(sequences.size());
    crew_.loop(sequences.size(), [&](std::size_t i) {
      updates_[i].clear();
      add_sequence(sequences[i], updates_[i]);
      updates_[i].sort();
    });
    std::vector<parser::Gradient> gradients((sequences.size() + options_.batch - 1) / options_.batch);
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      gradients[i / options_.batch].contributions.push_back(&updates_[i]);
    }
    learner_.step(gradients, crew_);
  }

  /// The scores of labels at a position.
  template <class Scores>
  void add_scores(std::size_t sequence, std::size_t position, Scores&& scores) const {
    const auto weights = learner_.weights();
    for (const std::uint32_t f : features(sequence, position)) {
      for (std::uint32_t i = begin_[f]; i < begin_[f + 1]; ++i) scores[ids_[i]] += static_cast<double>(weights[i]);
    }
  }

  /// The gradient of a position by the scores of labels.
  template <class Scores>
  void add_gradient(std::size_t sequence, std::size_t position, const Scores& wrong,
                    parser::Contribution& update) const {
    for (const std::uint32_t f : features(sequence, position)) {
      for (std::uint32_t i = begin_[f]; i < begin_[f + 1]; ++i) {
        const auto amount = static_cast<float>(wrong[ids_[i]]);
        if (std::abs(amount) >= kLeastAmount) update.add(i, amount);
      }
    }
  }

  void add_sequence(std::size_t sequence, parser::Contribution& update) const {
    if (task_.gold[sequence].empty()) return;
    if (task_.chain) {
      add_chain(sequence, update);
    } else {
      add_positions(sequence, update);
    }
  }

  void add_chain(std::size_t sequence, parser::Contribution& update) const {
    const Tags& gold = task_.gold[sequence];
    Matrix scores = Matrix::Zero(static_cast<Eigen::Index>(gold.size()), task_.tags);
    for (std::size_t t = 0; t < gold.size(); ++t) add_scores(sequence, t, scores.row(static_cast<Eigen::Index>(t)));
    if (task_.forbid) task_.forbid(sequence, scores);
    ChainArrays expected = ChainDistribution(scores, transition_scores()).marginals();
    add_transitions(gold, expected, update);
    for (std::size_t t = 0; t < gold.size(); ++t) {
      auto wrong = expected.emissions.row(static_cast<Eigen::Index>(t));
      wrong[gold[t]] -= 1.0;
      add_gradient(sequence, t, wrong, update);
    }
  }

  void add_positions(std::size_t sequence, parser::Contribution& update) const {
    std::vector<double> scores, wrong, probability;
    for (std::size_t t = 0; t < task_.gold[sequence].size(); ++t) {
      const int gold = task_.gold[sequence][t];
      if (gold < 0) continue;
      const std::span<const int> rivals = task_.rivals ? task_.rivals(gold) : every_tag_;
      scores.assign(static_cast<std::size_t>(labels_), 0.0);
      wrong.assign(scores.size(), 0.0);
      add_scores(sequence, t, scores);
      probability.clear();
      for (const int tag : rivals) {
        double score = 0.0;
        for (const int label : labels_of(tag)) score += scores[static_cast<std::size_t>(label)];
        probability.push_back(score);
      }
      normalise(probability);
      for (std::size_t i = 0; i < rivals.size(); ++i) {
        const double amount = probability[i] - (rivals[i] == gold ? 1.0 : 0.0);
        for (const int label : labels_of(rivals[i])) wrong[static_cast<std::size_t>(label)] += amount;
      }
      add_gradient(sequence, t, wrong, update);
    }
  }

  /// Probabilities in the place of scores.
  static void normalise(std::vector<double>& scores) {
    const double most = *std::max_element(scores.begin(), scores.end());
    double sum = 0.0;
    for (double& score : scores) sum += score = std::exp(score - most);
    for (double& score : scores) score /= sum;
  }

  /// The labels of a tag.
  std::span<const int> labels_of(int tag) const {
    const auto i = static_cast<std::size_t>(tag);
    return task_.labels.empty() ? std::span(every_tag_).subspan(i, 1) : std::span<const int>(task_.labels[i]);
  }

  Matrix transition_scores() const {
    const auto weights = learner_.weights();
    Matrix scores = task_.transitions;
    for (int from = 0; from < task_.tags; ++from) {
      for (int to = 0; to < task_.tags; ++to) {
        scores(from, to) +=
            static_cast<double>(weights[transition(static_cast<std::size_t>(from), static_cast<std::size_t>(to))]);
      }
    }
    return scores;
  }

  void add_transitions(const Tags& gold, const ChainArrays& expected, parser::Contribution& update) const {
    Matrix wrong = Matrix::Zero(task_.tags, task_.tags);
    for (std::size_t t = 1; t < gold.size(); ++t) {
      const auto first = static_cast<Eigen::Index>(t - 1) * task_.tags;
      wrong += expected.transitions.middleRows(first, task_.tags);
      wrong(gold[t - 1], gold[t]) -= 1.0;
    }
    for (int from = 0; from < task_.tags; ++from) {
      for (int to = 0; to < task_.tags; ++to) {
        const auto amount = static_cast<float>(wrong(from, to));
        if (std::abs(amount) < kLeastAmount) continue;
        update.add(static_cast<std::uint32_t>(transition(static_cast<std::size_t>(from), static_cast<std::size_t>(to))),
                   amount);
      }
    }
  }

  const SequenceTask& task_;
  const SequenceOptions& options_;
  base::Crew& crew_;
  int labels_ = 0;
  std::vector<int> every_tag_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> begin_;                  ///< Feature f has the pairs begin_[f] .. begin_[f + 1] - 1.
  std::vector<std::uint16_t> ids_;                    ///< The tags of the pairs.
  std::vector<std::vector<std::uint32_t>> features_;  ///< The features of all positions of each sequence.
  std::vector<std::vector<std::uint32_t>> begin_of_;
  parser::Learner learner_;
  std::vector<parser::Contribution> updates_;  ///< Of the sequences of a step.
};

}  // namespace

std::optional<SequenceWeights> train_sequences(const SequenceTask& task, const SequenceOptions& options,
                                               base::Crew& crew, const SequenceProgress& progress) {
  if (const int count = std::max(task.tags, label_count(task)); count > std::numeric_limits<std::uint16_t>::max()) {
    base::input_error("train_pipeline", std::to_string(count) + " different tags or scripts, more than 65535");
  }
  Trainer trainer(task, options, crew);
  if (!trainer.run(progress)) return std::nullopt;
  return std::move(trainer).weights();
}

}  // namespace kirchhoff::text
