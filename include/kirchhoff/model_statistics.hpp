// What a parser's distribution over trees makes of features: their expectations and covariances over a corpus
// [Druck09], and the curvature of its log-likelihood.
//
//   FeatureStatistics s = feature_statistics(model, sentences, {.templates = "dir | h.upos d.upos"});
//   s.names[0];            // "h.upos=NOUN d.upos=DET dir=leftward"
//   s.expectation(0);      // how many such arcs the trees of the sentences have, in expectation
//   s.covariance(0, 1);
//
// Models that score arcs are solved exactly, by the Matrix-Tree theorem, among the arcs that pruning left. Models of
// parts with several arcs are refused with an InputError: belief propagation gives them probabilities of arcs, but no
// covariances. Sentences are independent, so what is said of a corpus is a sum over its sentences; those without words
// are left out. Results do not depend on the number of threads. Formulas: docs/methods/parser.md.
#pragma once

#include "kirchhoff/parallel.hpp"
#include "kirchhoff/parser.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kirchhoff {

/// Which trees count, and how the work is done.
struct StatisticsOptions {
  std::optional<Root> root = {};  ///< Replaces the model's root mode.
  bool projective = false;        ///< Only trees whose arcs do not cross count.
  int threads = kAllCores;
  Stop stop = {};  ///< When it returns true, Stopped is thrown.
};

/// Which features of arcs to look at. They need not be the model's.
struct FeatureChoice {
  /// In the language of feature templates (docs/methods/parser.md): what a line makes of an arc is one feature, so that
  /// "dir | h.upos d.upos" has one for each pair of tags and direction.
  std::string templates = {};
  int most = 50;  ///< How many features are taken: those with the largest expectations.
  /// Takes the features of these names instead. One that no arc has is 0 everywhere.
  std::vector<std::string> names = {};
  /// A vector that the Hessian is multiplied by: features by these templates, by their names, and their values. All
  /// others have the value 0.
  std::vector<std::pair<std::string, double>> direction = {};
};

/// Sums over sentences, feature by feature, and the larger expectations first unless names were given.
struct FeatureStatistics {
  std::vector<std::string> names;  ///< "h.upos=NOUN d.upos=DET dir=leftward"
  Vector expectation;              ///< E[f], of the number of arcs with the feature.
  Matrix covariance;               ///< Cov(f_m, f_n).
  Vector weights;                  ///< The weights that the model gives them; 0 for a feature that it does not have.
  std::optional<Vector> observed;  ///< The counts in the trees of the sentences, when all of them have one.
  /// The diagonal of the Fisher information, Var(f) / temperature^2. This and the next one are for a weight of each
  /// feature, whether the model has one or not.
  Vector fisher;
  /// The Hessian of the log-likelihood, times the direction, where one was given: -Cov(f, direction) / temperature^2.
  std::optional<Vector> hessian_product;
  std::int64_t sentences = 0, words = 0;
};
/// Throws InputError for a model of parts, for templates that are none of arcs, for `most` below 1, and for a direction
/// that is not finite. It takes what parsing takes, and O(n^3 + F^2) for the F chosen features of a sentence of n
/// words, of which each arc has few.
FeatureStatistics feature_statistics(const ParserModel& model, std::span<const Sentence> sentences,
                                     const FeatureChoice& choice, const StatisticsOptions& options = {});

/// The weights of a model of arcs as one vector. They are numbered as they lie in the model's file. Copies share
/// memory.
class ModelWeights {
 public:
  /// Throws InputError for a model of parts.
  explicit ModelWeights(ParserModel model);

  const ParserModel& model() const { return model_; }
  std::size_t size() const { return size_; }
  Vector values() const;
  /// The numbers of the features of an arc that have a weight. These weights add up to the arc's score, which divided
  /// by the model's temperature is what Parser::arc_scores gives. Throws InputError for an arc that does not exist.
  std::vector<std::size_t> of_arc(const Sentence& sentence, Arc arc) const;
  /// The temperature by which scores are divided.
  double temperature() const;

 private:
  friend struct ModelWeightsAccess;
  ParserModel model_;
  std::size_t size_ = 0;
  std::shared_ptr<const std::vector<std::uint32_t>> first_;  ///< The number of the first weight of each bucket.
};

/// E[f] of the feature of every weight. The gradient of the log-likelihood is observed counts less these, divided by
/// the temperature.
Vector expected_counts(const ModelWeights& weights, std::span<const Sentence> sentences,
                       const StatisticsOptions& options = {});
/// The Hessian of the log-likelihood by the weights, times a vector: -Cov(f, f) direction / temperature^2, whatever the
/// trees of the sentences are. O(n^3) a sentence and one look-up for each feature. Throws InputError for a vector of
/// another size or with numbers that are not finite.
Vector hessian_product(const ModelWeights& weights, std::span<const Sentence> sentences, const Vector& direction,
                       const StatisticsOptions& options = {});
/// The diagonal of the Fisher information, Var(f) / temperature^2 of each weight. O(A^2) a sentence with A arcs that
/// pruning left, and as much as each feature's arcs have pairs.
Vector fisher_diagonal(const ModelWeights& weights, std::span<const Sentence> sentences,
                       const StatisticsOptions& options = {});

}  // namespace kirchhoff
