// The features of candidate arcs, right ones and wrong ones: many more than those of trees.
#pragma once

#include "parser/features/feature_keys.hpp"
#include "parser/inference/pruner.hpp"
#include "parser/training/frequent_features.hpp"

namespace kirchhoff::parser {

/// The keys of the features of sentences 0 .. count - 1 that are seen at least `least` times, in the order of their
/// first occurrence. Memory holds those that are kept, and no others.
std::vector<std::uint64_t> candidate_features(std::size_t count, const KeysOf& keys_of, int least);
/// The same for the features of candidate arcs.
std::vector<std::uint64_t> candidate_features(const std::vector<Encoded>& sentences,
                                              const std::vector<Candidates>& candidates, const Templates& templates,
                                              int least);

}  // namespace kirchhoff::parser
