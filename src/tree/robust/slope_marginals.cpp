// Multiplies weights and slopes, in doubles where both are, else in numbers m 2^e whose product is a double again.
#include "tree/robust/slope_marginals.hpp"

#include "base/buffer.hpp"
#include "numeric/simd/products.hpp"
#include "tree/kernels/certified_marginals.hpp"
#include "tree/kernels/exponential.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::tree {
namespace {

// m 2^e for any e, rounded to 0 or infinity where a double must be.
double to_double(double m, double e) {
  if (e < -2000.0) return 0.0;
  return std::ldexp(m, static_cast<int>(std::min(e, 3000.0)));
}

// Calls visit(row, column, m, e) for every arc, whose weight is m 2^e.
template <class Visit>
void for_each_extended_weight(const Weights& weights, Visit visit) {
  thread_local base::Buffer storage;
  double* m = storage.take(2 * weights.ld);
  double* e = m + weights.ld;
  for (int r = 0; r <= weights.n; ++r) {
    exp_shifted_extended(weights.ld, weights.scores.data() + r * weights.ld, weights.shift(r), m, e);
    for (int c = 0; c < weights.n; ++c) visit(r, c, m[c], e[c]);
  }
}

}  // namespace

ExtendedSlope slope_at(const Slopes& slopes, int row, int column) {
  const double* base = row == 0 ? slopes.root.data() : slopes.rows.data() + column * slopes.stride();
  const int index = row == 0 ? column : row - 1;
  const double t = slopes.tangents > 0 ? base[slopes.stride() - slopes.plane + index] : 0.0;
  return {base[index], slopes.extended ? base[slopes.plane + index] : 0.0, t};
}

void marginals_from_slopes(const Weights& weights, const Slopes& slopes, double* p) {
  const std::size_t ld = weights.ld, n = weights.n;
  if (slopes.extended || weights.underflowed) {
    for_each_extended_weight(weights, [&](int r, int c, double m, double e) {
      const ExtendedSlope g = slope_at(slopes, r, c);
      p[r * ld + c] = m == 0.0 ? 0.0 : std::min(to_double(m * g.m, e + g.e), 1.0);
    });
    return;
  }
  thread_local base::Buffer storage;
  const double* w = weights.w.data();
  for (std::size_t c = 0; c < n; ++c) p[c] = std::min(w[c] * slopes.root.data()[c], 1.0);
  slope_marginals({w + ld, n, n, ld}, slopes.rows.data(), storage.take(numeric::kRowBlock * ld), p + ld);
}

void derivatives_from_slopes(const Weights& weights, const Slopes& slopes, const double* p, const double* direction,
                             double* out) {
  const std::size_t ld = weights.ld;
  const double* w = weights.w.data();
  if (slopes.extended || weights.underflowed) {
    for_each_extended_weight(weights, [&](int r, int c, double m, double e) {
      const ExtendedSlope g = slope_at(slopes, r, c);
      out[r * ld + c] = m == 0.0 ? 0.0 : p[r * ld + c] * direction[r * ld + c] + to_double(m * g.t, e + g.e);
    });
    return;
  }
  for (int r = 0; r <= weights.n; ++r) {
    for (int c = 0; c < weights.n; ++c) {
      const std::size_t i = r * ld + c;
      out[i] = w[i] == 0.0 ? 0.0 : p[i] * direction[i] + w[i] * slope_at(slopes, r, c).t;
    }
  }
}

void second_derivatives_from_slopes(const Weights& weights, const Slopes& slopes, const Directions& along,
                                    double* out) {
  const std::size_t plane = slopes.plane;
  for_each_extended_weight(weights, [&](int row, int c, double m, double e) {
    const double* g = row == 0 ? slopes.root.data() + c : slopes.rows.data() + c * slopes.stride() + row - 1;
    const std::size_t i = row * weights.ld + c;
    const double r = along.r[i], s = along.s[i];
    const double mixed = r * s * g[0] + r * g[3 * plane] + s * g[2 * plane] + g[4 * plane];
    out[i] = m == 0.0 ? 0.0 : to_double(m * mixed, e + g[plane]);
  });
}

}  // namespace kirchhoff::tree
