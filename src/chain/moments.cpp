// Expectations, covariances and cumulants of additive functions of a tag sequence.
#include "base/check.hpp"
#include "chain/deviations.hpp"
#include "chain/state.hpp"
#include "kirchhoff/chain_expectation.hpp"
#include "numeric/sum.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace kirchhoff {
namespace {

constexpr int kLargestOrder = 30;

double sum_of_products(const Matrix& a, const Matrix& b) {
  numeric::Sum sum;
  for (Eigen::Index i = 0; i < a.size(); ++i) {
    if (a.data()[i] != 0.0) sum.add(a.data()[i] * b.data()[i]);
  }
  return sum.value();
}

double inner(const ChainArrays& a, const ChainArrays& b) {
  return sum_of_products(a.emissions, b.emissions) + sum_of_products(a.transitions, b.transitions);
}

void check_functions(const char* function, const char* name, const std::vector<ChainArrays>& f,
                     const ChainDistribution& p) {
  for (const ChainArrays& each : f) chain::check_function(function, name, each, p);
}

/// E[(f - E f)^k] / (scale^k k!) for k = 0 .. order.
std::vector<double> central_series(const ChainArrays& p, const chain::Deviations& f, double scale, int order) {
  const int length = p.length(), tags = p.tags(), size = order + 1;
  std::vector<double> rows(static_cast<std::size_t>(tags) * size), next(rows.size()), power(size);
  const auto powers = [&](double x) {
    power[0] = 1.0;
    for (int k = 1; k < size; ++k) power[k] = power[k - 1] * (x / scale) / k;
  };
  for (int j = 0; j < tags; ++j) {
    powers(f.local.emission(0, j));
    for (int k = 0; k < size; ++k) rows[static_cast<std::size_t>(j) * size + k] = power[k];
  }
  for (int t = 1; t < length; ++t) {
    std::fill(next.begin(), next.end(), 0.0);
    for (int i = 0; i < tags; ++i) {
      const double* const from = &rows[static_cast<std::size_t>(i) * size];
      for (int j = 0; j < tags; ++j) {
        if (!(p.transition(t, i, j) > 0.0)) continue;
        const double conditional = p.transition(t, i, j) / p.emission(t, j);
        double* const to = &next[static_cast<std::size_t>(j) * size];
        powers(f.local.transition(t, i, j));
        for (int k = 0; k < size; ++k) {
          double term = 0.0;
          for (int l = 0; l <= k; ++l) term += from[k - l] * power[l];
          to[k] += conditional * term;
        }
      }
    }
    rows.swap(next);
  }
  std::vector<double> out(size, 0.0);
  for (int j = 0; j < tags; ++j) {
    for (int k = 0; k < size; ++k) {
      out[k] += p.emission(length - 1, j) * rows[static_cast<std::size_t>(j) * size + k];
    }
  }
  return out;
}

}  // namespace

Vector expectation(const ChainDistribution& p, const std::vector<ChainArrays>& f) {
  check_functions("expectation", "f", f, p);
  Vector out(static_cast<Eigen::Index>(f.size()));
  for (std::size_t k = 0; k < f.size(); ++k) out[static_cast<Eigen::Index>(k)] = inner(p.marginals(), f[k]);
  return out;
}

Matrix covariance(const ChainDistribution& p, const std::vector<ChainArrays>& r, const std::vector<ChainArrays>& s) {
  check_functions("covariance", "r", r, p);
  check_functions("covariance", "s", s, p);
  std::vector<ChainArrays> centred;  // the mean of s at a position has no covariance, but costs digits
  centred.reserve(s.size());
  for (const ChainArrays& each : s) centred.push_back(chain::Deviations(p.marginals(), each).local);
  Matrix out(static_cast<Eigen::Index>(r.size()), static_cast<Eigen::Index>(s.size()));
  for (std::size_t a = 0; a < r.size(); ++a) {
    const ChainArrays slope = chain::along(p.marginals(), r[a]);
    for (std::size_t b = 0; b < s.size(); ++b) {
      out(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b)) = inner(slope, centred[b]);
    }
  }
  return out;
}

Matrix second_order(const ChainDistribution& p, const std::vector<ChainArrays>& r, const std::vector<ChainArrays>& s) {
  return covariance(p, r, s) + expectation(p, r) * expectation(p, s).transpose();
}

Vector cumulants(const ChainDistribution& p, const ChainArrays& f, int order) {
  if (order < 1 || order > kLargestOrder) {
    base::input_error("cumulants",
                      "order is " + std::to_string(order) + ", expected 1 to " + std::to_string(kLargestOrder));
  }
  chain::check_function("cumulants", "f", f, p);
  const chain::Deviations deviations(p.marginals(), f);
  const double variance = numeric::not_negative(covariance(p, {f}, {f})(0, 0));
  Vector out = Vector::Zero(order + 1);
  out[1] = deviations.mean;
  if (order == 1 || variance == 0.0) return out;
  // Powers of what is far from the mean, and improbable, must not overflow.
  const double scale = std::max({std::sqrt(variance), deviations.local.emissions.row(0).cwiseAbs().maxCoeff(),
                                 p.length() > 1 ? deviations.local.transitions.cwiseAbs().maxCoeff() : 0.0});
  std::vector<double> m = central_series(p.marginals(), deviations, scale, order), kappa(m.size(), 0.0);
  m[1] = 0.0;  // exactly
  // The series of the logarithm: k m_k = sum_l l kappa_l m_{k-l}, with m_0 = 1.
  for (int k = 2; k <= order; ++k) {
    double rest = k * m[k];
    for (int l = 2; l < k; ++l) rest -= l * kappa[l] * m[k - l];
    kappa[k] = rest / k;
  }
  for (int k = 2; k <= order; ++k) {
    out[k] = kappa[k];
    for (int l = 1; l <= k; ++l) out[k] *= l * scale;
  }
  out[2] = variance;
  return out;
}

}  // namespace kirchhoff
