// What a training depends on: whether it can be done, and whether two are the same.
#pragma once

#include "kirchhoff/train.hpp"

namespace kirchhoff::parser {

/// Throws InputError for options out of range and for sentences that are no trees.
void check_training(const std::vector<Sentence>& train, const std::vector<Sentence>& dev, const TrainOptions& options);

/// A hash of everything the model depends on, for a checkpoint to know its training again.
std::uint64_t fingerprint(const std::vector<Sentence>& train, const std::vector<Sentence>& dev,
                          const TrainOptions& options);

/// Steps of any length are taken, but weights beyond what a model may have are nothing to parse with. Throws
/// InputError.
std::vector<float> checked_weights(std::vector<float> weights, const StepRule& step);

}  // namespace kirchhoff::parser
