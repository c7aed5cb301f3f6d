#include "parser/learner.hpp"

#include "kirchhoff/batch.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace kirchhoff::parser {

void Learner::collect(std::span<const Update> updates, std::size_t group, std::size_t groups) {
  for (std::size_t shard = group; shard < kShards; shard += groups) touched_[shard].clear();
  for (const Update& u : updates) {
    for (const std::uint32_t f : u.features) {
      const std::size_t shard = shard_of(f);
      if ((shard & (groups - 1)) != group) continue;
      float& gradient = state_[f].gradient;
      if (gradient == 0.0F) touched_[shard].push_back(f);  // once more if it came back to 0: harmless
      gradient += u.amount;
    }
  }
}

double Learner::squared_norm() const {
  double sum = 0.0;
  for (const auto& touched : touched_) {
    for (const std::uint32_t f : touched) sum += static_cast<double>(state_[f].gradient) * state_[f].gradient;
  }
  return sum;
}

void Learner::apply(std::size_t shard, double eta) {
  for (const std::uint32_t f : touched_[shard]) {
    State& state = state_[f];
    const float g = state.gradient;
    if (g == 0.0F) continue;
    state.gradient = 0.0F;
    float change = static_cast<float>(-eta) * g;
    if (rule_.kind == StepRule::Kind::adagrad) {
      state.squares += g * g;
      change = static_cast<float>(-rule_.rate) * g / std::sqrt(state.squares + 1e-6F);
    }
    weights_[f] += change;
    state.drift += static_cast<double>(steps_) * change;
  }
}

void Learner::step(std::span<const Update> updates, double loss, int threads) {
  ++steps_;
  const std::size_t groups = std::min(kShards, std::bit_floor(static_cast<std::size_t>(std::max(1, threads))));
  if (rule_.kind == StepRule::Kind::adagrad) {
    parallel_for(groups, threads, [&](std::size_t group) {
      collect(updates, group, groups);
      for (std::size_t shard = group; shard < kShards; shard += groups) apply(shard, 0.0);
    });
    return;
  }
  parallel_for(groups, threads, [&](std::size_t group) { collect(updates, group, groups); });
  // A feature that was cancelled and touched twice would count twice in the norm: clear doubles first.
  for (auto& touched : touched_) {
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  }
  const double norm = squared_norm();
  // A loss of 0 with another tree as good as gold (the perceptron's first step, where all scores are 0) has a gradient
  // but no step by the formula, which would never leave that point.
  double eta = 0.0;
  if (norm > 0.0) eta = loss > 0.0 ? std::min(rule_.cap, loss / norm) : rule_.cap;
  parallel_for(kShards, threads, [&](std::size_t shard) { apply(shard, eta); });
}

std::vector<float> Learner::averaged() const {
  std::vector<float> average(weights_.size());
  for (std::size_t f = 0; f < average.size(); ++f) {
    average[f] = static_cast<float>(weights_[f] - state_[f].drift / static_cast<double>(steps_ + 1));
  }
  return average;
}

void Learner::restore(std::span<const float> weights, std::span<const State> state, std::int64_t steps) {
  weights_.assign(weights.begin(), weights.end());
  state_.assign(state.begin(), state.end());
  steps_ = steps;
}

}  // namespace kirchhoff::parser
