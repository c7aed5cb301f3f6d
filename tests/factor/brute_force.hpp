// Factors and graphs judged by listing all configurations in long double; uses nothing of a factor but score().
#pragma once

#include "kirchhoff/decode.hpp"
#include "kirchhoff/dependency_graph.hpp"
#include "kirchhoff/solve.hpp"

#include <cmath>
#include <random>
#include <vector>

namespace kirchhoff::brute {

using Real = long double;
using Random = std::mt19937_64;

inline double uniform(Random& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

inline std::vector<std::uint8_t> bits(std::size_t index, std::size_t n) {
  std::vector<std::uint8_t> y(n);
  for (std::size_t i = 0; i < n; ++i) y[i] = static_cast<std::uint8_t>((index >> (n - 1 - i)) & 1);
  return y;
}

/// logarithm of a sum of exponentials, added one by one.
class LogSum {
 public:
  void add(Real x) {
    if (x == -HUGE_VALL) return;
    if (x > highest_) {
      sum_ = sum_ * std::exp(highest_ - x) + 1;
      highest_ = x;
    } else {
      sum_ += std::exp(x - highest_);
    }
  }
  Real value() const { return sum_ == 0 ? -HUGE_VALL : highest_ + std::log(sum_); }
  Real highest() const { return highest_; }

 private:
  Real highest_ = -HUGE_VALL, sum_ = 0;
};

struct Answers {
  Real log_partition = 0, value = 0, expected_score = 0, entropy = 0;
  std::vector<Real> marginals, sum_messages, max_messages;
};

/// Everything a factor is asked. +inf and -inf fix an input and count nothing.
inline Answers ask(const Factor& factor, const std::vector<double>& q) {
  const std::size_t n = q.size();
  const auto weight = [&](const std::vector<std::uint8_t>& y, std::size_t without) {
    Real w = factor.score(y);
    for (std::size_t i = 0; i < n; ++i) {
      if (i == without) continue;
      if (std::isinf(q[i])) {
        if ((q[i] > 0) != (y[i] == 1)) w = -HUGE_VALL;
      } else if (y[i]) {
        w += q[i];
      }
    }
    return w;
  };
  Answers result;
  LogSum all;
  std::vector<LogSum> on(n), off(n);
  for (std::size_t e = 0; e < std::size_t{1} << n; ++e) {
    const auto y = bits(e, n);
    if (factor.score(y) == -HUGE_VAL) continue;
    all.add(weight(y, n));
    for (std::size_t i = 0; i < n; ++i) (y[i] ? on : off)[i].add(weight(y, i));
  }
  result.log_partition = all.value();
  result.value = all.highest();
  result.marginals.assign(n, 0);
  for (std::size_t e = 0; e < std::size_t{1} << n; ++e) {
    const auto y = bits(e, n);
    if (factor.score(y) == -HUGE_VAL || weight(y, n) == -HUGE_VALL) continue;
    const Real log_p = weight(y, n) - all.value(), p = std::exp(log_p);
    result.entropy -= p * log_p;
    result.expected_score += p * factor.score(y);
    for (std::size_t i = 0; i < n; ++i) result.marginals[i] += p * y[i];
  }
  for (std::size_t i = 0; i < n; ++i) {
    result.sum_messages.push_back(on[i].value() - off[i].value());
    result.max_messages.push_back(on[i].highest() - off[i].highest());
  }
  return result;
}

}  // namespace kirchhoff::brute
