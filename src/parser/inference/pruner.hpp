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

}  // namespace kirchhoff::parser
