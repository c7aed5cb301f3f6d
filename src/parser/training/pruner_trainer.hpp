// Learning the pruner's weights.
#pragma once

#include "base/crew.hpp"
#include "kirchhoff/train.hpp"
#include "parser/features/arc_tables.hpp"

namespace kirchhoff::parser {

/// The weights of the pruner. After each batch progress(sentences done) is called; training ends when it returns false.
std::vector<float> train_pruner(const std::vector<Encoded>& sentences, const ArcTables& tables,
                                const TrainOptions& options, base::Crew& crew,
                                const std::function<bool(std::size_t)>& progress);

}  // namespace kirchhoff::parser
