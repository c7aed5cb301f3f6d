// Online learning of a linear model's weights: the step of [Martins10, alg. 1], or AdaGrad's [Duchi11], and the average
// of all iterates.
//
// Results do not depend on the number of threads: weights are split into a fixed number of shards, and each shard's
// updates happen in the order of the batch, by one thread.
#pragma once

#include "base/buffer.hpp"
#include "base/crew.hpp"
#include "kirchhoff/train.hpp"
#include "parser/training/contribution.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace kirchhoff::parser {

/// The gradient of a batch's loss, which is the sum of its sentences' contributions. They are sorted, and stay where
/// they are while the step is taken.
struct Gradient {
  std::vector<const Contribution*> contributions;
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

/// This many sentences may be learnt from between two calls of stop.
inline constexpr std::size_t kUninterrupted = 128;

/// The number of sentences of an epoch between two calls of stop and progress: whole rounds of batches whose gradients
/// are computed together. The learners wait for each other there, so many threads take more at once. Where text follows
/// the trees of each round it is one round.
inline std::size_t block_size(const TrainOptions& options, std::size_t epoch, bool text_follows,
                              const base::Crew& crew) {
  const auto batch = static_cast<std::size_t>(options.batch);
  const std::size_t round = batch * batches_together(options.step, epoch, batch);
  const std::size_t sentences = kUninterrupted * std::max<std::size_t>(1, static_cast<std::size_t>(crew.threads()) / 2);
  return text_follows ? round : std::max<std::size_t>(1, sentences / round) * round;
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
  /// Takes one step against each gradient. Shards are tasks for the crew.
  void step(std::span<const Gradient> gradients, base::Crew& crew);
  /// The same for two learners of one rule whose weights are parts of one model, by as many gradients of each: the
  /// aggressive step is as long as the loss and both gradients allow, the loss being that of the first one's.
  static void step_together(const std::array<Learner*, 2>& learners,
                            const std::array<std::span<const Gradient>, 2>& gradients, base::Crew& crew);
  /// The average of the iterates that learn::averaged_iterates counts.
  std::vector<float> averaged(base::Crew& crew) const;
  /// Adds weights that are 0 and always were.
  void grow(std::size_t size) {
    weights_.resize(size);
    state_.resize(size);
  }

  std::int64_t steps() const { return steps_; }
  std::span<const State> state() const { return state_; }
  void restore(std::span<const float> weights, std::span<const State> state, std::int64_t steps);

 private:
  template <class T>
  using Aligned = std::vector<T, base::CacheAlignedAllocator<T>>;  // so that no cache line is in two shards
  /// Features whose gradient is not 0, of one shard.
  struct alignas(64) Touched {
    std::vector<std::uint32_t> features;  ///< There may be room left.
    std::size_t count = 0;
    std::span<const std::uint32_t> all() const { return std::span(features).first(count); }
  };
  /// Adds up a shard's gradient.
  void collect(const Gradient& gradient, std::size_t shard);
  void apply(std::span<const std::uint32_t> features, double eta, std::int64_t step);
  /// Adds the gradient up and returns the square of its norm; then the step of this length follows.
  double begin_aggressive_step(const Gradient& gradient, base::Crew& crew);
  void finish_aggressive_step(double length) { apply(all_, length, ++steps_); }
  std::span<const std::uint32_t> all_touched();
  double squared_norm(std::span<const std::uint32_t> features) const;

  StepRule rule_;
  std::int64_t steps_ = 0;
  Aligned<float> weights_;
  Aligned<State> state_;
  std::array<Touched, kShards> touched_;
  std::vector<std::uint32_t> all_;
};

}  // namespace kirchhoff::parser
