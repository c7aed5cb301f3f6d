// Kernels that read scores and turn them into weights by the exponential function.
//
// Score matrices come as the caller has them, (n+1) x (n+1) with any stride. What is made of them has n+1 rows without
// column 0, padded to base::padded(n) doubles.
#pragma once

#include "numeric/matrix_span.hpp"

#include <cstddef>

namespace kirchhoff::tree {

constexpr double kNoArc = -1e101;  // stands on the diagonal and in the padding

/// What is subtracted from the scores of a row, column by column, before the exponential: high + low.
struct Shift {
  const double* high;
  const double* low;
  bool has_low = true;  ///< False says that low is 0 everywhere.
};

/// Copies scores, with kNoArc on the diagonal and in the padding, and takes the words' rows into the column maxima
/// best[0 .. stride) and the root's into the next `stride`.
enum class CopiedScores {
  finite,           ///< All are finite and at most base::kLargestScore in size.
  some_impossible,  ///< So are all but some that are -inf.
  not_scores,       ///< There are others.
};
CopiedScores copy_scores(const numeric::ConstMatrixSpan& scores, const numeric::MatrixSpan& out, double* best);

/// Scores up to this size give no weight below the normal doubles, which is the usual case and needs fewer passes.
constexpr double kModerateScore = 150.0;
/// Returns false at once when a row has a larger score; else finds column maxima as copy_scores does, and copies the
/// root's row.
bool moderate_maxima(const numeric::ConstMatrixSpan& scores, double* root, double* best);
/// Does the work of copy_scores and exp_shifted in one pass. Differences of words' scores are rounded first, which
/// costs 2^-53 of a difference: 3e-14 of the smallest weights. `shifts` has four rows: high and low of the words' rows,
/// then of the root's. `copy` has the root's row last.
struct MovedScores {
  numeric::MatrixSpan scores;
  numeric::MatrixSpan w;
  numeric::MatrixSpan copy;
};
void weigh_moderate(const numeric::ConstMatrixSpan& scores, const double* shifts, const MovedScores& out);

/// Computes w = copy = exp(x - high - low), where low is not 0 with a relative error of about 1 ulp, else of 6e-16 +
/// |x - high| 2e-16, also when x - high is not exact.
/// Returns true when some finite x gave a weight below the normal doubles, which is stored as 0.
bool exp_shifted(const numeric::ConstMatrixSpan& x, const Shift& shift, const numeric::MatrixSpan& w,
                 const numeric::MatrixSpan& copy);

/// The same for one row of `cols` numbers, as mantissa and binary exponent: the weight is m 2^e with 1/2 < m < 2;
/// kNoArc gives m = 0, e = numeric::kZeroExponent.
void exp_shifted_extended(std::size_t cols, const double* x, const Shift& shift, double* m, double* e);

}  // namespace kirchhoff::tree
