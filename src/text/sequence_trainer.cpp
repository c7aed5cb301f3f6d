// Takes steps along the gradient of the likelihood: expected less observed counts of pairs of features and labels and,
// for chains, of neighbouring tags.
#include "text/sequence_trainer.hpp"

#include "base/check.hpp"
#include "parser/features/hash.hpp"
#include "parser/training/shuffle.hpp"
#include "text/sequence_features.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
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
      : task_(task),
        options_(options),
        crew_(crew),
        scale_(1.0 / (1.0 - options.dropout)),
        features_(task, options, crew) {
    labels_ = label_count(task);
    every_tag_.resize(static_cast<std::size_t>(task.tags));
    std::iota(every_tag_.begin(), every_tag_.end(), 0);
    const auto tags = static_cast<std::size_t>(task.tags);
    learner_ = parser::Learner(features_.ids.size() + (task.chain ? tags * tags : 0),
                               {.kind = StepRule::Kind::adagrad, .rate = options.rate});
  }

  /// Returns false when `progress` ended it.
  bool run(const SequenceProgress& progress) {
    constexpr std::uint64_t kOrder = 0x74657874ULL;
    const std::size_t count = task_.gold.size(), all = count * static_cast<std::size_t>(options_.epochs);
    const std::size_t round = options_.batch * parser::batches_together(learner_.rule(), count, options_.batch);
    for (int epoch = 0; epoch < options_.epochs; ++epoch) {
      epoch_ = epoch;
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
    std::vector<float> transitions(average.begin() + static_cast<std::ptrdiff_t>(features_.ids.size()), average.end());
    average.resize(features_.ids.size());
    for (float& weight : average) {
      if (std::abs(weight) < options_.least) weight = 0.0F;
    }
    return {std::move(features_.keys), std::move(features_.begin), std::move(features_.ids), std::move(average),
            std::move(transitions)};
  }

 private:
  std::size_t transition(std::size_t from, std::size_t to) const {
    return features_.ids.size() + from * static_cast<std::size_t>(task_.tags) + to;
  }
  /// The features of a position that were not dropped in this epoch, until the next call in this thread.
  std::span<const std::uint32_t> features(std::size_t sequence, std::size_t position) const {
    const auto all = features_.of(sequence, position);
    if (options_.dropout == 0.0) return all;
    thread_local std::vector<std::uint32_t> kept;
    kept.clear();
    const auto bound = static_cast<std::uint64_t>(options_.dropout * 0x1p32);
    const std::uint64_t place = parser::mix(options_.seed ^ static_cast<std::uint64_t>(epoch_) << 48 ^
                                            static_cast<std::uint64_t>(sequence) << 20 ^ position);
    for (const std::uint32_t f : all) {
      if (parser::mix(place + f) >> 32 >= bound) kept.push_back(f);
    }
    return kept;
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
      for (std::uint32_t i = features_.begin[f]; i < features_.begin[f + 1]; ++i)
        scores[features_.ids[i]] += scale_ * static_cast<double>(weights[i]);
    }
  }

  /// The gradient of a position by the scores of labels.
  template <class Scores>
  void add_gradient(std::size_t sequence, std::size_t position, const Scores& wrong,
                    parser::Contribution& update) const {
    for (const std::uint32_t f : features(sequence, position)) {
      for (std::uint32_t i = features_.begin[f]; i < features_.begin[f + 1]; ++i) {
        const auto amount = static_cast<float>(scale_ * wrong[features_.ids[i]]);
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
        for (const int label : labels_of(task_, tag)) score += scores[static_cast<std::size_t>(label)];
        probability.push_back(score);
      }
      normalise(probability);
      for (std::size_t i = 0; i < rivals.size(); ++i) {
        const double amount = probability[i] - (rivals[i] == gold ? 1.0 : 0.0);
        for (const int label : labels_of(task_, rivals[i])) wrong[static_cast<std::size_t>(label)] += amount;
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
  double scale_;   ///< Makes up for the features that are dropped, so that scores are as large as with all of them.
  int epoch_ = 0;  ///< The one that runs.
  int labels_ = 0;
  std::vector<int> every_tag_;
  SequenceFeatures features_;
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
