// The option --cost of the verb `train`.
#pragma once

#include "usage_error.hpp"

#include <kirchhoff/train.hpp>

namespace kirchhoff::cli {

/// What gamma weighs. The last one is what the first one is for joint relations.
enum class TrainCost { mistakes, hamming, las };

inline Loss with_train_cost(Loss loss, TrainCost cost) {
  return with_cost(loss, cost == TrainCost::hamming ? Cost::hamming : Cost::mistakes);
}

/// Throws UsageError for the cost of LAS where the loss knows no relations.
inline void check_cost(TrainCost cost, Labelling labels) {
  if (cost != TrainCost::las || labels == Labelling::joint) return;
  throw UsageError(
      "--cost las: needs --labels joint, because otherwise relations are chosen after the tree, by what is around each "
      "arc in it, and the loss of the tree knows of none");
}

}  // namespace kirchhoff::cli

namespace kirchhoff {

template <>
inline constexpr std::array<std::string_view, 3> kNames<cli::TrainCost> = {"mistakes", "hamming", "las"};

}  // namespace kirchhoff
