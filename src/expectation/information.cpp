// Entropy, cross-entropy, KL, Renyi entropy, norms: THEORY section 3's table. Terms 0 log 0 are 0.
//
// All is computed from scaled scores (view.hpp), so a distribution with scores of size 1e4 keeps all digits of an
// entropy of size 1.
#include "core/sum.hpp"
#include "expectation/view.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace kirchhoff {
namespace {

using detail::View;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// -E_p[log q] = log Z_q - E_p[score of q]; -inf scores where p is 0 do not count.
double minus_expected_log(const View& p, const View& q) {
  core::Sum result = q.tree.log_z_scaled;
  const std::size_t row = static_cast<std::size_t>(q.words + 1) * q.labels;
  double sum = 0.0;  // of one row: small numbers of one sign, plain sums will do
  detail::for_each_scaled_score(q, [&](std::size_t i, double score) {
    if (p.marginals[i] > 0.0) sum -= p.marginals[i] * score;
    if ((i + 1) % row == 0) {
      result.add(sum);
      sum = 0.0;
    }
  });
  return result.value();
}

// Scaled scores as an array, 0 where there is no arc: what gradients are taken along.
template <class D>
Array<D> scaled_scores(const D& p) {
  Array<D> scores = detail::empty_array(p);
  detail::for_each_scaled_score(
      detail::view(p), [&](std::size_t i, double score) { scores.data()[i] = score == -kInfinity ? 0.0 : score; });
  return scores;
}

const double* flat(const Matrix& m) { return m.data(); }
const double* flat(const LabelledMatrix& m) { return m.data(); }

// Some tree of p has an arc that q forbids. A marginal of p may have underflowed: then its logarithm decides.
template <class D>
bool leaves_support(const D& p, const D& q) {
  const View a = detail::view(p), b = detail::view(q);
  bool unsure = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (b.scores[i] != -kInfinity || a.scores[i] == -kInfinity) continue;
    if (a.marginals[i] > 0.0) return true;
    unsure = true;
  }
  if (!unsure) return false;
  const auto logs = p.log_marginals();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (b.scores[i] == -kInfinity && a.scores[i] != -kInfinity && flat(logs)[i] != -kInfinity) return true;
  }
  return false;
}

template <class D>
void require_support(const char* function, const D& p, const D& q) {
  if (leaves_support(p, q)) {
    core::input_error(function, "q forbids a tree that p allows: the value is +inf and has no gradient");
  }
}

// The distribution with weights w^power.
template <class D>
D powered(const D& p, double power) {
  Array<D> scaled = detail::empty_array(p);
  detail::for_each_scaled_score(detail::view(p), [&](std::size_t i, double score) {
    scaled.data()[i] = score == -kInfinity ? -kInfinity : power * score;
  });
  return p.with_scores(std::move(scaled));
}

// log of the sum over trees of p(tree)^k = log Z(k theta) - k log Z(theta), `other` = powered(p, k).
template <class D>
double log_power_sum(const D& p, const D& other, double k) {
  const core::Sum& z = detail::view(p).tree.log_z_scaled;
  const detail::TreeState& tree = detail::view(other).tree;
  core::Sum result = tree.weights.log_scale;
  result.add(tree.log_z_scaled.high);
  result.add(tree.log_z_scaled.low);
  const double main = -k * z.high;
  result.add(main);
  result.add(std::fma(-k, z.high, -main));
  result.add(-k * z.low);
  return result.value();
}

// factor * (marginals of a - marginals of b)
template <class D>
Array<D> scaled_difference(const D& a, const D& b, double factor) {
  Array<D> result = detail::empty_array(a);
  const View va = detail::view(a), vb = detail::view(b);
  for (std::size_t i = 0; i < va.size(); ++i) result.data()[i] = factor * (va.marginals[i] - vb.marginals[i]);
  return result;
}

template <class A>
A negated(A array) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(array.size()); ++i)
    array.data()[i] = 0.0 - array.data()[i];  // no -0
  return array;
}

void check_order(const char* function, const char* name, double value, bool zero_allowed) {
  if (std::isfinite(value) && (value > 0.0 || (zero_allowed && value == 0.0))) return;
  core::input_error(function, std::string(name) + " must be " + (zero_allowed ? "non-negative" : "positive") +
                                  " and finite, not " + std::to_string(value));
}

}  // namespace

template <class D>
double entropy(const D& p) {
  return std::max(0.0, minus_expected_log(detail::view(p), detail::view(p)));
}

template <class D>
Array<D> entropy_gradient(const D& p) {
  if constexpr (std::is_same_v<D, TreeDistribution>) {
    Matrix gradient = detail::empty_array(p);
    detail::entropy_gradient(detail::TreeAccess::state(p), gradient.data());
    return gradient;
  } else {
    return negated(detail::expectation_gradient(p, scaled_scores(p)));
  }
}

template <class D>
double cross_entropy(const D& p, const D& q) {
  detail::check_same_shape("cross_entropy", p, q);
  return leaves_support(p, q) ? kInfinity : std::max(0.0, minus_expected_log(detail::view(p), detail::view(q)));
}

template <class D>
PairGradient<D> cross_entropy_gradient(const D& p, const D& q) {
  detail::check_same_shape("cross_entropy_gradient", p, q);
  require_support("cross_entropy_gradient", p, q);
  return {negated(detail::expectation_gradient(p, scaled_scores(q))), scaled_difference(q, p, 1.0)};
}

template <class D>
double kl(const D& p, const D& q) {
  detail::check_same_shape("kl", p, q);
  if (leaves_support(p, q)) return kInfinity;
  const View a = detail::view(p), b = detail::view(q);
  return std::max(0.0, minus_expected_log(a, b) - minus_expected_log(a, a));
}

template <class D>
PairGradient<D> kl_gradient(const D& p, const D& q) {
  detail::check_same_shape("kl_gradient", p, q);
  require_support("kl_gradient", p, q);
  Array<D> gap = scaled_scores(p);
  const Array<D> other = scaled_scores(q);
  for (std::size_t i = 0; i < detail::view(p).size(); ++i) gap.data()[i] -= other.data()[i];
  return {detail::expectation_gradient(p, gap), scaled_difference(q, p, 1.0)};
}

template <class D>
double renyi(const D& p, double alpha) {
  check_order("renyi", "alpha", alpha, true);
  const double gap = alpha - 1.0;
  if (std::abs(gap) < 1e-5) {
    // Taylor around Shannon: H - (alpha - 1) Var(log p) / 2; the quotient below would lose half its digits.
    const Array<D> slope = entropy_gradient(p), scores = scaled_scores(p);
    double variance = 0.0;
    for (std::size_t i = 0; i < detail::view(p).size(); ++i) variance -= scores.data()[i] * slope.data()[i];
    return std::max(0.0, entropy(p) - 0.5 * gap * variance);
  }
  return std::max(0.0, log_power_sum(p, powered(p, alpha), alpha) / -gap);
}

template <class D>
Array<D> renyi_gradient(const D& p, double alpha) {
  check_order("renyi_gradient", "alpha", alpha, true);
  if (std::abs(alpha - 1.0) < 1e-8) return entropy_gradient(p);
  return scaled_difference(powered(p, alpha), p, alpha / (1.0 - alpha));
}

template <class D>
double norm(const D& p, double k) {
  check_order("norm", "k", k, false);
  return std::exp(log_power_sum(p, powered(p, k), k) / k);
}

template <class D>
Array<D> norm_gradient(const D& p, double k) {
  check_order("norm_gradient", "k", k, false);
  const D other = powered(p, k);
  return scaled_difference(other, p, std::exp(log_power_sum(p, other, k) / k));
}

#define KIRCHHOFF_INSTANTIATE(D)                                       \
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
KIRCHHOFF_INSTANTIATE(TreeDistribution);
KIRCHHOFF_INSTANTIATE(LabelledTreeDistribution);
#undef KIRCHHOFF_INSTANTIATE

}  // namespace kirchhoff
