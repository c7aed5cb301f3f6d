// What a training depends on: whether it can be done, and whether two are the same.
#pragma once

#include "kirchhoff/train.hpp"

namespace kirchhoff::parser {

/// Throws InputError for options out of range and for sentences that are no trees.
void check_training(const std::vector<Sentence>& train, const std::vector<Sentence>& dev, const TrainOptions& options);

/// A hash of everything the model depends on except the teacher, for a checkpoint to know its training again.
std::uint64_t fingerprint(const std::vector<Sentence>& train, const std::vector<Sentence>& dev,
                          const TrainOptions& options);

}  // namespace kirchhoff::parser
