// Cumulants of an additive function f of a tree: kappa_k is the k-th derivative of log Z(theta + t f) at t = 0, for the
// files that instantiate it.
//
// The derivatives are exact power series (log_partition_series.hpp). A constant added to f on all arcs into a word
// moves the mean and nothing else, and so does one on all arcs from the root if it has one child: f is centred first,
// so that large constants cost no digits. Scores are counted from each word's most probable arc, which moves log Z
// only.
#pragma once

#include "base/check.hpp"
#include "expectation/log_partition_series.hpp"
#include "expectation/view.hpp"
#include "numeric/sum.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

namespace kirchhoff {
namespace expectations {

inline constexpr int kLargestOrder = 30;

/// The type of the tree without its labels.
template <class D>
struct TreeOf {
  using type = D;
};
template <class T>
struct TreeOf<LabelledOf<T>> {
  using type = T;
};

/// f less, for each word, its mean; 0 where an arc has no probability, where f may be anything.
struct CentredFunction {
  std::vector<double> values;     // flat, as in View
  std::vector<double> reference;  // by word, the score of its most probable arc
  double mean = 0.0;
  double scale = 0.0;  // the largest value
};

/// Calls visit(index) for all labelled arcs into a word that have a probability.
template <class Visit>
void for_each_probable(const View& v, int dependent, const Visit& visit) {
  for (int head = 0; head <= v.words; ++head) {
    for (int label = 0; head != dependent && label < v.labels; ++label) {
      const std::size_t i = v.index(head, dependent, label);
      if (v.marginals[i] > 0.0) visit(i, head);
    }
  }
}

inline void check_values(const View& v, const double* f) {
  for (int d = 1; d <= v.words; ++d) {
    for_each_probable(v, d, [&](std::size_t i, int head) {
      if (std::abs(f[i]) <= base::kLargestScore) return;
      base::input_error("cumulants", "f of the arc " + std::to_string(head) + " -> " + std::to_string(d) +
                                         " is not a finite number up to 1e100 in size");
    });
  }
}

/// How much higher f is on arcs from the root than on others into the same word: the constant that, together with one
/// for each word, fits f best (least squares).
inline double root_constant(const View& v, const double* f) {
  double covariance = 0.0, variance = 0.0;
  for (int d = 1; d <= v.words; ++d) {
    double p[2] = {0.0, 0.0}, sum[2] = {0.0, 0.0};  // of arcs from the root, and of others
    for_each_probable(v, d, [&](std::size_t i, int head) {
      p[head == 0 ? 0 : 1] += v.marginals[i];
      sum[head == 0 ? 0 : 1] += v.marginals[i] * f[i];
    });
    if (p[0] == 0.0 || p[1] == 0.0) continue;
    covariance += p[0] * p[1] * (sum[0] / p[0] - sum[1] / p[1]);
    variance += p[0] * p[1];
  }
  return variance > 0.0 ? covariance / variance : 0.0;
}

inline CentredFunction centred_function(const View& v, Root root, const double* f) {
  CentredFunction out{std::vector<double>(v.size(), 0.0), std::vector<double>(v.words + 1, 0.0)};
  check_values(v, f);
  const double of_root = root == Root::single ? root_constant(v, f) : 0.0;
  numeric::Sum mean;
  mean.add(of_root);
  for (int d = 1; d <= v.words; ++d) {
    double best = 0.0, middle = 0.0, rest = 0.0;
    int best_head = 0;
    for_each_probable(v, d, [&](std::size_t i, int head) {
      if (v.marginals[i] > best) best = v.marginals[i], middle = f[i], best_head = head, out.reference[d] = v.scores[i];
    });
    const auto value = [&](std::size_t i, int head) {  // differences of neighbours first: those are exact
      return (f[i] - middle) + of_root * ((best_head == 0 ? 1 : 0) - (head == 0 ? 1 : 0));
    };
    for_each_probable(v, d, [&](std::size_t i, int head) { rest += v.marginals[i] * value(i, head); });
    for_each_probable(v, d, [&](std::size_t i, int head) {
      out.values[i] = value(i, head) - rest;
      out.scale = std::max(out.scale, std::abs(out.values[i]));
    });
    mean.add(middle);
    mean.add(best_head == 0 ? rest - of_root : rest);
  }
  out.mean = mean.value();
  return out;
}

/// Derivatives 0 .. kOrder of log Z along f / scale, divided by their factorials.
template <std::size_t kOrder, class D>
std::vector<double> log_series(const D& p, const CentredFunction& f) {
  const View v = view(p);
  SeriesWeights<kOrder> weights(v.words);
  for (int d = 1; d <= v.words; ++d) {
    for_each_probable(v, d, [&](std::size_t i, int head) {
      const numeric::TwoSum score(v.scores[i], -f.reference[d]);
      weights(head, d) += numeric::ExtendedSeries<kOrder>::exp(score.high, score.low, f.values[i] / f.scale);
    });
  }
  const auto series = LogPartitionSeries<typename TreeOf<D>::type>::template of<kOrder>(std::move(weights), p.root());
  return {series.begin(), series.end()};
}

/// The same up to an order that is known when it runs; a few more terms cost less than a loop of unknown length.
template <class D>
std::vector<double> log_series(const D& p, const CentredFunction& f, int order) {
  if (order <= 4) return log_series<4>(p, f);
  if (order <= 8) return log_series<8>(p, f);
  return log_series<kLargestOrder>(p, f);
}

template <class D>
void check_function(const D& p, const Array<D>& f) {
  if constexpr (kHasLabels<D>) {
    if (f.words() != p.words() || f.labels() != p.labels()) {
      base::input_error("cumulants", "f has another shape than the scores");
    }
  } else {
    base::check_shape("cumulants", "f", f, p.words());
  }
}

}  // namespace expectations

template <class D>
Vector cumulants(const D& p, const Array<D>& f, int order) {
  if (order < 1 || order > expectations::kLargestOrder) {
    base::input_error("cumulants", "order is " + std::to_string(order) + ", expected 1 to " +
                                       std::to_string(expectations::kLargestOrder));
  }
  expectations::check_function(p, f);
  const expectations::CentredFunction centred =
      expectations::centred_function(expectations::view(p), p.root(), f.data());
  Vector kappa = Vector::Zero(order + 1);
  kappa[1] = centred.mean;
  if (order == 1 || centred.scale == 0.0) return kappa;
  const std::vector<double> series = expectations::log_series(p, centred, order);
  for (int k = 2; k <= order; ++k) {
    kappa[k] = series[k];
    for (int l = 1; l <= k; ++l) kappa[k] *= l * centred.scale;
    if (!std::isfinite(kappa[k])) {
      base::input_error("cumulants", "order " + std::to_string(k) + " is beyond the range of doubles");
    }
  }
  kappa[2] = numeric::not_negative(kappa[2]);
  return kappa;
}

}  // namespace kirchhoff
