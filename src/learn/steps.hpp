// What the parser's learner and DenseLearner share of their steps.
#pragma once

#include "kirchhoff/learn.hpp"

#include <algorithm>
#include <cstdint>

namespace kirchhoff::learn {

constexpr double kAdaGradFloor = 1e-6;  // Added to the sum of squares, so that the first step is finite.

/// How many of the iterates theta_1 ... theta_{T+1} of T steps an average is over. [Martins10, alg. 1] takes those that
/// losses were computed with, T; AdaGrad's has the last one too, so that a single step is not averaged away.
inline std::int64_t averaged_iterates(StepRule::Kind kind, std::int64_t steps) {
  return kind == StepRule::Kind::aggressive ? std::max<std::int64_t>(steps, 1) : steps + 1;
}

}  // namespace kirchhoff::learn
