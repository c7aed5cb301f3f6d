// The forward-backward algorithm without underflow: weights relative to the best prefix, in numbers m 2^e.
//
// Nothing is subtracted but scores, and those in twice the precision of a double, so every marginal has a small
// relative error. Transitions more than 1e12 below the best prefix into their tag cannot matter and are left out:
// exp(1e12) exceeds the number of sequences. O(T K^2).
#include "chain/robust.hpp"

#include "numeric/sum.hpp"

#include <cmath>
#include <limits>

namespace kirchhoff::chain {
namespace {

constexpr double kCannotMatter = -1e12;

/// A score with twice the precision of a double; -inf has low = 0.
struct WideScore {
  double high = -HUGE_VAL, low = 0.0;
  bool is_possible() const { return high != -HUGE_VAL; }
};
WideScore operator+(const WideScore& a, double b) {
  if (!a.is_possible() || b == -HUGE_VAL) return {};
  const numeric::TwoSum s(a.high, b);
  const numeric::TwoSum t(s.high, s.low + a.low);
  return {t.high, t.low};
}
bool operator<(const WideScore& a, const WideScore& b) {
  return a.high < b.high || (a.high == b.high && a.low < b.low);
}
/// a - b, where b is possible.
WideScore operator-(const WideScore& a, const WideScore& b) {
  if (!a.is_possible()) return {};
  const numeric::TwoSum s(a.high, -b.high);
  const numeric::TwoSum t(s.high, s.low + (a.low - b.low));
  return {t.high, t.low};
}
numeric::Extended exp(const WideScore& x) {
  if (x.high < kCannotMatter) return {};
  return numeric::Extended::exp(x.high) * numeric::Extended::exp(x.low);
}

}  // namespace

RobustChain::RobustChain(const ChainView& chain)
    : length_(chain.length),
      tags_(chain.tags),
      weight_(static_cast<std::size_t>(length_ - 1) * tags_ * tags_),
      forward_(static_cast<std::size_t>(length_) * tags_),
      backward_(forward_.size()),
      log_weight_(length_, tags_, -HUGE_VAL) {
  log_weight_.emissions.setZero();
  forward(chain);
  backward();
}

void RobustChain::forward(const ChainView& chain) {
  const Extended one = Extended::of(1.0, 0);
  std::vector<WideScore> best(tags_), next(tags_);
  for (int j = 0; j < tags_; ++j) {
    best[j] = {chain.emissions[j], 0.0};
    if (best[j].is_possible()) forward_[j] = one;
  }
  for (int t = 1; t < length_; ++t) {
    const double* const scores = chain.transitions + (t - 1) * chain.transition_stride;
    for (int j = 0; j < tags_; ++j) {
      WideScore top;
      for (int i = 0; i < tags_; ++i) {
        const WideScore candidate = best[i] + scores[i * chain.row_stride + j];
        if (top < candidate) top = candidate;
      }
      next[j] = top + chain.emissions[t * chain.emission_stride + j];
      if (!next[j].is_possible()) continue;
      Extended sum;
      for (int i = 0; i < tags_; ++i) {
        const WideScore log_w = best[i] + scores[i * chain.row_stride + j] - top;
        const Extended w = exp(log_w);
        weight_[at(t, i, j)] = w;
        log_weight_.transition(t, i, j) = log_w.high;
        sum = sum + forward_[at(t - 1, i)] * w;
      }
      forward_[at(t, j)] = sum;
    }
    best.swap(next);
  }
  WideScore top;
  for (const WideScore& b : best) {
    if (top < b) top = b;
  }
  if (!top.is_possible()) throw Infeasible("no tag sequence is possible: every one has a score of -inf");
  for (int j = 0; j < tags_; ++j) {
    const WideScore log_w = best[j] - top;
    const Extended last = exp(log_w);
    backward_[at(length_ - 1, j)] = last;
    log_weight_.emission(length_ - 1, j) = log_w.high;
    total_ = total_ + forward_[at(length_ - 1, j)] * last;
  }
  best_ = {top.high, top.low};
  log_partition_ = top.high + (top.low + log(total_));
}

void RobustChain::backward() {
  for (int t = length_ - 1; t > 0; --t) {
    for (int i = 0; i < tags_; ++i) {
      Extended sum;
      for (int j = 0; j < tags_; ++j) sum = sum + weight_[at(t, i, j)] * backward_[at(t, j)];
      backward_[at(t - 1, i)] = sum;
    }
  }
}

template <class F>
ChainArrays RobustChain::each(F f) const {
  ChainArrays out(length_, tags_);
  for (int t = 0; t < length_; ++t) {
    for (int i = 0; i < tags_; ++i) {
      out.emission(t, i) = f(forward_[at(t, i)] * backward_[at(t, i)] / total_);
      for (int j = 0; t > 0 && j < tags_; ++j) {
        out.transition(t, i, j) = f(forward_[at(t - 1, i)] * weight_[at(t, i, j)] * backward_[at(t, j)] / total_);
      }
    }
  }
  return out;
}

ChainArrays RobustChain::marginals() const {
  return each([](const Extended& x) { return numeric::power(x.m, x.e); });
}

ChainArrays RobustChain::log_marginals() const {
  return each([](const Extended& x) { return log(x); });
}

ChainArrays RobustChain::log_parts() const {
  ChainArrays out = log_weight_;
  out.emissions.row(length_ - 1).array() -= log(total_);
  return out;
}

ChainArrays RobustChain::log_conditionals() const {
  ChainArrays out(length_, tags_, 0.0);
  for (int i = 0; i < tags_; ++i) out.emission(0, i) = log(forward_[at(0, i)] * backward_[at(0, i)] / total_);
  for (int t = 1; t < length_; ++t) {
    for (int i = 0; i < tags_; ++i) {
      const Extended& whole = backward_[at(t - 1, i)];
      const bool possible = !whole.is_zero() && !forward_[at(t - 1, i)].is_zero();
      for (int j = 0; j < tags_; ++j) {
        out.transition(t, i, j) = possible ? log(weight_[at(t, i, j)] * backward_[at(t, j)] / whole) : -HUGE_VAL;
      }
    }
  }
  return out;
}

}  // namespace kirchhoff::chain
