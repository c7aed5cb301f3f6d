// Keys of prefixes, each drawn given the key of the prefix before [Kool19]. A step costs a random number and a
// logarithm.
#include "numeric/prefix_race.hpp"

#include "base/random.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::numeric {
namespace {

/// log(1 - e^x) for x <= 0.
double log1mexp(double x) { return x > -0.6931 ? std::log(-std::expm1(x)) : std::log1p(-std::exp(x)); }

/// The key of a part whose own key is `own`, given that the largest of all parts, `largest`, shall be `whole`.
double moved_key(double own, double largest, double whole) {
  if (own == largest) return whole;
  const double v = whole - own + log1mexp(own - largest);
  return whole - std::max(0.0, v) - std::log1p(std::exp(-std::abs(v)));
}

}  // namespace

PrefixRace::PrefixRace(std::uint64_t seed, std::uint64_t purpose, std::span<const double> steps)
    : seed_(seed), purpose_(purpose) {
  extend(-1, mixed(seed), -std::log(base::Random(seed, 0, purpose).exponential()), steps);
}

std::uint64_t PrefixRace::mixed(std::uint64_t x) const {  // so that prefixes have streams of their own [Salmon11]
  return base::Random(x, 0, purpose_).bits();
}

std::optional<PrefixRace::Leader> PrefixRace::pop() {
  if (waiting_.empty()) return std::nullopt;
  const Leader leader = waiting_.top();
  waiting_.pop();
  return leader;
}

void PrefixRace::extend(int before, std::uint64_t stream, double key, std::span<const double> steps) {
  base::Random random(seed_, stream, purpose_);
  const double log_p = before < 0 ? 0.0 : prefixes_[before].log_p;
  const int length = before < 0 ? 1 : prefixes_[before].length + 1;
  double largest = -HUGE_VAL;
  own_.resize(steps.size());
  for (std::size_t j = 0; j < steps.size(); ++j) {
    own_[j] = log_p + steps[j] - std::log(random.exponential());
    largest = std::max(largest, own_[j]);
  }
  for (std::size_t j = 0; j < steps.size(); ++j) {
    if (own_[j] == -HUGE_VAL) continue;
    waiting_.push({static_cast<int>(prefixes_.size()), moved_key(own_[j], largest, key)});
    prefixes_.push_back(
        {static_cast<int>(j), before, length, log_p + steps[j], mixed(stream + static_cast<std::uint64_t>(j) + 1)});
  }
}

std::vector<int> PrefixRace::steps(int prefix) const {
  std::vector<int> found(prefixes_[prefix].length);
  for (; prefix >= 0; prefix = prefixes_[prefix].before) found[prefixes_[prefix].length - 1] = prefixes_[prefix].step;
  return found;
}

}  // namespace kirchhoff::numeric
