// The pruner: a fast arc-factored CRF over few features in dense tables, whose marginals say which heads are worth the
// full model's look.
#pragma once

#include "dependency/candidates.hpp"
#include "kirchhoff/parser.hpp"
#include "parser/features/arc_tables.hpp"

namespace kirchhoff::parser {

/// The heads that remain, dependent by dependent.
using dependency::Candidates;

/// Keeps for each word at most `max_heads` heads with a probability of at least `threshold` times the best one's, and
/// the heads of the best tree, so that a tree always remains.
Candidates prune(const Matrix& scores, Root root, const Pruning& pruning);
/// The same candidates, and the heads of a tree.
Candidates with_tree(const Candidates& candidates, const Heads& heads);

/// Calls visit(head, dependent) for each candidate, dependent by dependent.
template <class Visit>
void for_each_arc(const Candidates& candidates, const Visit& visit) {
  for (std::size_t d = 1; d + 1 < candidates.begin.size(); ++d) {
    for (std::uint32_t c = candidates.begin[d]; c < candidates.begin[d + 1]; ++c) {
      visit(static_cast<int>(candidates.heads[c]), static_cast<int>(d));
    }
  }
}

}  // namespace kirchhoff::parser
