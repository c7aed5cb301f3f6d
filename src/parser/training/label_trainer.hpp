// Learning the relations: logistic regression on the gold trees, over pairs (feature, label) that occur in them.
#pragma once

#include "parser/inference/labeller.hpp"
#include "parser/inference/pruner.hpp"
#include "parser/training/learner.hpp"

#include <algorithm>
#include <memory>
#include <string_view>

namespace kirchhoff::parser {

/// The relations of a model that was trained without trees, beside those that constraints name: of a word below the
/// root, and of any other.
inline constexpr std::string_view kRootRelation = "root", kAnyRelation = "dep";

/// How relations are learnt when the tree is given.
inline constexpr StepRule kLabelRule{.kind = StepRule::Kind::adagrad, .rate = 0.05};

/// The templates of relations: those that were given, or the built-in ones that joint ones can use.
Templates label_templates(const TrainOptions& options);

class LabelTrainer {
 public:
  LabelTrainer(const std::vector<Encoded>& sentences, const Inventory& inventory, const Templates& templates,
               base::Crew& crew, StepRule rule = kLabelRule);

  /// Without trees: the features that candidate arcs have at least `least` times get a weight with each relation that
  /// `open` has a 1 for, and with those that `start` has for them, unless it is null. Arcs from the root need none
  /// where they have one relation.
  void admit(const std::vector<Encoded>& sentences, const std::vector<Candidates>& candidates, int least,
             const std::vector<char>& open, const Model* start);
  /// Takes a step for each `batch` of these sentences.
  void learn(std::span<const std::size_t> sentences, std::size_t batch);

  /// Adds the weights of an arc's features to the score of each label.
  template <class Number>
  void add_scores(std::span<const std::uint32_t> features, std::span<Number> scores) const {
    const auto weights = learner_.weights();
    for (const std::uint32_t f : features) {
      __builtin_prefetch(ids_.data() + begin_[f]);  // which may be the end
      __builtin_prefetch(weights.data() + begin_[f]);
    }
    for (const std::uint32_t f : features) {
      for (std::uint32_t i = begin_[f]; i < begin_[f + 1]; ++i) scores[ids_[i]] += weights[i];
    }
  }
  /// Adds the gradient by the scores of an arc's labels to that by the weights of its features, but for what is not
  /// worth an update.
  void add_updates(std::span<const std::uint32_t> features, std::span<const double> gradient,
                   Contribution& updates) const;

  const std::vector<std::uint8_t>& label_use() const { return use_; }
  /// Says where the first relations may be, without trees that show it.
  void allow(std::span<const std::uint8_t> use) { std::copy(use.begin(), use.end(), use_.begin()); }
  const std::vector<std::uint64_t>& keys() const { return keys_; }
  const std::vector<std::uint32_t>& begin() const { return begin_; }
  const std::vector<std::uint16_t>& ids() const { return ids_; }
  const Templates& templates() const { return *templates_; }
  Learner& learner() { return learner_; }

 private:
  void build_pairs(const Templates& templates, int min_count);
  std::vector<std::uint64_t> find_words(const Templates& templates);
  void step(std::span<const std::size_t> sentences, std::size_t batch);
  void add_sentence(std::size_t sentence, Contribution& updates) const;

  const std::vector<Encoded>* sentences_;
  const Templates* templates_;
  base::Crew* crew_;
  std::vector<std::uint8_t> use_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> begin_;               ///< Feature f has the pairs begin_[f] .. begin_[f + 1] - 1.
  std::vector<std::uint16_t> ids_;                 ///< The labels of the pairs.
  std::vector<std::vector<std::uint32_t>> words_;  ///< The features of all words of each sentence.
  std::vector<std::vector<std::uint32_t>> word_begin_;
  Learner learner_;
  std::vector<Contribution> updates_;  ///< Of the sentences of a step.
};

/// Which relations of the inventory a training without trees knows nothing of but constraints: all, or those that they
/// name when it begins with a model.
std::vector<char> open_relations(const Inventory& inventory, const TrainOptions& options);
/// The trainer with the steps that the options ask for: joint relations are learnt as the arcs are.
std::unique_ptr<LabelTrainer> make_label_trainer(const std::vector<Encoded>& sentences, const Inventory& inventory,
                                                 const Templates& templates, const TrainOptions& options,
                                                 base::Crew& crew);

}  // namespace kirchhoff::parser
