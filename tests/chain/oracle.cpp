// The list of sequences and its sums, with Boost.Multiprecision for the one step that needs digits: the sum of weights.
#include "chain/oracle.hpp"

#include <boost/multiprecision/cpp_bin_float.hpp>

#include <algorithm>
#include <cmath>

namespace kirchhoff::chains {
namespace {

using Wide = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<160>, boost::multiprecision::et_off>;

/// exp(x) for x <= 0; far below the smallest long double it is 0.
Wide exp_of(const Wide& x) { return x < -1e7 ? Wide(0) : Wide(exp(x)); }

void list(const ChainArrays& scores, Tags& prefix, const Wide& sum, std::vector<Tags>& all, std::vector<Wide>& sums) {
  const int t = static_cast<int>(prefix.size());
  if (t == scores.length()) {
    all.push_back(prefix);
    sums.push_back(sum);
    return;
  }
  for (int j = 0; j < scores.tags(); ++j) {
    const double step = t == 0 ? 0.0 : scores.transition(t, prefix.back(), j);
    if (std::isinf(step) || std::isinf(scores.emission(t, j))) continue;
    prefix.push_back(j);
    list(scores, prefix, sum + Wide(step) + Wide(scores.emission(t, j)), all, sums);
    prefix.pop_back();
  }
}

}  // namespace

Sequences::Sequences(const ChainArrays& scores) {
  Tags prefix;
  std::vector<Wide> sums;
  list(scores, prefix, Wide(0), all_, sums);
  if (all_.empty()) return;
  const Wide best = *std::max_element(sums.begin(), sums.end());
  Wide total = 0;
  for (const Wide& s : sums) total += exp_of(s - best);
  const Wide log_z = best + log(total);
  log_partition_ = static_cast<Real>(log_z);
  for (const Wide& s : sums) {
    log_p_.push_back(static_cast<Real>(Wide(s - log_z)));
    p_.push_back(static_cast<Real>(Wide(exp_of(s - best) / total)));
  }
}

std::size_t Sequences::number(const Tags& tags) const {
  const auto at = std::lower_bound(all_.begin(), all_.end(), tags);
  return at == all_.end() || *at != tags ? all_.size() : static_cast<std::size_t>(at - all_.begin());
}

Real Sequences::value(const ChainArrays& f, const Tags& tags) {
  Real sum = 0;
  for (int t = 0; t < f.length(); ++t) {
    sum += f.emission(t, tags[t]);
    if (t > 0) sum += f.transition(t, tags[t - 1], tags[t]);
  }
  return sum;
}

Real Sequences::mean(const ChainArrays& f) const {
  Real sum = 0;
  for (std::size_t k = 0; k < size(); ++k) sum += p(k) * value(f, all_[k]);
  return sum;
}

Real Sequences::covariance(const ChainArrays& f, const ChainArrays& g) const {
  const Real a = mean(f), b = mean(g);
  Real sum = 0;
  for (std::size_t k = 0; k < size(); ++k) sum += p(k) * (value(f, all_[k]) - a) * (value(g, all_[k]) - b);
  return sum;
}

std::vector<Real> Sequences::cumulants(const ChainArrays& f, int order) const {
  const Real centre = mean(f);
  std::vector<Real> moment(order + 1, 0), kappa(order + 1, 0);
  for (std::size_t k = 0; k < size(); ++k) {
    Real power = 1;
    for (int m = 0; m <= order; ++m, power *= value(f, all_[k]) - centre) moment[m] += p(k) * power;
  }
  kappa[1] = centre;
  for (int m = 2; m <= order; ++m) {
    kappa[m] = moment[m];
    Real binomial = m - 1;  // of m - 1 over l - 1
    for (int l = 2; l < m; ++l) {
      kappa[m] -= binomial * kappa[l] * moment[m - l];
      binomial = binomial * (m - l) / l;
    }
  }
  return kappa;
}

Real Sequences::marginal(int t, int i, int j) const {
  Real sum = 0;
  for (std::size_t k = 0; k < size(); ++k) {
    if (all_[k][t] == j && (i < 0 || all_[k][t - 1] == i)) sum += p(k);
  }
  return sum;
}

Real Sequences::log_marginal(int t, int i, int j) const {
  Real best = -HUGE_VALL, sum = 0;
  const auto each = [&](auto visit) {
    for (std::size_t k = 0; k < size(); ++k) {
      if (all_[k][t] == j && (i < 0 || all_[k][t - 1] == i)) visit(log_p(k));
    }
  };
  each([&](Real x) { best = std::max(best, x); });
  each([&](Real x) { sum += std::exp(x - best); });
  return best + std::log(sum);
}

Real Sequences::entropy() const {
  Real sum = 0;
  for (std::size_t k = 0; k < size(); ++k) sum -= p(k) > 0 ? p(k) * log_p(k) : 0;
  return sum;
}

Real Sequences::renyi(Real alpha) const {
  const Real best = *std::max_element(log_p_.begin(), log_p_.end());
  Real sum = 0;
  for (std::size_t k = 0; k < size(); ++k) sum += std::exp(alpha * (log_p(k) - best));
  return (alpha * best + std::log(sum)) / (1 - alpha);
}

Real Sequences::cross_entropy(const Sequences& q) const {
  Real sum = 0;
  for (std::size_t k = 0; k < size(); ++k) {
    const std::size_t other = q.number(all_[k]);
    if (other == q.size()) return HUGE_VALL;
    if (p(k) > 0) sum -= p(k) * q.log_p(other);
  }
  return sum;
}

ChainArrays random_chain(int length, int tags, double scale, double density, Random& random) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  ChainArrays scores(length, tags);
  const auto score = [&](bool always) {
    const double x = scale * normal(random);
    return uniform(random) < density || always ? x : -HUGE_VAL;
  };
  int before = -1;
  for (int t = 0; t < length; ++t) {
    const int kept = static_cast<int>(random() % static_cast<unsigned>(tags));
    for (int j = 0; j < tags; ++j) {
      scores.emission(t, j) = score(j == kept);
      for (int i = 0; t > 0 && i < tags; ++i) scores.transition(t, i, j) = score(i == before && j == kept);
    }
    before = kept;
  }
  return scores;
}

}  // namespace kirchhoff::chains
