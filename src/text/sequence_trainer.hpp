// Learns a linear model over sequences: a conditional random field where it is a chain [Lafferty01], logistic
// regression at each position where it is not. AdaGrad's steps, and the average of all iterates. Features are dropped
// at random while learning [Srivastava14], so that none relies on others that new text does not have.
#pragma once

#include "kirchhoff/chain.hpp"
#include "parser/training/learner.hpp"
#include "text/sequence_model.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace kirchhoff::text {

/// Finds the features of a sequence. Each thread has one of its own.
using FeaturesOf = std::function<void(std::size_t sequence, SequenceKeys& keys)>;

/// What is to be learnt.
struct SequenceTask {
  int tags = 0;
  /// What features have weights for: a tag's score is the sum of those of its labels. Without any a tag is its own
  /// label.
  std::vector<std::vector<int>> labels = {};
  bool chain = false;
  std::vector<Tags> gold = {};  ///< The tags of each sequence; unless it is a chain, -1 leaves a position out.
  std::function<FeaturesOf()> features = {};  ///< Makes what one thread finds features with.
  /// For a chain: writes -inf where a tag is impossible at a position of a sequence, but never for the gold one.
  std::function<void(std::size_t sequence, Matrix& emissions)> forbid = {};
  Matrix transitions = {};  ///< For a chain: -inf where no tag may follow another, else 0.
  /// Unless it is a chain: the tags that are possible where this is the gold one; all of them without a function.
  std::function<std::span<const int>(int gold)> rivals = {};
};

struct SequenceOptions {
  int epochs = 8;
  int min_count = 2;      ///< Features that are seen less often are left out,
  int min_first = 0;      ///< and those that are seen with the first label alone and less often than this.
  double rate = 0.1;      ///< AdaGrad's learning rate.
  std::size_t batch = 8;  ///< The number of sequences to a step.
  std::uint64_t seed = 0;
  float least = 0.0F;    ///< Smaller weights are left out of the model.
  double dropout = 0.0;  ///< The probability with which a position does not see one of its features.
};

/// Called after some sequences of all epochs together. Returns false to end the training.
using SequenceProgress = std::function<bool(std::size_t done, std::size_t all)>;

/// Returns the averaged weights: the same ones for any number of threads. Nothing when progress ended the training.
std::optional<SequenceWeights> train_sequences(const SequenceTask& task, const SequenceOptions& options,
                                               base::Crew& crew, const SequenceProgress& progress);

}  // namespace kirchhoff::text
