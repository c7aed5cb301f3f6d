// Chains of higher order, whose scores look at m + 1 tags in a row, as chains of first order over runs of m tags.
//
// Run number i K^(m-1) + ... + l, for K tags, is the tags i, ..., l. Whatever a ChainDistribution of such scores says
// about its tags is said about runs, and right for the chain of higher order. Solving takes O(length * K^(2m)).
#pragma once

#include "kirchhoff/chain.hpp"

namespace kirchhoff {

/// The scores of a chain over runs of `order` tags, which has length - order + 1 positions: at position t are the tags
/// of positions t .. t + order - 1. Emissions are length x tags. N-grams have a row for each position t from 0 to
/// length - order - 1 and each run that may stand there, number t * tags^order + run, and a column for each tag after
/// it; for order 1 they are the transitions of ChainArrays. -inf forbids. Runs that disagree are forbidden. Throws
/// InputError (shapes, order < 1, order > length, or more than 30,000 runs).
ChainArrays higher_order(const MatrixRef& emissions, const MatrixRef& ngrams, int order);

/// The tags of a sequence of such runs. Throws InputError when a number is not below tags^order, or when two runs
/// disagree.
Tags tags_of_states(const Tags& states, int tags, int order);

}  // namespace kirchhoff
