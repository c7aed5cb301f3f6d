// The features of candidate arcs, right ones and wrong ones: many more than those of trees.
#pragma once

#include "parser/features/feature_keys.hpp"
#include "parser/inference/pruner.hpp"

#include <cstdint>
#include <vector>

namespace kirchhoff::parser {

/// Calls visit(head, dependent) for each candidate, dependent by dependent.
template <class Visit>
void for_each_arc(const Candidates& candidates, const Visit& visit) {
  for (std::size_t d = 1; d + 1 < candidates.begin.size(); ++d) {
    for (std::uint32_t c = candidates.begin[d]; c < candidates.begin[d + 1]; ++c) {
      visit(static_cast<int>(candidates.heads[c]), static_cast<int>(d));
    }
  }
}

/// The keys of the features that are seen at least `least` times on candidate arcs, in the order of their first
/// occurrence.
std::vector<std::uint64_t> candidate_features(const std::vector<Encoded>& sentences,
                                              const std::vector<Candidates>& candidates, const Templates& templates,
                                              int least);

}  // namespace kirchhoff::parser
