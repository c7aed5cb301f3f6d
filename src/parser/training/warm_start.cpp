// Looks features up in a model by their keys; relations have the same names in both models, but not the same numbers.
#include "parser/training/warm_start.hpp"

#include "parser/training/constraints.hpp"

#include <algorithm>

namespace kirchhoff::parser {

Inventory first_inventory(const std::vector<Sentence>& train, const TrainOptions& options) {
  if (!train.empty()) return make_inventory(train);
  Inventory inventory =
      options.start ? ModelAccess::model_of(*options.start)->inventory : make_inventory(options.unannotated.sentences);
  if (!options.start) inventory.labels = NameList({std::string(kRootRelation), std::string(kAnyRelation)});
  std::vector<std::string> relations = inventory.labels.names();
  for (const std::string& name : relations_of(options.unannotated)) {
    if (inventory.labels.find(name) == inventory.labels.unknown()) relations.push_back(name);
  }
  inventory.labels = NameList(std::move(relations));
  return inventory;
}

std::vector<float> known_weights(const Model& model, std::span<const std::uint64_t> keys) {
  std::vector<float> weights;
  for (const std::uint64_t key : keys) weights.push_back(model.arcs.sum({&key, 1}));
  return weights;
}

std::vector<float> known_label_weights(const Model& model, const LabelTrainer& labels, const NameList& names) {
  std::vector<float> weights(labels.ids().size(), 0.0F);
  std::vector<float> scores(model.label_use.size() + 1);  // the last one is for relations that the model lacks
  std::vector<const LabelWeight*> found;
  std::vector<std::size_t> in_model;
  for (const std::string& name : names.names()) {
    in_model.push_back(static_cast<std::size_t>(model.inventory.labels.find(name)));
  }
  for (std::size_t f = 0; f < labels.keys().size(); ++f) {
    std::fill(scores.begin(), scores.end(), 0.0F);
    model.labels.add({&labels.keys()[f], 1}, found, scores);
    for (std::uint32_t i = labels.begin()[f]; i < labels.begin()[f + 1]; ++i) {
      weights[i] = scores[in_model[labels.ids()[i]]];
    }
  }
  return weights;
}

void begin_with(const Model& model, ArcTrainer& arcs, LabelTrainer& labels, const NameList& names) {
  const auto restore = [](Learner& learner, const std::vector<float>& weights) {
    learner.restore(weights, std::vector<Learner::State>(weights.size()), 0);
  };
  restore(arcs.learner(), known_weights(model, arcs.keys()));
  restore(labels.learner(), known_label_weights(model, labels, names));
}

}  // namespace kirchhoff::parser
