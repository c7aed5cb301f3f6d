// The judge of the law suite: all structures of a distribution, listed one by one, with every quantity as a direct sum
// over that list in long double. It knows nothing of the library.
//
// A structure uses places: arcs of a tree, transitions of a path, variables that are 1. Each place has a log-weight,
// and p(structure) is proportional to the exponential of the sum of the log-weights of the places that it uses.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <vector>

namespace kirchhoff::laws {

using Real = long double;
/// A log-weight for each place; -inf makes it impossible.
using Weights = std::vector<double>;
/// How often a structure uses each place.
using Structure = std::vector<int>;

inline Real log_weight(const Structure& structure, const Weights& weights) {
  Real sum = 0;
  for (std::size_t i = 0; i < structure.size(); ++i) {
    if (structure[i] > 0) sum += structure[i] * static_cast<Real>(weights[i]);
  }
  return sum;
}

class Enumeration {
 public:
  Enumeration(const std::vector<Structure>& all, const Weights& weights) : places_(weights.size()) {
    std::vector<Real> logs;
    for (const Structure& s : all) {
      const Real log = log_weight(s, weights);
      if (log == -HUGE_VALL) continue;
      number_[s] = structures_.size();
      structures_.push_back(s);
      logs.push_back(log);
    }
    if (logs.empty()) return;
    const Real best = *std::max_element(logs.begin(), logs.end());
    Real sum = 0;
    for (const Real x : logs) sum += std::exp(x - best);
    log_partition_ = best + std::log(sum);
    for (const Real x : logs) log_p_.push_back(x - log_partition_);
  }

  /// The structures that are possible, and their log-probabilities.
  std::size_t size() const { return structures_.size(); }
  const Structure& operator[](std::size_t i) const { return structures_[i]; }
  Real log_p(std::size_t i) const { return log_p_[i]; }
  Real log_partition() const { return log_partition_; }

  bool contains(const Structure& s) const { return number_.contains(s); }
  std::size_t number(const Structure& s) const { return number_.at(s); }

  /// E[f(number of the structure)].
  template <class F>
  Real mean(F f) const {
    Real sum = 0;
    for (std::size_t i = 0; i < size(); ++i) sum += std::exp(log_p_[i]) * f(i);
    return sum;
  }
  std::vector<Real> marginals() const {
    std::vector<Real> sums(places_, 0);
    for (std::size_t i = 0; i < size(); ++i) {
      for (std::size_t k = 0; k < places_; ++k) sums[k] += std::exp(log_p_[i]) * structures_[i][k];
    }
    return sums;
  }
  Real entropy() const {
    return mean([&](std::size_t i) { return -log_p_[i]; });
  }
  Real renyi(Real alpha) const {
    Real sum = 0;
    for (const Real x : log_p_) sum += std::exp(alpha * x);
    return std::log(sum) / (1 - alpha);
  }

 private:
  std::size_t places_;
  std::vector<Structure> structures_;
  std::map<Structure, std::size_t> number_;
  std::vector<Real> log_p_;
  Real log_partition_ = -HUGE_VALL;
};

}  // namespace kirchhoff::laws
