// Row updates on numbers m 2^e that have an exponent of their own, for weights beyond the range of doubles.
#pragma once

#include "numeric/extended_dual.hpp"

#include <cstddef>
#include <span>

namespace kirchhoff::tree {

/// A row of numeric::ExtendedDual: a plane of mantissas, one of exponents and, with tangents, one of those, each of
/// `plane` doubles.
struct ExtendedRow {
  const double* data;
  std::size_t plane;
  bool tangent;
};
/// Computes out[r] = in[r] + coefficients[r] * source for all rows r, where in[r] and out[r] may be the same.
void extended_update(std::span<const numeric::ExtendedDual> coefficients, const ExtendedRow& source,
                     const double* const* in, double* const* out);

}  // namespace kirchhoff::tree
