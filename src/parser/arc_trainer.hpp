// Learning the arc weights: features of all candidates are looked up once and kept as lists of indices, so an epoch
// only gathers weights, does inference and scatters gradients.
#pragma once

#include "parser/feature_index.hpp"
#include "parser/features.hpp"
#include "parser/learner.hpp"
#include "parser/pruner.hpp"

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

/// The weights of the pruner, trained as a CRF.
std::vector<float> train_pruner(const std::vector<Encoded>& sentences, const ArcTables& tables,
                                const TrainOptions& options, const std::function<bool(std::size_t)>& progress);

class ArcTrainer {
 public:
  /// `candidates` must contain the gold arcs.
  ArcTrainer(const std::vector<Encoded>& sentences, std::vector<Candidates> candidates, const Templates& templates,
             const TrainOptions& options);

  /// One step over the sentences of a batch; returns the sum of their losses.
  double step(std::span<const std::size_t> batch);

  const FeatureIndex& index() const { return index_; }
  Learner& learner() { return learner_; }

 private:
  void build_index(const Templates& templates);
  void build_lists(const Templates& templates, std::vector<Candidates> candidates);
  void add_features(const Templates& templates, const std::vector<Candidates>& candidates);
  Matrix scores(std::size_t sentence) const;

  const std::vector<Encoded>* sentences_;
  TrainOptions options_;
  FeatureIndex index_;
  std::vector<ArcLists> lists_;
  Learner learner_;
};

}  // namespace kirchhoff::parser
