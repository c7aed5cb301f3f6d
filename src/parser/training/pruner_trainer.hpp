// Learning the pruner's weights, and pruning what is learnt from.
#pragma once

#include "base/crew.hpp"
#include "kirchhoff/train.hpp"
#include "parser/features/arc_tables.hpp"
#include "parser/inference/pruner.hpp"
#include "parser/training/learner.hpp"

namespace kirchhoff::parser {

/// The weights of the pruner. After each batch progress(sentences done) is called; training ends when it returns false.
std::vector<float> train_pruner(const std::vector<Encoded>& sentences, const ArcTables& tables,
                                const TrainOptions& options, base::Crew& crew,
                                const std::function<bool(std::size_t)>& progress);

/// The same from sentences without trees, by the objectives that options.unannotated has for them.
std::vector<float> train_pruner_on_text(const std::vector<Encoded>& sentences, const Inventory& inventory,
                                        const ArcTables& tables, const TrainOptions& options, base::Crew& crew,
                                        const std::function<bool(std::size_t)>& progress);

/// A pruner that leaves everything.
inline constexpr Pruning kNoPruning{0.0, kMaxWords};
/// A pruner and where it is from.
struct GivenPruner {
  Pruning pruning;
  std::vector<float> weights;
  std::string origin;
};
/// The one of a training without trees: that of the model it begins with. Models of arcs can do without. Where one must
/// be learnt it is the one that is there.
GivenPruner given_pruner(GivenPruner there, const TrainOptions& options, const ArcTables& tables);

/// How its weights are learnt.
inline constexpr StepRule kPrunerRule{.kind = StepRule::Kind::adagrad, .rate = 0.1};

struct PrunerWeights {
  const ArcTables& tables;
  std::span<const float> weights;
};
/// Updates of the tables' weights by the gradient with respect to the scores of arcs.
void add_table_updates(const ArcTables& tables, const Encoded& sentence, const Matrix& gradient, Contribution& updates);
/// The heads that the pruner leaves.
std::vector<Candidates> prune_all(const std::vector<Encoded>& sentences, const PrunerWeights& pruner, Root root,
                                  const Pruning& pruning, base::Crew& crew);
/// Adds the gold heads, which it may have missed. Returns a note on how many there were.
std::string add_gold_heads(std::vector<Candidates>& candidates, const std::vector<Encoded>& trees);

}  // namespace kirchhoff::parser
