// Learning the arc weights: features of all candidates are looked up once and kept as lists of indices, so an epoch
// only gathers weights, does inference and scatters gradients.
#pragma once

#include "dependency/parts.hpp"
#include "parser/features/features.hpp"
#include "parser/inference/pruner.hpp"
#include "parser/weights/feature_index.hpp"
#include "parser/weights/learner.hpp"

namespace kirchhoff::parser {

/// A sentence's candidates with the indices of their features.
struct ArcLists {
  Candidates candidates;
  std::vector<std::uint32_t> begin;  ///< of candidate c: features[begin[c]] ... features[begin[c + 1] - 1]
  std::vector<std::uint32_t> features;

  std::span<const std::uint32_t> of(std::size_t c) const {
    return {features.data() + begin[c], features.data() + begin[c + 1]};
  }
};

/// Gradients below this are not worth an update.
inline constexpr double kNegligible = 1e-5;

/// The gradient with respect to the arc scores as one with respect to the weights.
void add_updates(const ArcLists& lists, const Matrix& gradient, std::vector<Update>& updates);

/// The weights of the pruner, trained as a CRF.
std::vector<float> train_pruner(const std::vector<Encoded>& sentences, const ArcTables& tables,
                                const TrainOptions& options, base::Crew& crew,
                                const std::function<bool(std::size_t)>& progress);

class ArcTrainer {
 public:
  virtual ~ArcTrainer() = default;
  ArcTrainer(const ArcTrainer&) = delete;
  ArcTrainer& operator=(const ArcTrainer&) = delete;

  /// `candidates` must contain the gold arcs.
  ArcTrainer(const std::vector<Encoded>& sentences, std::vector<Candidates> candidates, const Templates& templates,
             const TrainOptions& options, base::Crew& crew)
      : ArcTrainer(sentences, templates, options, crew) {
    if (options.features == FeatureSet::complete) add_features(templates, candidates);
    learner_ = Learner(index_.size(), options.step);
    lists_ = lists(sentences, std::move(candidates), templates);
  }

  /// Steps over batches of these sentences; after each calls done(how many, the sum of their losses).
  void learn(std::span<const std::size_t> sentences, const std::function<void(std::size_t, double)>& done);

  /// Of all features, in the order of the weights.
  virtual std::vector<std::uint64_t> keys() const { return index_.keys(); }
  /// Those that came while learning, and the way to have them come back.
  virtual std::span<const std::uint64_t> grown() const { return {}; }
  virtual void grow(std::span<const std::uint64_t>) {}
  Learner& learner() { return learner_; }
  /// The candidates of other sentences with the features that are known.
  std::vector<ArcLists> lists(const std::vector<Encoded>& sentences, std::vector<Candidates> candidates,
                              const Templates& templates) const;
  Matrix scores(const ArcLists& lists, int words) const;

 protected:
  /// What a sentence contributes to a step.
  struct Result {
    double loss = 0.0;
    std::vector<Update> updates;
    dependency::DependencyParts parts;
    std::vector<char> gold;               ///< whether the tree has the part
    std::vector<std::uint32_t> features;  ///< of arcs, then of parts; for updates to point into; may have room left
    std::vector<std::uint32_t> begin;     ///< of arc or part p: features[begin[p]] ... features[begin[p + 1] - 1]
    std::vector<std::uint64_t> missing;   ///< keys that have no weight yet, and room
    std::vector<std::uint32_t> missing_begin;
    /// `amount` for each of the features with keys missing[begin] ... missing[end - 1].
    struct Growth {
      std::uint32_t begin = 0, end = 0;
      float amount = 0.0F;
    };
    std::vector<Growth> growth;
    std::vector<std::uint32_t> numbers;  ///< of those that grew
  };
  /// What can be done before the weights are known, some batches ahead, by threads that would have to wait.
  virtual bool prepares() const { return false; }
  virtual void prepare(std::size_t, Result&) const {}
  virtual void read_sentence(std::size_t sentence, Result& result);
  /// Sentence by sentence, in the order of the batch: gives weights to features that shall grow, as further updates.
  virtual void add_growth(Result&) {}
  /// The features of gold arcs; no lists of them.
  ArcTrainer(const std::vector<Encoded>& sentences, const Templates& templates, const TrainOptions& options,
             base::Crew& crew);

  const std::vector<Encoded>* sentences_;
  TrainOptions options_;
  base::Crew* crew_;
  FeatureIndex index_;
  std::vector<ArcLists> lists_;
  Learner learner_;

 private:
  /// A batch on its way.
  struct Batch {
    std::span<const std::size_t> sentences;
    std::vector<std::size_t> longest_first;  ///< so that the last ones to be done are short
    std::vector<Result> results;
  };
  void add_features(const Templates& templates, const std::vector<Candidates>& candidates);
  void take(std::span<const std::size_t> sentences, Batch& batch) const;
  double step(Batch& batch);
  std::vector<Batch> batches_;
};

}  // namespace kirchhoff::parser
