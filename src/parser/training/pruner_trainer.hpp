// Learning the pruner's weights, and pruning what is learnt from.
#pragma once

#include "base/crew.hpp"
#include "kirchhoff/train.hpp"
#include "parser/features/arc_tables.hpp"
#include "parser/inference/pruner.hpp"

namespace kirchhoff::parser {

/// The weights of the pruner. After each batch progress(sentences done) is called; training ends when it returns false.
std::vector<float> train_pruner(const std::vector<Encoded>& sentences, const ArcTables& tables,
                                const TrainOptions& options, base::Crew& crew,
                                const std::function<bool(std::size_t)>& progress);

/// A pruner that leaves everything.
inline constexpr Pruning kNoPruning{0.0, kMaxWords};

struct PrunerWeights {
  const ArcTables& tables;
  std::span<const float> weights;
};
/// The heads that the pruner leaves.
std::vector<Candidates> prune_all(const std::vector<Encoded>& sentences, const PrunerWeights& pruner, Root root,
                                  const Pruning& pruning, base::Crew& crew);
/// Adds the gold heads, which it may have missed. Returns a note on how many there were.
std::string add_gold_heads(std::vector<Candidates>& candidates, const std::vector<Encoded>& trees);

}  // namespace kirchhoff::parser
