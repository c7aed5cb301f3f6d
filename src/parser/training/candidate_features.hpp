// The features of candidate arcs, right ones and wrong ones: many more than those of trees.
#pragma once

#include "parser/features/feature_keys.hpp"
#include "parser/inference/pruner.hpp"

#include <cstdint>
#include <vector>

namespace kirchhoff::parser {

/// The keys of the features that are seen at least `least` times on candidate arcs, in the order of their first
/// occurrence.
std::vector<std::uint64_t> candidate_features(const std::vector<Encoded>& sentences,
                                              const std::vector<Candidates>& candidates, const Templates& templates,
                                              int least);

}  // namespace kirchhoff::parser
