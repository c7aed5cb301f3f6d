// A second opinion on the best tree for graphs too large to enumerate: the textbook recursion, O(n^3) and more.
#pragma once

#include "kirchhoff/types.hpp"

namespace kirchhoff {

/// Score of the best tree, -inf if there is none. Single-root tries every child of the root in turn.
long double textbook_best_score(const Matrix& scores, Root root);

}  // namespace kirchhoff
