// Wilson's algorithm: loop-erased random walks towards the tree [Wilson96].
#pragma once

#include "base/random.hpp"
#include "kirchhoff/sample.hpp"
#include "sample/alias.hpp"

#include <vector>

namespace kirchhoff::sample {

/// Walks from each word to its head, drawn by weight, until the tree is met; a later visit to a word replaces its head,
/// which erases the loop. `top` (0, or the root's only child) is the tree at the beginning. Adds to walk.draws and
/// returns false when they would exceed the budget; else walk.heads is a tree below `top`.
bool wilson(const AliasTables& tables, int words, int top, base::Random& random, std::int64_t budget, Walk& walk);

}  // namespace kirchhoff::sample
