// Inside and outside in numbers of extended range: right for any scores, several times slower than vectors of doubles.
#include "projective/state.hpp"

#include <cmath>

namespace kirchhoff::projective {
namespace {

using numeric::ExtendedDual;
using numeric::ExtendedJet;

// True or false, with the operations of a number.
struct Possible {
  bool yes = false;
  Possible& operator+=(const Possible& other) {
    yes |= other.yes;
    return *this;
  }
  friend Possible operator*(const Possible& a, const Possible& b) { return {a.yes && b.yes}; }
};

ExtendedDual dual_of(const ExtendedJet& x) { return {x.m, x.e, x.r}; }

// A weight as a number of extended range, with tangents x * r, x * s and x * r * s.
ExtendedJet extended_weight(const LogWeights& weights, int head, int dependent, double r, double s) {
  const auto [m, e, t] = numeric::exp_extended(weights.high(head, dependent), weights.low(head, dependent));
  return {m, e, m * r, m * s, m * r * s};
}

}  // namespace

double log_of(double m, double e) {
  if (m == 0.0) return -HUGE_VAL;
  return std::fma(e, numeric::kLn2[0], e * numeric::kLn2[1] + std::log(m));
}

RobustCharts robust_charts(const LogWeights& weights, Root root) {
  return {weights.words(), root, ExtendedDual{1.0, 0.0, 0.0},
          [&](int h, int d) { return dual_of(extended_weight(weights, h, d, 0.0, 0.0)); }};
}

numeric::Sum robust_log_marginals(const LogWeights& weights, Root root, Matrix& log_marginals) {
  RobustCharts charts = robust_charts(weights, root);
  log_marginals = Matrix::Constant(weights.words() + 1, weights.words() + 1, -HUGE_VAL);
  const ExtendedDual z = charts.total();
  if (z.m == 0.0) return {-HUGE_VAL, 0.0};
  charts.for_each_arc([&](int h, int d, const ExtendedDual& x) {
    if (x.m > 0.0) log_marginals(h, d) = std::min(log_of(x.m / z.m, x.e - z.e), 0.0);
  });
  numeric::LogProduct product;
  product.multiply(z.m, z.e);
  numeric::Sum log_z;
  product.add_to(log_z);
  return log_z;
}

void robust_derivatives(const LogWeights& weights, Root root, const Matrix& r, const Matrix* s, Matrix& derivatives) {
  const int n = weights.words();
  Charts<ExtendedJet> charts(n, root, ExtendedJet{1.0, 0.0, 0.0, 0.0, 0.0}, [&](int h, int d) {
    return extended_weight(weights, h, d, r(h, d), s ? (*s)(h, d) : 0.0);
  });
  const ExtendedJet z = charts.total();
  derivatives.setZero(n + 1, n + 1);
  charts.for_each_arc([&](int h, int d, const ExtendedJet& x) {
    if (x.m == 0.0) return;
    const ExtendedJet p = x / z;
    derivatives(h, d) = numeric::power(s ? p.rs : p.r, static_cast<std::int64_t>(p.e));
  });
}

std::vector<bool> usable_arcs(const Matrix& scores, Root root) {
  const auto size = static_cast<std::size_t>(scores.rows());
  Charts<Possible> charts(static_cast<int>(size) - 1, root, Possible{true},
                          [&](int h, int d) { return Possible{scores(h, d) != -HUGE_VAL}; });
  std::vector<bool> usable(size * size);
  if (charts.total().yes) charts.for_each_arc([&](int h, int d, Possible x) { usable[h * size + d] = x.yes; });
  return usable;
}

}  // namespace kirchhoff::projective
