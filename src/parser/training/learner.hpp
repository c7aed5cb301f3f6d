// Online learning of a linear model's weights: the step of [Martins10, alg. 1], or AdaGrad's [Duchi11], and the average
// of all iterates.
//
// Results do not depend on the number of threads: weights are split into a fixed number of shards, and each shard's
// updates happen in the order of the batch.
#pragma once

#include "base/crew.hpp"
#include "kirchhoff/train.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace kirchhoff::parser {

/// Each of the features has `amount` as a part of its gradient.
struct Update {
  std::span<const std::uint32_t> features;
  float amount = 0.0F;
};

/// The gradient of a batch's loss, which is the sum of its updates.
struct Gradient {
  std::vector<Update> updates;
  double loss = 0.0;
};

/// Gradients of this many batches are computed with the same weights, to give many threads something to do; a step is
/// then taken for each. Where there are few batches each has weights of its own, and the step of [Martins10] stays what
/// it is there.
inline std::size_t batches_together(const StepRule& rule, std::size_t sentences, std::size_t batch) {
  constexpr std::size_t kMost = 8, kLeastRounds = 64;
  if (rule.kind != StepRule::Kind::adagrad) return 1;
  return std::clamp<std::size_t>(sentences / (batch * kLeastRounds), 1, kMost);
}

/// Weights, and what is needed to learn them.
class Learner {
 public:
  /// What is known of one weight.
  struct State {
    float gradient = 0.0F;  ///< The batch's gradient; 0 between steps.
    float squares = 0.0F;   ///< AdaGrad's sum of squared gradients.
    /// The sum over steps t of t * (change at step t): weight - drift / n is the average of the first n iterates.
    double drift = 0.0;
  };

  Learner() = default;
  Learner(std::size_t size, StepRule rule) : rule_(rule), weights_(size), state_(size) {}

  const StepRule& rule() const { return rule_; }
  std::span<const float> weights() const { return weights_; }
  /// Takes one step against each gradient. Every thread reads all updates, so threads that have something else to do
  /// should not be counted in.
  void step(std::span<const Gradient> gradients, base::Crew& crew, int threads);
  /// The average of the iterates that learn::averaged_iterates counts.
  std::vector<float> averaged() const;
  /// Adds weights that are 0 and always were.
  void grow(std::size_t size) {
    weights_.resize(size);
    state_.resize(size);
  }

  std::int64_t steps() const { return steps_; }
  std::span<const State> state() const { return state_; }
  void restore(std::span<const float> weights, std::span<const State> state, std::int64_t steps);

 private:
  static constexpr std::size_t kShards = 16;
  /// Neighbours are in one shard, so that two threads never write to one cache line.
  static std::size_t shard_of(std::uint32_t feature) { return (feature >> 6) % kShards; }
  /// What one thread does of a step.
  struct alignas(64) Group {
    struct Item {
      std::uint32_t feature = 0;
      float amount = 0.0F;
    };
    std::vector<Item> own;               ///< The updates of its shards.
    std::vector<std::uint32_t> touched;  ///< Features whose gradient is not 0.
    std::size_t count = 0;               ///< How many of `touched` count.
  };
  /// Collects the updates of the shards s with s % groups == group.
  void collect(std::span<const Update> updates, std::size_t group, std::size_t groups);
  void apply(std::span<const std::uint32_t> features, double eta, std::int64_t step);
  void aggressive_step(const Gradient& gradient, base::Crew& crew, std::size_t groups);
  std::span<const std::uint32_t> all_touched(std::size_t groups);
  double squared_norm(std::span<const std::uint32_t> features) const;

  StepRule rule_;
  std::int64_t steps_ = 0;
  std::vector<float> weights_;
  std::vector<State> state_;
  std::array<Group, kShards> groups_;
  std::vector<std::uint32_t> all_;
};

}  // namespace kirchhoff::parser
