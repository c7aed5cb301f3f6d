// A step: the gradient of each shard is added up and applied by one thread, so that no two write to one place.
#include "parser/training/learner.hpp"

#include "learn/steps.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::parser {
namespace {

constexpr std::size_t kAhead = 32;  // Features: this is about as many as memory can bring at a time.

}  // namespace

void Learner::collect(const Gradient& gradient, std::size_t shard) {
  Touched& t = touched_[shard];
  t.count = 0;
  const auto& all = gradient.contributions;
  for (std::size_t c = 0; c < all.size(); ++c) {
    const auto items = all[c]->of(shard);
    // Lists are short, so memory is asked for the next one.
    if (c + 1 < all.size()) {
      for (const Contribution::Item& item : all[c + 1]->of(shard)) __builtin_prefetch(&state_[item.feature], 1);
    }
    if (t.features.size() < t.count + items.size()) t.features.resize(2 * (t.count + items.size()));
    // The processor cannot guess whether a feature is new, so there is no branch on it. One that comes back to 0 counts
    // once more, which does no harm.
    for (const Contribution::Item& item : items) {
      float& sum = state_[item.feature].gradient;
      t.features[t.count] = item.feature;
      t.count += static_cast<std::size_t>(sum == 0.0F);
      sum += item.amount;
    }
  }
}

double Learner::squared_norm(std::span<const std::uint32_t> features) const {
  double sum = 0.0;
  for (const std::uint32_t f : features) sum += static_cast<double>(state_[f].gradient) * state_[f].gradient;
  return sum;
}

void Learner::apply(std::span<const std::uint32_t> features, double eta, std::int64_t step) {
  for (std::size_t i = 0; i < features.size(); ++i) {
    if (i + kAhead < features.size()) __builtin_prefetch(&weights_[features[i + kAhead]], 1);
    const std::uint32_t f = features[i];
    State& state = state_[f];
    const float g = state.gradient;
    if (g == 0.0F) continue;
    state.gradient = 0.0F;
    float change = static_cast<float>(-eta) * g;
    if (rule_.kind == StepRule::Kind::adagrad) {
      state.squares += g * g;
      change =
          static_cast<float>(-rule_.rate) * g / std::sqrt(state.squares + static_cast<float>(learn::kAdaGradFloor));
    }
    weights_[f] += change;
    state.drift += static_cast<double>(step) * change;
  }
}

/// The features that were touched in the order of shards, each once: one that was cancelled and touched again
/// would count twice in the norm.
std::span<const std::uint32_t> Learner::all_touched() {
  all_.clear();
  for (const Touched& t : touched_) all_.insert(all_.end(), t.all().begin(), t.all().end());
  std::sort(all_.begin(), all_.end(),
            [](std::uint32_t a, std::uint32_t b) { return std::pair(shard_of(a), a) < std::pair(shard_of(b), b); });
  all_.erase(std::unique(all_.begin(), all_.end()), all_.end());
  return all_;
}

void Learner::step(std::span<const Gradient> gradients, base::Crew& crew) {
  if (rule_.kind != StepRule::Kind::adagrad) {
    for (const Gradient& gradient : gradients) {
      const double squared_norm = begin_aggressive_step(gradient, crew);
      finish_aggressive_step(aggressive_step(gradient.loss, squared_norm, rule_.cap));
    }
    return;
  }
  crew.loop(kShards, [&](std::size_t shard) {
    std::int64_t step = steps_;
    for (const Gradient& gradient : gradients) {
      collect(gradient, shard);
      apply(touched_[shard].all(), 0.0, ++step);
    }
  });
  steps_ += static_cast<std::int64_t>(gradients.size());
}

void Learner::step_together(const std::array<Learner*, 2>& learners,
                            const std::array<std::span<const Gradient>, 2>& gradients, base::Crew& crew) {
  const StepRule& rule = learners[0]->rule_;
  if (rule.kind == StepRule::Kind::adagrad) {
    for (std::size_t l = 0; l < 2; ++l) learners[l]->step(gradients[l], crew);
    return;
  }
  for (std::size_t g = 0; g < gradients[0].size(); ++g) {
    double squared_norm = 0.0;
    for (std::size_t l = 0; l < 2; ++l) squared_norm += learners[l]->begin_aggressive_step(gradients[l][g], crew);
    const double length = aggressive_step(gradients[0][g].loss, squared_norm, rule.cap);
    for (Learner* learner : learners) learner->finish_aggressive_step(length);
  }
}

double Learner::begin_aggressive_step(const Gradient& gradient, base::Crew& crew) {
  crew.loop(kShards, [&](std::size_t shard) { collect(gradient, shard); });
  return squared_norm(all_touched());
}

std::vector<float> Learner::averaged(base::Crew& crew) const {
  constexpr std::size_t kPiece = 1 << 16;
  const auto iterates = static_cast<double>(learn::averaged_iterates(rule_.kind, steps_));
  std::vector<float> average(weights_.size());
  const auto piece = [&](std::size_t first, std::size_t last) {
    for (std::size_t f = first; f < last; ++f) {
      average[f] = static_cast<float>(weights_[f] - state_[f].drift / iterates);
    }
  };
  crew.chunks(average.size(), piece, kPiece);
  return average;
}

void Learner::restore(std::span<const float> weights, std::span<const State> state, std::int64_t steps) {
  weights_.assign(weights.begin(), weights.end());
  state_.assign(state.begin(), state.end());
  steps_ = steps;
}

}  // namespace kirchhoff::parser
