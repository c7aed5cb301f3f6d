// Training objectives: risk, likelihood, generalized expectation, multiplicative functions
// (docs/methods/expectations.md), for the files that instantiate them.
#pragma once

#include "base/check.hpp"
#include "expectation/centred.hpp"
#include "expectation/dense_features.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace kirchhoff {
namespace expectations {

// Checks gold and calls visit(flat index, head, dependent) for its arcs.
template <class D, class Visit>
void for_each_gold_arc(const char* function, const D& p, const Gold& gold, Visit visit) {
  const View v = view(p);
  check_tree(gold.heads, v.words, p.root(), function);
  const bool labelled = !gold.labels.empty() || v.labels > 1;
  if (labelled && gold.labels.size() != gold.heads.size()) {
    base::input_error(function, "gold labels: " + std::to_string(gold.labels.size()) + " entries, expected " +
                                    std::to_string(gold.heads.size()) + " (labels[0] is ignored)");
  }
  for (int d = 1; d <= v.words; ++d) {
    const int label = labelled ? gold.labels[d] : 0;
    if (label < 0 || label >= v.labels) {
      base::input_error(function, "gold label " + std::to_string(label) + " of word " + std::to_string(d) +
                                      " is not in 0.." + std::to_string(v.labels - 1));
    }
    visit(v.index(gold.heads[d], d, label), gold.heads[d], d);
  }
}

// The scalar feature f . (E[f] - target) of each arc, whose gradient is that of the generalized expectation.
inline Matrix dense_weighted_sum(const Features& f, const Vector& weight) {
  const auto rows = dense_rows(f);
  Vector padded = Vector::Zero(rows.cols());
  padded.head(f.size()) = weight;
  const Vector by_dependent = rows * padded;
  Matrix sum = Matrix::Zero(f.words() + 1, f.words() + 1);
  sum.rightCols(f.words()) = MatrixView(by_dependent.data(), f.words(), f.words() + 1).transpose();
  return sum;
}

template <class D>
Array<D> weighted_sum(const D& p, const Features& f, const Vector& weight) {
  if constexpr (!kHasLabels<D>) {
    if (is_dense(f)) return dense_weighted_sum(f, weight);
  }
  const View v = view(p);
  Array<D> sum = empty_array(p);
  for (const FeatureEntry& e : f.entries()) {
    sum.data()[v.index(e.head, e.dependent, e.label)] += e.value * weight(e.feature);
  }
  return sum;
}

template <class D>
Vector deviation(const char* function, const D& p, const Features& f, const Vector& target) {
  if (target.size() != f.size()) {
    base::input_error(function, "target: " + std::to_string(target.size()) + " numbers, expected " +
                                    std::to_string(f.size()) + ", one per feature");
  }
  if (!target.allFinite()) base::input_error(function, "target is not finite");
  return expectation(p, f) - target;
}

inline bool same_shape(const Matrix& a, const Matrix& b) { return a.rows() == b.rows() && a.cols() == b.cols(); }
inline bool same_shape(const LabelledMatrix& a, const LabelledMatrix& b) {
  return a.words() == b.words() && a.labels() == b.labels();
}

// The distribution with weights w q, and log of the sum over trees of p(tree) q(tree).
template <class D>
struct Tilted {
  D distribution;
  double log_expectation;
};

template <class D>
Tilted<D> tilted(const char* function, const D& p, const Array<D>& log_q) {
  Centred centred;
  centre(view(p), view(p), centred);
  Array<D> scores = empty_array(p);
  if (!same_shape(scores, log_q)) base::input_error(function, "log_q has another shape than the scores");
  for (std::size_t i = 0; i < centred.scores.size(); ++i) {
    const bool possible = centred.scores[i] != -HUGE_VAL && log_q.data()[i] != -HUGE_VAL;
    scores.data()[i] = possible ? std::max(centred.scores[i] + log_q.data()[i], -base::kLargestScore) : -HUGE_VAL;
  }
  D other = p.with_scores(std::move(scores));
  numeric::Sum sum;
  sum.add(other.log_partition());
  sum.add(-centred.log_z.high);
  sum.add(-centred.log_z.low);
  return {std::move(other), sum.value()};
}

}  // namespace expectations

template <class D>
double risk(const D& p, const Gold& gold) {
  const expectations::View v = expectations::view(p);
  double sum = 0.0;
  expectations::for_each_gold_arc("risk", p, gold, [&](std::size_t i, int, int) { sum += v.marginals[i]; });
  return sum / v.words;
}

template <class D>
Array<D> risk_gradient(const D& p, const Gold& gold) {
  Array<D> right = expectations::empty_array(p);
  expectations::for_each_gold_arc("risk_gradient", p, gold,
                                  [&](std::size_t i, int, int) { right.data()[i] = 1.0 / p.words(); });
  return expectations::expectation_gradient(p, right);
}

template <class D>
double negative_log_likelihood(const D& p, const Gold& gold) {
  const expectations::View v = expectations::view(p);
  numeric::Sum sum = v.log_z_scaled;
  bool possible = true;
  expectations::for_each_gold_arc("negative_log_likelihood", p, gold, [&](std::size_t i, int head, int dependent) {
    possible &= v.scores[i] != -HUGE_VAL;
    if (!possible) return;
    const numeric::TwoSum score = expectations::scaled_score(v, head, dependent, i);
    sum.add(-score.high);
    sum.add(-score.low);
  });
  return possible ? numeric::not_negative(sum.value()) : HUGE_VAL;
}

template <class D>
Array<D> negative_log_likelihood_gradient(const D& p, const Gold& gold) {
  const expectations::View v = expectations::view(p);
  Array<D> gradient = expectations::empty_array(p);
  for (std::size_t i = 0; i < v.size(); ++i) gradient.data()[i] = v.marginals[i];
  expectations::for_each_gold_arc("negative_log_likelihood_gradient", p, gold,
                                  [&](std::size_t i, int, int) { gradient.data()[i] -= 1.0; });
  return gradient;
}

template <class D>
double generalized_expectation(const D& p, const Features& f, const Vector& target) {
  return 0.5 * expectations::deviation("generalized_expectation", p, f, target).squaredNorm();
}

template <class D>
Array<D> generalized_expectation_gradient(const D& p, const Features& f, const Vector& target) {
  const Vector gap = expectations::deviation("generalized_expectation_gradient", p, f, target);
  return expectations::expectation_gradient(p, expectations::weighted_sum(p, f, gap));
}

template <class D>
double log_multiplicative_expectation(const D& p, const Array<D>& log_q) {
  try {
    return expectations::tilted("log_multiplicative_expectation", p, log_q).log_expectation;
  } catch (const Infeasible&) {
    return -HUGE_VAL;
  }
}

template <class D>
PairGradient<D> log_multiplicative_expectation_gradient(const D& p, const Array<D>& log_q) {
  const D other = expectations::tilted("log_multiplicative_expectation_gradient", p, log_q).distribution;
  const expectations::View a = expectations::view(p), b = expectations::view(other);
  PairGradient<D> result{expectations::empty_array(p), expectations::empty_array(p)};
  for (std::size_t i = 0; i < a.size(); ++i) {
    result.p.data()[i] = b.marginals[i] - a.marginals[i];
    result.q.data()[i] = b.marginals[i];
  }
  return result;
}

#define KIRCHHOFF_INSTANTIATE_OBJECTIVES(D)                                                     \
  template double risk(const D&, const Gold&);                                                  \
  template Array<D> risk_gradient(const D&, const Gold&);                                       \
  template double negative_log_likelihood(const D&, const Gold&);                               \
  template Array<D> negative_log_likelihood_gradient(const D&, const Gold&);                    \
  template double generalized_expectation(const D&, const Features&, const Vector&);            \
  template Array<D> generalized_expectation_gradient(const D&, const Features&, const Vector&); \
  template double log_multiplicative_expectation(const D&, const Array<D>&);                    \
  template PairGradient<D> log_multiplicative_expectation_gradient(const D&, const Array<D>&)

}  // namespace kirchhoff
