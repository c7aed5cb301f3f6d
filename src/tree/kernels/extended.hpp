// Row updates on numbers m 2^e that have an exponent of their own, for weights beyond the range of doubles.
#pragma once

#include <cstddef>

namespace kirchhoff::tree {

constexpr double kZeroExponent = -1e200;

/// The number m 2^e with tangent t 2^e. Rows of them are planes m, e and (with tangent) t of `plane` doubles each.
struct ExtendedScalar {
  double m = 0.0;
  double e = kZeroExponent;
  double t = 0.0;
};
/// out[r] = in[r] + coefficient[r] * source, for rows r whose coefficient is not 0; in[r] == out[r] is allowed.
void extended_update(std::size_t rows, std::size_t cols, std::size_t plane, const ExtendedScalar* coefficients,
                     const double* source, const double* const* in, double* const* out, bool tangent);

}  // namespace kirchhoff::tree
