// Moments of any order of an additive function: Taylor arithmetic through the solve, order by order.
//
// With f' centred (wfsm_state.hpp), M_m(v) = E[(f' from node v on)^m] obeys
//   M_m(i) = sum_t p_t sum_{l=0..m} C(m, l) f'_t^l M_{m-l}(j),
// where l = 0 is P M_m and the rest is known: one backward solve for each order. M_m(source) is the m-th central
// moment.
#include "base/check.hpp"
#include "kirchhoff/wfsm_expectation.hpp"
#include "wfsm/wfsm_state.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff {
namespace {

constexpr int kMaxMomentOrder = 30;

/// Pascal's triangle, whose numbers are exact in doubles.
std::vector<std::vector<double>> binomials(int order) {
  std::vector<std::vector<double>> c(order + 1);
  for (int n = 0; n <= order; ++n) {
    c[n].assign(n + 1, 1.0);
    for (int k = 1; k < n; ++k) c[n][k] = c[n - 1][k - 1] + c[n - 1][k];
  }
  return c;
}

/// The central moments of f / scale.
Vector scaled_central(const wfsm::MarkovChain& chain, const std::vector<double>& f, int order) {
  const wfsm::TrimGraph& g = chain.graph();
  const auto choose = binomials(order);
  std::vector<std::vector<double>> m(order + 1, std::vector<double>(g.nodes(), 0.0));
  std::fill(m[0].begin(), m[0].end(), 1.0);
  for (int n = 2; n <= order; ++n) {
    for (std::size_t a = 0; a < g.arcs.size(); ++a) {
      double sum = 0.0;  // Horner in f, over l = n .. 1
      for (int l = n; l >= 1; --l) sum = f[a] * (sum + choose[n][l] * m[n - l][g.arcs[a].to]);
      m[n][g.from[a]] += chain.p()[a] * sum;
    }
    chain.backward(m[n].data());
  }
  Vector central(order + 1);
  for (int n = 0; n <= order; ++n) central(n) = m[n][g.source()];
  return central;
}

}  // namespace

Moments moments(const Wfsm& machine, const WfsmWeights& f, int order) {
  if (order < 1 || order > kMaxMomentOrder) {
    base::input_error("moments", "order " + std::to_string(order) + " is not in 1.." + std::to_string(kMaxMomentOrder));
  }
  const wfsm::MarkovChain& chain = wfsm::chain_of(machine);
  wfsm::CentredFunction centred = wfsm::centre(chain, wfsm::flatten("moments", machine, f));
  double scale = 0.0;
  for (const double x : centred.f) scale = std::max(scale, std::abs(x));
  if (scale == 0.0) scale = 1.0;
  for (double& x : centred.f) x /= scale;
  const auto choose = binomials(order);
  Moments result{Vector::Zero(order + 1), scaled_central(chain, centred.f, order), Vector::Zero(order + 1)};
  Vector& mu = result.central;
  Vector& kappa = result.cumulants;
  const double mean = centred.mean / scale;
  for (int n = 2; n <= order; ++n) {
    kappa(n) = mu(n);
    for (int k = 2; k <= n - 2; ++k) kappa(n) -= choose[n - 1][k - 1] * kappa(k) * mu(n - k);
  }
  kappa(1) = mean;
  for (int n = 0; n <= order; ++n) {
    for (int k = 0; k <= n; ++k) result.raw(n) += choose[n][k] * std::pow(mean, n - k) * mu(k);
  }
  for (int n = 0; n <= order; ++n) {
    for (Vector* v : {&result.raw, &mu, &kappa}) {
      (*v)(n) *= std::pow(scale, n);
      if (!std::isfinite((*v)(n))) {
        base::input_error("moments", "order " + std::to_string(n) + " is beyond the range of doubles");
      }
    }
  }
  return result;
}

}  // namespace kirchhoff
