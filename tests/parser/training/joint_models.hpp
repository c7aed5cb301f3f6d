// Models of joint relations, and the scores that they give.
#pragma once

#include "kirchhoff/tree.hpp"
#include "parser/file/model.hpp"
#include "parser/inference/labeller.hpp"
#include "parser/inference/pruner.hpp"
#include "parser/training/small_training.hpp"

#include <cmath>

namespace kirchhoff::parser {

inline TrainOptions joint_options(Loss loss = kSoftmaxMarginLoss) {
  TrainOptions options = small_options();
  options.labels = Labelling::joint;
  options.loss = loss;
  return options;
}

/// All scores of a sentence's labelled arcs, from the tables of the model's file.
inline LabelledMatrix all_scores(const ParserModel& parser_model, const Sentence& sentence, bool pruned = true) {
  const Model& model = *ModelAccess::model_of(parser_model);
  const Encoded encoded = encode(sentence, model.inventory);
  FeatureKeys arcs(model.arc_templates), of_labels(model.label_templates);
  arcs.read(encoded);
  of_labels.read(encoded);
  const std::size_t labels = model.label_use.size();
  LabelledMatrix scores(sentence.size(), static_cast<int>(labels), -HUGE_VAL);
  for_each_arc(prune(table_scores(model.tables, model.pruner, encoded), Root::single,
                     pruned ? model.settings.pruning : Pruning{0.0, kMaxWords}),
               [&](int h, int d) {
                 std::vector<std::uint64_t> keys;
                 arcs.append({h, d}, keys);
                 const double of_arc = model.arcs.sum(keys);
                 keys.clear();
                 of_labels.append({h, d}, keys);
                 std::vector<float> own(labels, 0.0F);
                 std::vector<const LabelWeight*> found;
                 model.labels.add(keys, found, own);
                 for (std::size_t l = 0; l < labels; ++l) {
                   if (label_allowed(model.label_use[l], h == 0)) scores(h, d, static_cast<int>(l)) = of_arc + own[l];
                 }
               });
  return scores;
}

}  // namespace kirchhoff::parser
