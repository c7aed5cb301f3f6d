// Kernels that read scores and turn them into weights by the exponential function.
#pragma once

#include "base/check.hpp"

#include <cstddef>

namespace kirchhoff::tree {

constexpr double kNoArc = -1e101;  // marks the diagonal and padding

/// Copies an (n+1) x (n+1) score matrix of row stride `stride`, without column 0, to rows of `cols` = padded(n)
/// doubles, diagonal and padding kNoArc; takes words' rows into the column maxima best[0 .. cols), the root's into the
/// next cols. True when all scores are finite and at most kLargestScore in size.
bool load_rows(std::size_t n, std::size_t cols, const double* scores, std::size_t stride, double* out, double* best);

/// The usual case in fewer passes: scores up to this size give no weight below the normal doubles. False, at once, when
/// a row has another; else the column maxima as above, and the root's row as load_rows copies it.
constexpr double kModerateScore = 150.0;
bool moderate_maxima(std::size_t n, std::size_t cols, const double* scores, std::size_t stride, double* root,
                     double* best);
/// load_rows and exp_shifted in one: `shifts` are hi and lo of words' rows and hi and lo of the root's; copy has the
/// root's row last.
void load_moderate(std::size_t n, std::size_t cols, const double* scores, std::size_t stride, const double* shifts,
                   double* out, double* w, double* copy);

/// w = copy = exp(x - hi - lo) for rows of `cols` doubles, relative error about 1 ulp, also when x - hi is not exact.
/// has_low: lo is not all 0. Returns true when some finite x gave a weight below the normal doubles (stored as 0).
bool exp_shifted(std::size_t rows, std::size_t cols, const double* x, const double* hi, const double* lo, bool has_low,
                 double* w, double* copy);

/// The same as mantissa and binary exponent: w = m 2^e, 1/2 < m < 2; -inf gives m = 0, e = kZeroExponent.
void exp_shifted_extended(std::size_t cols, const double* x, const double* hi, const double* lo, double* m, double* e);

}  // namespace kirchhoff::tree
