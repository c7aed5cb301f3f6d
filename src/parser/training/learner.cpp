// A step: each thread collects the gradient of its shards and applies it, so that no two write to one place.
#include "parser/training/learner.hpp"

#include "learn/steps.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace kirchhoff::parser {
namespace {

constexpr std::size_t kAhead = 32;  // Features: this is about as many as memory can bring at a time.

}  // namespace

void Learner::collect(std::span<const Update> updates, std::size_t group, std::size_t groups) {
  Group& g = groups_[group];
  std::size_t all = 0, own = 0;
  for (const Update& u : updates) all += u.features.size();
  if (g.own.size() < all) g.own.resize(2 * all);
  // The processor cannot guess whose a feature is and whether it is new, so there is no branch on either.
  for (const Update& u : updates) {
    for (const std::uint32_t f : u.features) {
      g.own[own] = {f, u.amount};
      own += static_cast<std::size_t>((shard_of(f) & (groups - 1)) == group);
    }
  }
  if (g.touched.size() < own) g.touched.resize(2 * own);
  g.count = 0;
  for (std::size_t i = 0; i < own; ++i) {
    if (i + kAhead < own) __builtin_prefetch(&state_[g.own[i + kAhead].feature], 1);
    float& gradient = state_[g.own[i].feature].gradient;
    g.touched[g.count] = g.own[i].feature;
    g.count +=
        static_cast<std::size_t>(gradient == 0.0F);  // It counts once more if it came back to 0, which does no harm.
    gradient += g.own[i].amount;
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

/// The features that any group touched in the order of shards, each once: one that was cancelled and touched again
/// would count twice in the norm.
std::span<const std::uint32_t> Learner::all_touched(std::size_t groups) {
  all_.clear();
  for (std::size_t g = 0; g < groups; ++g) {
    const auto& touched = groups_[g].touched;
    all_.insert(all_.end(), touched.begin(), touched.begin() + static_cast<std::ptrdiff_t>(groups_[g].count));
  }
  std::sort(all_.begin(), all_.end(),
            [](std::uint32_t a, std::uint32_t b) { return std::pair(shard_of(a), a) < std::pair(shard_of(b), b); });
  all_.erase(std::unique(all_.begin(), all_.end()), all_.end());
  return all_;
}

void Learner::step(std::span<const Gradient> gradients, base::Crew& crew, int threads) {
  const std::size_t groups = std::min(kShards, std::bit_floor(static_cast<std::size_t>(threads)));
  if (rule_.kind == StepRule::Kind::adagrad) {
    crew.loop(groups, [&](std::size_t group) {
      std::int64_t step = steps_;
      for (const Gradient& gradient : gradients) {
        collect(gradient.updates, group, groups);
        apply(std::span(groups_[group].touched).first(groups_[group].count), 0.0, ++step);
      }
    });
    steps_ += static_cast<std::int64_t>(gradients.size());
    return;
  }
  for (const Gradient& gradient : gradients) aggressive_step(gradient, crew, groups);
}

void Learner::aggressive_step(const Gradient& gradient, base::Crew& crew, std::size_t groups) {
  ++steps_;
  crew.loop(groups, [&](std::size_t group) { collect(gradient.updates, group, groups); });
  const std::span<const std::uint32_t> touched = all_touched(groups);
  apply(touched, kirchhoff::aggressive_step(gradient.loss, squared_norm(touched), rule_.cap), steps_);
}

std::vector<float> Learner::averaged() const {
  const auto iterates = static_cast<double>(learn::averaged_iterates(rule_.kind, steps_));
  std::vector<float> average(weights_.size());
  for (std::size_t f = 0; f < average.size(); ++f) {
    average[f] = static_cast<float>(weights_[f] - state_[f].drift / iterates);
  }
  return average;
}

void Learner::restore(std::span<const float> weights, std::span<const State> state, std::int64_t steps) {
  weights_.assign(weights.begin(), weights.end());
  state_.assign(state.begin(), state.end());
  steps_ = steps;
}

}  // namespace kirchhoff::parser
