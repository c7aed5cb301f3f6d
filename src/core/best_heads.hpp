// Every word's best head, in one pass over the scores.
#pragma once

#include "kirchhoff/types.hpp"

#include <vector>

namespace kirchhoff::core {

/// heads[d] = the lowest head with the highest score (for single-root another word than the root if possible), -1 when
/// there is none. True when all cells, also those without an arc, are finite and at most kLargestScore in size;
/// else ask check_scores. O(n^2).
bool best_heads(const MatrixRef& scores, Root root, std::vector<int>& heads);

/// InputError when a score that belongs to an arc is NaN, +inf or beyond kLargestScore.
void check_scores(const char* function, const MatrixRef& scores);

}  // namespace kirchhoff::core
