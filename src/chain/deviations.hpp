// What an additive function is expected to be, given one tag or two, less its mean: the source of all derivatives.
//
// Given its marginals, the sequence is a Markov chain in both directions, with P(j | i) = p_t(i, j) / p_{t-1}(i) and
// Q(i | j) = p_t(i, j) / p_t(j). With g_t(i, j) the function's value at position t less its mean,
//   before_t(j) = E[g_0 + .. + g_t | tag_t = j],    after_t(i) = E[g_{t+1} + .. + g_{T-1} | tag_t = i],
// one pass each, and E[f - E f | i, j] = before_{t-1}(i) + g_t(i, j) + after_t(j). There is no difference of large
// numbers, and what has probability 0 drops out. E[f - E f | j] = before_t(j) + after_t(j).
#pragma once

#include "kirchhoff/chain.hpp"

namespace kirchhoff::chain {

struct Deviations {
  ChainArrays local;  ///< g: emissions have row 0 only, later ones are in the transitions
  Matrix before;
  Matrix after;
  double mean = 0.0;

  Deviations(const ChainArrays& marginals, const ChainArrays& f);
};

/// Cov(f, [tag]) and Cov(f, [pair]): the derivative of the marginals along f.
ChainArrays along(const ChainArrays& marginals, const ChainArrays& f);

}  // namespace kirchhoff::chain
