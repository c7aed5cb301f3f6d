// The SIMD kernels, dispatched at run time to the best instruction set (Highway). Plain pointers: rows are 64-byte
// aligned, and every `cols` is a multiple of kPad; padding is computed on, so it must hold harmless numbers.
#pragma once

#include "core/buffer.hpp"

#include <cstddef>

namespace kirchhoff::core {

// --- linear.cpp: dense products ---------------------------------------------------------------------------------

/// Left factors are packed in blocks of kRowBlock rows: element (r, k) at packed_index(r, k, stride), where stride >=
/// kRowBlock * depth separates the blocks. The inner loop then walks one pointer through contiguous memory.
constexpr std::size_t kRowBlock = 8;
constexpr std::size_t packed_index(std::size_t r, std::size_t k, std::size_t stride) {
  return r / kRowBlock * stride + k * kRowBlock + r % kRowBlock;
}

/// out[r][c] = in[r][c] + sum_k a(r, k) b[k*ldb + c] for c in [first, last): rank-`depth` update of scattered rows.
/// `in` may be null (zeros) or equal to `out`.
void multiply_rows(std::size_t rows, std::size_t first, std::size_t last, std::size_t depth, const double* a,
                   std::size_t a_stride, const double* b, std::size_t ldb, const double* const* in, double* const* out);

/// out = a b for n x n matrices of row stride ld = padded(n), a given by its transpose at.
void multiply_square(std::size_t n, std::size_t ld, const double* at, const double* b, double* out);

/// dst[c*ld_dst + r] = src[r*ld_src + c]; rows and cols are rounded up to multiples of 4 and must be backed by memory.
void transpose(std::size_t rows, std::size_t cols, const double* src, std::size_t ld_src, double* dst,
               std::size_t ld_dst);

// --- exponential.cpp: scores to weights --------------------------------------------------------------------------

constexpr double kLargestScore = 1e100;
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

// --- gauss_jordan.cpp: the fast inverse --------------------------------------------------------------------------

/// Eliminates words 0 .. count-1 of x in place: n+1 rows (backed by padded(n+1)+8) of stride ld = padded(n), the words'
/// and then the root's; x = -(off-diagonal of L). pivots: ld GTH pivots. sum_root: the root row counts in pivots
/// (multi-root). work: gauss_jordan_work(n) doubles. Returns false at a pivot below `smallest`.
bool gauss_jordan(std::size_t n, double* x, std::size_t ld, std::size_t count, bool sum_root, double smallest,
                  double* pivots, double* work);
constexpr std::size_t gauss_jordan_work(std::size_t n) { return 8 * padded(n) + 72 * (n + 1); }

// --- combine.cpp: from slopes to marginals -----------------------------------------------------------------------

/// What the fast method's marginals are made of: p_ij = w_ij (base_j - d_ji + u_i g_j), with error at most
/// w_ij * scale * (a_j + u_i g_j). Row `bare` has no d.
struct MarginalTerms {
  const double* w;
  const double* d;
  const double* base;
  const double* a;
  const double* g;
  const double* u;
  std::size_t bare;
};
/// p (n x n, rows `stride` apart and aligned or not), clamped to [0, 1]; returns true when every error is <= tolerance
/// * max(p, floor). rows: room for kRowBlock * cols doubles.
bool certified_marginals(std::size_t n, std::size_t cols, const MarginalTerms& terms, double scale, double tolerance,
                         double floor, double* rows, double* p, std::size_t stride);

struct Range {
  double smallest;
  double largest;
};
/// g[c] = root[c] / ((root_counts ? root[c] : 0) + word[c]) * scale; returns the range of root[0 .. n).
Range absorption_slopes(std::size_t n, std::size_t cols, const double* root, const double* word, bool root_counts,
                        double scale, double* g);

// --- derivative.cpp: around the products of a fast directional derivative ----------------------------------------

/// Clears r where p is 0 and subtracts from each column of the rest its mean under p.
void centre_columns(std::size_t rows, std::size_t cols, const double* p, double* r);
/// out = L(w r), n x cols, from (n+1)-row w and r (row 0 the root); single: the last row replaced by the root row.
void weighted_laplacian(std::size_t n, std::size_t cols, const double* w, const double* r, bool single, double* out);
/// out_ij = p_ij r_ij - w_ij (base_j - qt_ij); row `bare` has no qt.
struct DerivativeTerms {
  const double* w;
  const double* p;
  const double* r;
  const double* qt;
  const double* base;
  std::size_t bare;
};
void derivative_rows(std::size_t rows, std::size_t cols, const DerivativeTerms& terms, double* out);
/// out = in - g u^T.
void subtract_outer_product(std::size_t rows, std::size_t cols, const double* in, const double* g, const double* u,
                            double* out);

// --- coefficients.cpp: packed coefficients of a block of words (leave_one_out.cpp) -------------------------------

/// Sum over the rows of one column, c(0, k) = c[0]; row 0 is the root's.
double column_sum(std::size_t blocks, const double* c, std::size_t stride, bool root_counts);
/// Column *= inverse; the `later` columns after it += column * factors[.].
void pivot_step(std::size_t blocks, double* c, std::size_t stride, double inverse, std::size_t later,
                const double* factors);
/// For k = size - 1 .. 1, e < k: column e += column k * inner[k * inner_stride + e].
void fold_block(std::size_t blocks, double* c, std::size_t stride, std::size_t size, const double* inner,
                std::size_t inner_stride);

// --- extended.cpp: numbers m 2^e with an exponent of its own -----------------------------------------------------

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

// --- runs.cpp: rows of a Hessian (wfsm/hessian.cpp) --------------------------------------------------------------

/// Positions begin .. begin+count of a row belong to one `row` and to columns from `column` on.
struct Run {
  int row;
  int column;
  std::size_t begin;
  std::size_t count;
};
/// out[i] = w[i] (a x[row] + b y[row] z[column]) for all positions of the runs; nothing needs to be aligned.
void weighted_runs(std::size_t count, const Run* runs, double a, const double* x, double b, const double* y,
                   const double* z, const double* w, double* out);

}  // namespace kirchhoff::core
