// The forward-backward algorithm in doubles, with scaled rows, for scores of moderate size.
#pragma once

#include "kirchhoff/chain.hpp"

#include <cstddef>

namespace kirchhoff::chain {

/// Scores up to this size, and -inf, are moderate: weights are between 2^-145 and 2^145, or 0.
constexpr double kModerateScore = 100.0;
/// Rows add up to 1. No positive entry may be below this: then no product of an entry, weights and an entry of the
/// other direction leaves the range of normal numbers, but for marginals that do so themselves.
constexpr double kSmallestEntry = 0x1p-300;

enum class FastOutcome {
  done,        ///< All answers are right, with small relative errors.
  no_path,     ///< No sequence is possible. The answers are not set.
  unsuitable,  ///< A score is not moderate, or a row spreads too much. The answers are not set.
};

/// Where the answers go.
struct FastAnswers {
  double* log_partition;
  double* emissions;         ///< length x tags, or null if marginals are not wanted
  double* transitions;       ///< (length - 1) x tags x tags, or null
  bool past_caches = false;  ///< whether `transitions` will not stay in a cache, as in a large batch
};

/// The number of doubles of scratch memory that forward_backward needs, which must be 64-byte aligned.
std::size_t forward_backward_scratch(int length, int tags);

FastOutcome forward_backward(const ChainView& chain, double* scratch, const FastAnswers& answers);

}  // namespace kirchhoff::chain
