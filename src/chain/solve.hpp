// Log Z and marginals of one chain, by the fast method where that is certain to be right, else by the robust one.
#pragma once

#include "base/buffer.hpp"
#include "chain/kernels/forward_backward.hpp"
#include "kirchhoff/chain.hpp"

namespace kirchhoff::chain {

/// Memory that is used again for the next chain.
struct Workspace {
  base::Buffer scratch;
  base::Buffer centred;
};

/// Writes the answers. Throws InputError, in the name of `function`, or Infeasible.
Report solve(const char* function, const ChainView& chain, Method method, Workspace& workspace,
             const FastAnswers& answers);

/// Throws InputError when a score is NaN, +inf or too large, or when the chain has no position or no tag.
void check_scores(const char* function, const ChainView& chain);

}  // namespace kirchhoff::chain
