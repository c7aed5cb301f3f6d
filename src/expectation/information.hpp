// Entropy, cross-entropy, KL, Renyi's entropy and norms (docs/methods/expectations.md), for the files that instantiate
// them. Terms 0 log 0 are 0.
//
// All is computed from centred scores (centred.hpp): what is lost is some 1e-16 of the gap between a word's arcs that
// probable trees use, not of the size of the scores.
#pragma once

#include "base/check.hpp"
#include "expectation/centred.hpp"
#include "expectation/supports.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace kirchhoff {
namespace expectations {

inline constexpr double kNearShannon =
    1e-5;  // |alpha - 1| below which Renyi's quotient is replaced by a Taylor expansion

// The result is kept in warm storage, and is good until the next call.
inline const Centred& centred(const View& p, const View& q) {
  thread_local Centred storage;
  centre(p, q, storage);
  return storage;
}

inline double minus_expected_log(const View& p, const View& q) { return minus_expectation(p, centred(p, q)); }

// The centred scores of q as an array, 0 where there is no arc; gradients are taken along it.
template <class D>
Array<D> direction(const D& p, const D& q) {
  const std::vector<double>& scores = centred(view(p), view(q)).scores;
  Array<D> result = empty_array(p);
  for (std::size_t i = 0; i < scores.size(); ++i) result.data()[i] = scores[i] == -HUGE_VAL ? 0.0 : scores[i];
  return result;
}

// The distribution proportional to p^k, and the logarithm of the sum of p(tree)^k over all trees.
template <class D>
struct Power {
  D distribution;
  double log_sum;
};

template <class D>
Power<D> power(const D& p, double k) {
  Centred own;
  centre(view(p), view(p), own);
  Array<D> scores = empty_array(p);
  for (std::size_t i = 0; i < own.scores.size(); ++i) {
    const bool possible = own.scores[i] != -HUGE_VAL;
    scores.data()[i] = possible ? std::max(k * own.scores[i], -base::kLargestScore) : -HUGE_VAL;
  }
  D other = p.with_scores(std::move(scores));
  numeric::Sum log_sum;
  log_sum.add(other.log_partition());
  log_sum.add(-k * own.log_z.high);
  log_sum.add(-k * own.log_z.low);
  return {std::move(other), log_sum.value()};
}

// Returns factor * (marginals of a - marginals of b).
template <class D>
Array<D> scaled_difference(const D& a, const D& b, double factor) {
  Array<D> result = empty_array(a);
  const View va = view(a), vb = view(b);
  for (std::size_t i = 0; i < va.size(); ++i) result.data()[i] = factor * (va.marginals[i] - vb.marginals[i]);
  return result;
}

template <class A>
A negated(A array) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(array.size()); ++i)
    array.data()[i] = 0.0 - array.data()[i];  // no -0
  return array;
}

inline void check_order(const char* function, const char* name, double value, bool zero_allowed) {
  if (std::isfinite(value) && (value > 0.0 || (zero_allowed && value == 0.0))) return;
  base::input_error(function, std::string(name) + " must be " + (zero_allowed ? "non-negative" : "positive") +
                                  " and finite, not " + std::to_string(value));
}

}  // namespace expectations

template <class D>
double entropy(const D& p) {
  return numeric::not_negative(expectations::minus_expected_log(expectations::view(p), expectations::view(p)));
}

template <class D>
Array<D> entropy_gradient(const D& p) {
  return expectations::negated(expectations::expectation_gradient(p, expectations::direction(p, p)));
}

template <class D>
double cross_entropy(const D& p, const D& q) {
  expectations::check_same_shape("cross_entropy", p, q);
  return expectations::leaves_support(p, q)
             ? HUGE_VAL
             : numeric::not_negative(expectations::minus_expected_log(expectations::view(p), expectations::view(q)));
}

template <class D>
PairGradient<D> cross_entropy_gradient(const D& p, const D& q) {
  expectations::check_same_shape("cross_entropy_gradient", p, q);
  expectations::require_support("cross_entropy_gradient", p, q);
  return {expectations::negated(expectations::expectation_gradient(p, expectations::direction(p, q))),
          expectations::scaled_difference(q, p, 1.0)};
}

template <class D>
double kl(const D& p, const D& q) {
  expectations::check_same_shape("kl", p, q);
  if (expectations::leaves_support(p, q)) return HUGE_VAL;
  const expectations::View a = expectations::view(p), b = expectations::view(q);
  return numeric::not_negative(expectations::minus_expected_log(a, b) - expectations::minus_expected_log(a, a));
}

template <class D>
PairGradient<D> kl_gradient(const D& p, const D& q) {
  expectations::check_same_shape("kl_gradient", p, q);
  expectations::require_support("kl_gradient", p, q);
  Array<D> gap = expectations::empty_array(p);
  expectations::score_gap(expectations::view(p), expectations::view(q), gap.data());
  return {expectations::expectation_gradient(p, gap), expectations::scaled_difference(q, p, 1.0)};
}

template <class D>
double renyi(const D& p, double alpha) {
  expectations::check_order("renyi", "alpha", alpha, true);
  const double gap = alpha - 1.0;
  if (std::abs(gap) < expectations::kNearShannon) {
    // Taylor around Shannon: H - (alpha - 1) Var(log p) / 2; the quotient below would lose half its digits.
    const Array<D> slope = entropy_gradient(p), scores = expectations::direction(p, p);
    double variance = 0.0;
    for (std::size_t i = 0; i < expectations::view(p).size(); ++i) variance -= scores.data()[i] * slope.data()[i];
    return numeric::not_negative(entropy(p) - 0.5 * gap * variance);
  }
  return numeric::not_negative(expectations::power(p, alpha).log_sum / -gap);
}

template <class D>
Array<D> renyi_gradient(const D& p, double alpha) {
  expectations::check_order("renyi_gradient", "alpha", alpha, true);
  const double gap = alpha - 1.0;
  if (std::abs(gap) >= expectations::kNearShannon)
    return expectations::scaled_difference(expectations::power(p, alpha).distribution, p, alpha / -gap);
  // The same Taylor expansion, its slope in alpha by a central difference: errors of order step^2 * gap.
  constexpr double kStep = 1e-3;
  Array<D> gradient = entropy_gradient(p);
  if (gap == 0.0) return gradient;
  const Array<D> above = renyi_gradient(p, 1.0 + kStep), below = renyi_gradient(p, 1.0 - kStep);
  for (std::size_t i = 0; i < expectations::view(p).size(); ++i) {
    gradient.data()[i] += gap / (2.0 * kStep) * (above.data()[i] - below.data()[i]);
  }
  return gradient;
}

template <class D>
double norm(const D& p, double k) {
  expectations::check_order("norm", "k", k, false);
  return std::exp(expectations::power(p, k).log_sum / k);
}

template <class D>
Array<D> norm_gradient(const D& p, double k) {
  expectations::check_order("norm_gradient", "k", k, false);
  const expectations::Power<D> other = expectations::power(p, k);
  return expectations::scaled_difference(other.distribution, p, std::exp(other.log_sum / k));
}

#define KIRCHHOFF_INSTANTIATE_INFORMATION(D)                           \
  template double entropy(const D&);                                   \
  template Array<D> entropy_gradient(const D&);                        \
  template double cross_entropy(const D&, const D&);                   \
  template PairGradient<D> cross_entropy_gradient(const D&, const D&); \
  template double kl(const D&, const D&);                              \
  template PairGradient<D> kl_gradient(const D&, const D&);            \
  template double renyi(const D&, double);                             \
  template Array<D> renyi_gradient(const D&, double);                  \
  template double norm(const D&, double);                              \
  template Array<D> norm_gradient(const D&, double)

}  // namespace kirchhoff
