// Exponentials of shifted scores, as doubles or with a separate exponent.
//
// x - hi - lo is evaluated exactly enough that the result has about one ulp of relative error even for |x| = 1e4, where
// rounding x - hi alone would cost 1e-12: the subtraction's error (Knuth's TwoSum) goes into the reduced argument.
// exp(y) = 2^k exp(r), k = round(y / ln 2), |r| <= 0.35; ln 2 in two parts; exp(r) = 1 + r + r^2 q(r), q the Chebyshev
// interpolation of degree 9 (relative error 1.6e-17).
#include "tree/kernels/exponential.hpp"

#include "base/buffer.hpp"
#include "base/check.hpp"
#include "numeric/extended_dual.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/kernels/exponential.cpp"
#include "numeric/simd/highway.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::tree::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;
using U = hn::RebindToUnsigned<D>;

constexpr double kLog2e = 1.4426950408889634074;
constexpr double kLn2Hi = 0.69314718055994528623;     // ln 2 rounded to a double
constexpr double kLn2Lo = 2.3190468138462995584e-17;  // the rest
constexpr double kExactLimit = 4503599627370496.0;    // 2^52: beyond it a score's own ulp exceeds 1

// The number m 2^k.
struct Power {
  V m;  // exp(r), in (0.7, 1.42)
  V k;  // integer; NaN for x = -inf, and all comparisons with it false
};

// Computes y - k ln 2, where the product with ln 2's first part must not be rounded, since k may be 1e7. Without FMA
// this takes Dekker's product [Dekker71].
HWY_INLINE V minus_ln2(D d, V k, V y) {
  const V low = hn::Set(d, kLn2Lo);
#if HWY_NATIVE_FMA
  return hn::NegMulAdd(k, low, hn::NegMulAdd(k, hn::Set(d, kLn2Hi), y));
#else
  constexpr double kFirst = 0.6931471824645996, kSecond = -1.904654323148236e-09;  // kLn2Hi in halves of 26 bits
  const V big = hn::Mul(k, hn::Set(d, 134217729.0));                               // 2^27 + 1
  const V k_first = hn::Sub(big, hn::Sub(big, k)), k_second = hn::Sub(k, k_first);
  const V product = hn::Mul(k, hn::Set(d, kLn2Hi));
  const V first = hn::Set(d, kFirst), second = hn::Set(d, kSecond);
  V lost = hn::Sub(hn::Mul(k_first, first), product);
  lost = hn::Add(hn::Add(lost, hn::Mul(k_first, second)), hn::Mul(k_second, first));
  lost = hn::Add(lost, hn::Mul(k_second, second));
  return hn::Sub(hn::Sub(hn::Sub(y, product), lost), hn::Mul(k, low));
#endif
}

// Computes exp(x - hi - lo). With kLow, lo may be other than 0, as large as hi's last digit. With kHuge, x - hi - lo
// may be beyond 2^52 in size, where only the exponent means anything, and m is 1.
template <bool kLow, bool kHuge>
HWY_INLINE Power shifted_exp(D d, V x, V hi, V lo) {
  const V rounded = hn::Sub(x, hi);
  const V back = hn::Sub(x, rounded);
  V y = rounded;
  V lost = hn::Add(hn::Sub(back, hi), hn::Sub(x, hn::Add(rounded, back)));
  if (kLow) {
    const V error = hn::Sub(lost, lo);
    y = hn::Add(rounded, error);
    lost = hn::Sub(error, hn::Sub(y, rounded));  // what y rounds off in turn
  }
  const V k = hn::Round(hn::Mul(y, hn::Set(d, kLog2e)));
  V r = hn::Add(minus_ln2(d, k, y), lost);
  if (kHuge) r = hn::IfThenElseZero(hn::Lt(hn::Abs(y), hn::Set(d, kExactLimit)), r);
  constexpr double kFactor[] = {1.0,
                                1.0,
                                0.5000000000000001,
                                0.16666666666666669,
                                0.04166666666662413,
                                0.008333333333330062,
                                0.0013888888917213717,
                                0.00019841269863053618,
                                2.4801521295954376e-05,
                                2.7557268459997064e-06,
                                2.7620088445409746e-07,
                                2.510038549551032e-08};
  const V r2 = hn::Mul(r, r);
  // Even and odd halves run side by side.
  V even = hn::Set(d, kFactor[10]);
  V odd = hn::Set(d, kFactor[11]);
  for (int i = 8; i >= 0; i -= 2) {
    even = hn::MulAdd(even, r2, hn::Set(d, kFactor[i]));
    odd = hn::MulAdd(odd, r2, hn::Set(d, kFactor[i + 1]));
  }
  return {hn::MulAdd(odd, r, even), k};
}

// Returns 2^k for integers k in [-1022, 1023], and anything for others: k + 2^52 + 1023 has k + 1023 in its low
// mantissa bits.
HWY_INLINE V power_of_two(D d, V k) {
  const V biased = hn::Add(k, hn::Set(d, 4503599627370496.0 + 1023.0));
  return hn::BitCast(d, hn::ShiftLeft<52>(hn::BitCast(U(), biased)));
}

template <bool kLow>
HWY_INLINE bool exp_rows(const numeric::ConstMatrixSpan& scores, const Shift& shift, const numeric::MatrixSpan& weights,
                         const numeric::MatrixSpan& second) {
  const D d;
  const std::size_t rows = scores.rows, cols = scores.stride;
  const double* HWY_RESTRICT x = scores.data;
  const double* HWY_RESTRICT hi = shift.high;
  const double* HWY_RESTRICT lo = shift.low;
  double* HWY_RESTRICT w = weights.data;
  double* HWY_RESTRICT copy = second.data;
  const V smallest = hn::Set(d, -1022.0);
  auto lost = hn::Lt(hn::Zero(d), hn::Zero(d));
  for (std::size_t r = 0; r < rows; ++r, x += cols, w += cols, copy += cols) {
    for (std::size_t c = 0; c < cols; c += hn::Lanes(d)) {
      const V xv = hn::Load(d, x + c);
      const Power s = shifted_exp<kLow, false>(d, xv, hn::Load(d, hi + c), hn::Load(d, lo + c));
      const auto normal = hn::Ge(s.k, smallest);
      const V weight = hn::IfThenElseZero(normal, hn::Mul(s.m, power_of_two(d, s.k)));
      hn::Store(weight, d, w + c);
      hn::Store(weight, d, copy + c);
      lost = hn::Or(lost, hn::AndNot(normal, hn::Gt(xv, hn::Set(d, kNoArc))));
    }
  }
  return !hn::AllFalse(d, lost);
}

bool ExpShifted(const numeric::ConstMatrixSpan& x, const Shift& shift, const numeric::MatrixSpan& w,
                const numeric::MatrixSpan& copy) {
  return shift.has_low ? exp_rows<true>(x, shift, w, copy) : exp_rows<false>(x, shift, w, copy);
}

void ExpShiftedExtended(std::size_t cols, const double* HWY_RESTRICT x, const Shift& shift, double* HWY_RESTRICT m,
                        double* HWY_RESTRICT e) {
  const D d;
  const double* HWY_RESTRICT hi = shift.high;
  const double* HWY_RESTRICT lo = shift.low;
  for (std::size_t c = 0; c < cols; c += hn::Lanes(d)) {
    const V xv = hn::Load(d, x + c);
    const Power s = shifted_exp<true, true>(d, xv, hn::Load(d, hi + c), hn::Load(d, lo + c));
    const auto possible = hn::Gt(xv, hn::Set(d, kNoArc));
    hn::Store(hn::IfThenElseZero(possible, s.m), d, m + c);
    hn::Store(hn::IfThenElse(possible, s.k, hn::Set(d, numeric::kZeroExponent)), d, e + c);
  }
}

// Calls whole(c, x) or part(c, x, inside) for the vectors of row r, `cols` long, of a score matrix without column 0:
// `inside` are the lanes before column n that are not the diagonal. spare: the row's memory, to be written to.
template <class Whole, class Part>
HWY_INLINE void for_each_vector(const numeric::ConstMatrixSpan& scores, std::size_t cols, std::size_t r, double* spare,
                                const Whole& whole, const Part& part) {
  const D d;
  const std::size_t n = scores.rows - 1, lanes = hn::Lanes(d), filled = n / lanes * lanes;
  const V lane = hn::Iota(d, 0);
  const double* x = scores.row(r) + 1;
  const double* const end = scores.row(n) + n + 1;
  const std::size_t own = r > 0 ? (r - 1) / lanes * lanes : filled;  // the vector with the diagonal
  const auto off_diagonal = hn::Ne(lane, hn::Set(d, r > 0 ? static_cast<double>(r - 1 - own) : -1.0));
  for (std::size_t c = 0; c < own; c += lanes) whole(c, hn::LoadU(d, x + c));
  if (own < filled) part(own, hn::LoadU(d, x + own), off_diagonal);
  for (std::size_t c = own + lanes; c < filled; c += lanes) whole(c, hn::LoadU(d, x + c));
  if (filled < n) {
    const auto in_row = hn::Lt(lane, hn::Set(d, static_cast<double>(n - filled)));
    const double* tail = x + filled;
    if (tail + lanes > end) tail = std::copy(tail, x + n, spare + filled) - (n - filled);
    part(filled, hn::LoadU(d, tail), own < filled ? in_row : hn::And(in_row, off_diagonal));
  }
  const auto none = hn::Lt(lane, hn::Zero(d));
  for (std::size_t c = (n + lanes - 1) / lanes * lanes; c < cols; c += lanes) part(c, hn::Zero(d), none);
}

bool CopyScores(const numeric::ConstMatrixSpan& scores, const numeric::MatrixSpan& rows, double* HWY_RESTRICT best) {
  const D d;
  const std::size_t n = scores.rows - 1, cols = rows.stride;
  double* HWY_RESTRICT out = rows.data;
  const V largest = hn::Set(d, base::kLargestScore), no_arc = hn::Set(d, kNoArc);
  auto unusual = hn::Lt(hn::Zero(d), hn::Zero(d));
  for (std::size_t r = 0; r <= n; ++r, out += cols) {
    double* top = best + (r > 0 ? 0 : cols);
    const auto take = [&](std::size_t c, V checked, V x) HWY_ATTR {
      unusual = hn::Or(unusual, hn::Not(hn::Le(hn::Abs(checked), largest)));
      hn::Store(x, d, out + c);
      hn::Store(hn::Max(hn::Load(d, top + c), x), d, top + c);
    };
    for_each_vector(
        scores, cols, r, out, [&](std::size_t c, V x) HWY_ATTR { take(c, x, x); },
        [&](std::size_t c, V x, auto inside)
            HWY_ATTR { take(c, hn::IfThenElseZero(inside, x), hn::IfThenElse(inside, x, no_arc)); });
  }
  return hn::AllFalse(d, unusual);
}

bool ModerateMaxima(const numeric::ConstMatrixSpan& scores, double* HWY_RESTRICT root, double* HWY_RESTRICT best) {
  const D d;
  const std::size_t n = scores.rows - 1, cols = base::padded(n);
  const V largest = hn::Set(d, kModerateScore), no_arc = hn::Set(d, kNoArc);
  for (std::size_t r = 0; r <= n; ++r) {
    auto unusual = hn::Lt(hn::Zero(d), hn::Zero(d));
    const auto take = [&](double* out, std::size_t c, V checked, V x) HWY_ATTR {
      unusual = hn::Or(unusual, hn::Not(hn::Le(hn::Abs(checked), largest)));
      hn::Store(r > 1 ? hn::Max(hn::Load(d, out + c), x) : x, d, out + c);  // rows 0 and 1 are the first of theirs
    };
    double* const out = r > 0 ? best : root;
    for_each_vector(
        scores, cols, r, best + cols, [&](std::size_t c, V x) HWY_ATTR { take(out, c, x, x); },
        [&](std::size_t c, V x, auto inside)
            HWY_ATTR { take(out, c, hn::IfThenElseZero(inside, x), hn::IfThenElse(inside, x, no_arc)); });
    if (!hn::AllFalse(d, unusual)) return false;
  }
  std::copy(root, root + cols, best + cols);
  return true;
}

// Row r of weigh_moderate.
template <bool kLow>
HWY_INLINE void weigh_row(const numeric::ConstMatrixSpan& scores, std::size_t cols, std::size_t r,
                          const double* HWY_RESTRICT hi, const double* HWY_RESTRICT lo, double* HWY_RESTRICT out,
                          double* HWY_RESTRICT w, double* HWY_RESTRICT copy) {
  const D d;
  const V no_arc = hn::Set(d, kNoArc);
  const auto weight = [&](std::size_t c, V x) HWY_ATTR {
    const Power s = shifted_exp<kLow, false>(d, x, hn::Load(d, hi + c), hn::Load(d, lo + c));
    return hn::Mul(s.m, power_of_two(d, s.k));
  };
  const auto store = [&](std::size_t c, V x, V wv) HWY_ATTR {
    hn::Store(x, d, out + c);
    hn::Store(wv, d, w + c);
    hn::Store(wv, d, copy + c);
  };
  for_each_vector(
      scores, cols, r, out, [&](std::size_t c, V x) HWY_ATTR { store(c, x, weight(c, x)); },
      [&](std::size_t c, V x, auto inside) HWY_ATTR {
        const V wv = weight(c, hn::IfThenElseZero(inside, x));
        store(c, hn::IfThenElse(inside, x, no_arc), hn::IfThenElseZero(inside, wv));
      });
}

void WeighModerate(const numeric::ConstMatrixSpan& scores, const double* shifts, const MovedScores& out) {
  const std::size_t n = scores.rows - 1, cols = out.w.stride;
  weigh_row<true>(scores, cols, 0, shifts + 2 * cols, shifts + 3 * cols, out.scores.row(0), out.w.row(0),
                  out.copy.row(n));
  for (std::size_t r = 1; r <= n; ++r) {
    weigh_row<false>(scores, cols, r, shifts, shifts + cols, out.scores.row(r), out.w.row(r), out.copy.row(r - 1));
  }
}

}  // namespace kirchhoff::tree::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff::tree {
HWY_EXPORT(ExpShifted);
HWY_EXPORT(ExpShiftedExtended);
HWY_EXPORT(CopyScores);
HWY_EXPORT(ModerateMaxima);
HWY_EXPORT(WeighModerate);

bool copy_scores(const numeric::ConstMatrixSpan& scores, const numeric::MatrixSpan& out, double* best) {
  static const auto kernel = KIRCHHOFF_KERNEL(CopyScores);
  return kernel(scores, out, best);
}

bool moderate_maxima(const numeric::ConstMatrixSpan& scores, double* root, double* best) {
  static const auto kernel = KIRCHHOFF_KERNEL(ModerateMaxima);
  return kernel(scores, root, best);
}

void weigh_moderate(const numeric::ConstMatrixSpan& scores, const double* shifts, const MovedScores& out) {
  static const auto kernel = KIRCHHOFF_KERNEL(WeighModerate);
  kernel(scores, shifts, out);
}

bool exp_shifted(const numeric::ConstMatrixSpan& x, const Shift& shift, const numeric::MatrixSpan& w,
                 const numeric::MatrixSpan& copy) {
  static const auto kernel = KIRCHHOFF_KERNEL(ExpShifted);
  return kernel(x, shift, w, copy);
}

void exp_shifted_extended(std::size_t cols, const double* x, const Shift& shift, double* m, double* e) {
  static const auto kernel = KIRCHHOFF_KERNEL(ExpShiftedExtended);
  kernel(cols, x, shift, m, e);
}
}  // namespace kirchhoff::tree
#endif
