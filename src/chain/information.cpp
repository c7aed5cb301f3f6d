// Entropy, cross-entropy, Kullback and Leibler's divergence and Renyi's entropy of tag sequences, with gradients.
//
// All are computed from conditional probabilities: -log p(tags) is itself an additive function, with the value
// -log P(j | i) on a pair of tags, whose mean is the entropy and whose covariances are the entropy's gradient.
#include "base/check.hpp"
#include "chain/deviations.hpp"
#include "chain/robust.hpp"
#include "chain/state.hpp"
#include "kirchhoff/chain_expectation.hpp"
#include "numeric/sum.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace kirchhoff {
namespace {

constexpr double kNearShannon = 1e-3;          // |alpha - 1| for a series of cumulants instead of a quotient
constexpr double kGradientNearShannon = 1e-5;  // the same for gradients, with a shorter series
constexpr double kHighestOrder = 1e60;         // beyond which orders make no difference to a double

/// -log p as an additive function, 0 where the probability is.
ChainArrays surprise(const ChainDistribution& distribution) {
  const ChainArrays& p = distribution.marginals();
  ChainArrays out(p.length(), p.tags());
  const auto minus_log = [](double part, double whole) { return part > 0.0 ? -std::log(part / whole) : 0.0; };
  for (int i = 0; i < p.tags(); ++i) out.emission(0, i) = minus_log(p.emission(0, i), 1.0);
  for (int t = 1; t < p.length(); ++t) {
    for (int i = 0; i < p.tags(); ++i) {
      for (int j = 0; j < p.tags(); ++j) {
        out.transition(t, i, j) = minus_log(p.transition(t, i, j), p.emission(t - 1, i));
      }
    }
  }
  return out;
}

double mean(const ChainArrays& p, const ChainArrays& f) {
  numeric::Sum sum;
  for (Eigen::Index k = 0; k < p.emissions.size(); ++k) sum.add(p.emissions.data()[k] * f.emissions.data()[k]);
  for (Eigen::Index k = 0; k < p.transitions.size(); ++k) {
    sum.add(p.transitions.data()[k] * f.transitions.data()[k]);
  }
  return sum.value();
}

/// Whether some sequence that p allows has a pair or a tag that q forbids: by reachability, not by probabilities.
bool forbids(const ChainArrays& p, const ChainArrays& q) {
  const int length = p.length(), tags = p.tags();
  std::vector<std::vector<char>> from(length, std::vector<char>(tags, 0)), to = from;
  const auto possible = [](double x) { return x != -HUGE_VAL; };
  for (int t = 0; t < length; ++t) {
    for (int j = 0; j < tags; ++j) {
      bool reached = t == 0;
      for (int i = 0; t > 0 && i < tags && !reached; ++i) reached = from[t - 1][i] && possible(p.transition(t, i, j));
      from[t][j] = static_cast<char>(reached && possible(p.emission(t, j)));
    }
  }
  for (int t = length - 1; t >= 0; --t) {
    for (int i = 0; i < tags; ++i) {
      if (from[t][i] == 0) continue;
      bool ends = t == length - 1;
      for (int j = 0; t + 1 < length && j < tags; ++j) {
        if (to[t + 1][j] == 0 || !possible(p.transition(t + 1, i, j))) continue;
        if (!possible(q.transition(t + 1, i, j))) return true;
        ends = true;
      }
      to[t][i] = static_cast<char>(ends);
      if (ends && !possible(q.emission(t, i))) return true;
    }
  }
  return false;
}

void check_pair(const char* function, const ChainDistribution& p, const ChainDistribution& q) {
  if (p.length() != q.length() || p.tags() != q.tags()) {
    base::input_error(function, "chains of " + std::to_string(p.length()) + " and " + std::to_string(q.length()) +
                                    " positions, with " + std::to_string(p.tags()) + " and " +
                                    std::to_string(q.tags()) + " tags");
  }
}
void check_finite_pair(const char* function, const ChainDistribution& p, const ChainDistribution& q) {
  check_pair(function, p, q);
  if (forbids(p.scores(), q.scores())) {
    base::input_error(function, "q forbids a sequence that p allows, where the value is infinite and has no gradient");
  }
}

/// Writes minus the logarithms, and 0 where p is. Returns whether p is positive somewhere where there is no logarithm.
bool negate_where(const Matrix& p, Matrix& logs) {
  bool missing = false;
  for (Eigen::Index k = 0; k < p.size(); ++k) {
    double& x = logs.data()[k];
    x = p.data()[k] > 0.0 ? -x : 0.0;
    missing = missing || x == HUGE_VAL;
  }
  return missing;
}

/// -log q as an additive function on what p allows: from conditional probabilities, and where one of these is too small
/// even for an extended number, from the weights.
ChainArrays surprise_of(const ChainDistribution& q, const ChainArrays& p) {
  ChainArrays out = chain::log_conditionals(q);
  const bool in_tags = negate_where(p.emissions, out.emissions);
  if (!negate_where(p.transitions, out.transitions) && !in_tags) return out;
  out = chain::RobustChain(chain_view(q.scores())).log_parts();
  negate_where(p.emissions, out.emissions);
  negate_where(p.transitions, out.transitions);
  return out;
}

ChainArrays difference(const ChainArrays& a, const ChainArrays& b, double factor = 1.0) {
  ChainArrays out = a;
  out.emissions = factor * (a.emissions - b.emissions);
  out.transitions = factor * (a.transitions - b.transitions);
  return out;
}

void check_alpha(const char* function, double alpha) {
  if (!(alpha >= 0.0) || alpha == HUGE_VAL) {
    base::input_error(function, "alpha is " + std::to_string(alpha) + ", expected a number >= 0");
  }
}

/// The distribution proportional to p^alpha, whose log Z is log sum p^alpha.
ChainDistribution power(const ChainDistribution& p, double alpha) {
  ChainArrays scores = chain::log_conditionals(p);
  const auto times = [alpha](double x) { return x == -HUGE_VAL ? x : alpha * x; };
  scores.emissions = scores.emissions.unaryExpr(times).eval();
  scores.transitions = scores.transitions.unaryExpr(times).eval();
  return ChainDistribution(scores);
}

}  // namespace

double entropy(const ChainDistribution& p) { return numeric::not_negative(mean(p.marginals(), surprise(p))); }

ChainArrays entropy_gradient(const ChainDistribution& p) { return chain::along(p.marginals(), surprise(p)); }

double cross_entropy(const ChainDistribution& p, const ChainDistribution& q) {
  check_pair("cross_entropy", p, q);
  if (forbids(p.scores(), q.scores())) return HUGE_VAL;
  return numeric::not_negative(mean(p.marginals(), surprise_of(q, p.marginals())));
}

ChainPairGradient cross_entropy_gradient(const ChainDistribution& p, const ChainDistribution& q) {
  check_finite_pair("cross_entropy_gradient", p, q);
  return {chain::along(p.marginals(), surprise_of(q, p.marginals())), difference(q.marginals(), p.marginals())};
}

double kl(const ChainDistribution& p, const ChainDistribution& q) {
  check_pair("kl", p, q);
  if (forbids(p.scores(), q.scores())) return HUGE_VAL;
  return numeric::not_negative(
      mean(p.marginals(), difference(surprise_of(q, p.marginals()), surprise_of(p, p.marginals()))));
}

ChainPairGradient kl_gradient(const ChainDistribution& p, const ChainDistribution& q) {
  check_finite_pair("kl_gradient", p, q);
  return {chain::along(p.marginals(), difference(surprise_of(q, p.marginals()), surprise_of(p, p.marginals()))),
          difference(q.marginals(), p.marginals())};
}

double renyi(const ChainDistribution& p, double alpha) {
  check_alpha("renyi", alpha);
  if (alpha == 0.0) return p.log_count();
  alpha = std::min(alpha, kHighestOrder);
  const double gap = alpha - 1.0;
  if (std::abs(gap) >= kNearShannon) return numeric::not_negative(power(p, alpha).log_partition() / -gap);
  // log sum p^alpha = sum of kappa_k gap^k / k! over the cumulants of log p, those of -log p with alternating signs.
  constexpr int kOrder = 5;
  const Vector kappa = cumulants(p, surprise(p), kOrder);
  double sum = 0.0, factor = 1.0;
  for (int k = 1; k <= kOrder; ++k) {
    sum += kappa[k] * factor;
    factor *= -gap / (k + 1);
  }
  return numeric::not_negative(sum);
}

ChainArrays renyi_gradient(const ChainDistribution& p, double alpha) {
  check_alpha("renyi_gradient", alpha);
  if (alpha == 0.0) return ChainArrays(p.length(), p.tags());
  alpha = std::min(alpha, kHighestOrder);
  const double gap = alpha - 1.0;
  if (std::abs(gap) >= kGradientNearShannon) {
    return difference(power(p, alpha).marginals(), p.marginals(), alpha / -gap);
  }
  // The gradient of H - gap/2 Var(log p): the variance's is that of Cov(f, f), and 2 Cov(f, .) as f moves with p.
  const ChainArrays f = surprise(p);
  const ChainArrays slope = chain::along(p.marginals(), f), third = covariance_gradient(p, f, f);
  ChainArrays out = slope;
  out.emissions += gap * (slope.emissions - 0.5 * third.emissions);
  out.transitions += gap * (slope.transitions - 0.5 * third.transitions);
  return out;
}

}  // namespace kirchhoff
