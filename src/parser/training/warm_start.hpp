// What a training begins with: its tags and relations, and the weights of a model that is there.
#pragma once

#include "parser/file/model.hpp"
#include "parser/training/arc_trainer.hpp"
#include "parser/training/label_trainer.hpp"

namespace kirchhoff::parser {

/// The tags and relations that the trees have, or the model to begin with, or the text, in which there are no
/// relations; without trees also the relations that constraints name.
Inventory first_inventory(const std::vector<Sentence>& train, const TrainOptions& options);
/// The model's weights of these features of arcs and parts; 0 for those that it does not know.
std::vector<float> known_weights(const Model& model, std::span<const std::uint64_t> keys);
/// The model's weights of the pairs of features and relations that are to be learnt.
std::vector<float> known_label_weights(const Model& model, const LabelTrainer& labels, const NameList& names);
/// Puts the model's weights in the place of those that a training would begin with.
void begin_with(const Model& model, ArcTrainer& arcs, LabelTrainer& labels, const NameList& names);

}  // namespace kirchhoff::parser
