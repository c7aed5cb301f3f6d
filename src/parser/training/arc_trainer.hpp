// Learning the arc weights: features of all candidates are looked up once and kept as lists of indices, so an epoch
// only gathers weights, does inference and scatters gradients.
#pragma once

#include "parser/training/feature_lists.hpp"
#include "parser/training/joint_labels.hpp"
#include "parser/training/learner.hpp"
#include "parser/training/text_model.hpp"
#include "parser/weights/feature_index.hpp"

namespace kirchhoff::parser {

/// Gradients of smaller size are not worth an update.
inline constexpr double kNegligible = 1e-5;

/// Turns a gradient by the scores of arcs, in the order of the lists, into updates of their weights.
void add_updates(const FeatureLists& lists, std::span<const double> gradient, Contribution& updates);

/// Learns the weights of arcs, and with them those of joint labels. A derived class adds what a model of second order
/// has besides.
class ArcTrainer {
 public:
  virtual ~ArcTrainer() = default;
  ArcTrainer(const ArcTrainer&) = delete;
  ArcTrainer& operator=(const ArcTrainer&) = delete;

  /// Counts the features of gold arcs.
  ArcTrainer(const std::vector<Encoded>& sentences, const Templates& templates, const TrainOptions& options,
             base::Crew& crew);
  /// Has relations learnt together with the tree; before take(). They must outlive it.
  void join(const JointLabels& labels) { joint_ = &labels; }
  const JointLabels* joint() const { return joint_; }
  /// Gives a weight to the features that the candidate arcs of other sentences have at least `least` times; before
  /// take().
  virtual void admit(const std::vector<Encoded>& sentences, const std::vector<Candidates>& candidates, int least);
  /// Says which arcs to learn from, before learning begins. The candidates of each sentence must contain its gold arcs.
  void take(std::vector<Candidates> candidates);

  /// Takes a step for each batch of these sentences, and calls done(number of sentences, sum of their losses) for each
  /// when that has been done for some of them.
  void learn(std::span<const std::size_t> sentences, const std::function<void(std::size_t, double)>& done);

  /// The keys of all features, in the order of the weights.
  virtual std::vector<std::uint64_t> keys() const { return keys_; }
  /// The keys of the features that came while learning.
  virtual std::span<const std::uint64_t> grown() const { return {}; }
  /// Brings such features back when a training goes on.
  virtual void grow(std::span<const std::uint64_t>) {}
  Learner& learner() { return learner_; }
  /// The features of the candidates of other sentences that have a weight.
  std::vector<FeatureLists> lists(const std::vector<Encoded>& sentences,
                                  const std::vector<Candidates>& candidates) const {
    return feature_lists(sentences, candidates, {keys_, *templates_}, *crew_);
  }
  /// The scores of arcs, in the order of the lists.
  std::vector<double> scores(const FeatureLists& lists) const;
  /// What sentences without trees have of this model, which must outlive it; after take().
  virtual std::unique_ptr<TextModel> text_model();
  base::Crew& crew() const { return *crew_; }
  Root root() const { return options_.root; }

 protected:
  /// Prepares the features of arcs, with the candidates in their place.
  virtual void take_features();
  /// What a sentence contributes to a step. It is used again for other sentences, to keep its memory.
  struct Result {
    virtual ~Result() = default;
    double loss = 0.0;
    Contribution updates, of_labels;
    Contribution late;  ///< What add_growth() adds.
  };
  virtual std::unique_ptr<Result> make_result() const { return std::make_unique<Result>(); }
  /// Whether prepare() does anything.
  virtual bool prepares() const { return false; }
  /// Does what can be done before the weights are known. Threads that would have to wait do this some batches ahead.
  virtual void prepare(std::size_t, Result&) const {}
  /// Computes a sentence's loss and gradient.
  virtual void compute_updates(std::size_t sentence, Result& result);
  /// Gives weights to features that should grow. This is called sentence by sentence, in the order of the batch.
  virtual void add_growth(Result&) {}
  /// Adds those that are not there.
  void add_keys(std::span<const std::uint64_t> keys);
  const std::vector<Encoded>* sentences_;
  const Templates* templates_;
  TrainOptions options_;
  base::Crew* crew_;
  std::vector<std::uint64_t> keys_;     ///< Those that are known from the start, in the order of the weights.
  const JointLabels* joint_ = nullptr;  ///< null where relations are learnt on their own
  std::vector<Candidates> candidates_;
  std::vector<FeatureLists> lists_;
  std::vector<FeatureLists> label_lists_;  ///< The features of joint labels; empty without.
  Learner learner_;

 private:
  /// Batches whose gradients are computed with the same weights.
  struct Round {
    std::span<const std::size_t> sentences;
    std::vector<std::size_t> longest_first;
    std::vector<std::unique_ptr<Result>> results;
  };
  void fill(Round& round, std::span<const std::size_t> sentences) const;
  void step(Round& round, const std::function<void(std::size_t, double)>& done);
  void compute_labelled_updates(std::size_t sentence, Result& result) const;
  std::vector<Round> rounds_;
};

}  // namespace kirchhoff::parser
