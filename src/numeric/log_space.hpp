// Functions of logarithms that neither overflow nor lose digits, also at infinity.
#pragma once

#include <cmath>
#include <span>

namespace kirchhoff::numeric {

/// e^-37 is below half a unit in the last place of 1.
inline constexpr double kNegligible = 37.0;

inline bool is_infinite(double x) { return x == HUGE_VAL || x == -HUGE_VAL; }
/// What an input adds to the scalar product q.y; inputs that are fixed add nothing.
inline double finite_part(double q) { return is_infinite(q) ? 0.0 : q; }

/// log(1 + e^x)
inline double softplus(double x) { return x > 0.0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }
/// The log-probability of a binary variable of these log-odds being 1, or 0.
inline double log_probability(double log_odds, bool on) { return -softplus(on ? -log_odds : log_odds); }
/// log(log(1 + e^x))
inline double log_softplus(double x) { return x < -kNegligible ? x : std::log(softplus(x)); }
/// 1 / (1 + e^-x)
inline double sigmoid(double x) {
  const double e = std::exp(-std::abs(x));
  return x >= 0.0 ? 1.0 / (1.0 + e) : e / (1.0 + e);
}
/// log(e^a + e^b)
inline double log_add(double a, double b) {
  const double high = a > b ? a : b;
  if (is_infinite(high)) return high;
  return high + std::log1p(std::exp((a > b ? b : a) - high));
}
/// log(e^a - 1) for a = e^x
inline double log_expm1_of_exp(double x) {
  if (x < -kNegligible) return x;
  const double a = std::exp(x);
  return a > kNegligible ? a : std::log(std::expm1(a));
}
/// log(1 - e^-a) for a = e^x
inline double log_1mexp_of_exp(double x) {
  if (x < -kNegligible) return x;
  const double a = std::exp(x);
  return a < 0.69 ? std::log(-std::expm1(-a)) : std::log1p(-std::exp(-a));
}

/// Computes out[i] = log(e^extra + sum over j != i of e^x[j]) for all i, with small relative error of the sum; returns
/// the log of the whole sum. x and out may be the same. One exp and one log per entry.
double log_sums_without(std::span<const double> x, double extra, std::span<double> out);

/// Computes out[i] = max(extra, the largest x[j] with j != i); returns max(extra, largest x). x and out may be the
/// same.
double maxima_without(std::span<const double> x, double extra, std::span<double> out);

/// The number of entries that are +inf.
int count_required(std::span<const double> q);

}  // namespace kirchhoff::numeric
