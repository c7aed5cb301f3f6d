// Exponentials of shifted scores, as doubles or with a separate exponent.
#include "tree/kernels/exponential.hpp"

#include "base/buffer.hpp"
#include "base/check.hpp"
#include "numeric/extended_dual.hpp"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/kernels/exponential.cpp"
#include "numeric/simd/highway.hpp"
#include "numeric/simd/part-inl.hpp"
#include "tree/kernels/exponential-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::tree::HWY_NAMESPACE {
using numeric::HWY_NAMESPACE::load_part;

// exp(x - high - low), or 0 where that is no normal number. Without kLow, low is 0, and what rounding takes off the
// difference goes into the result.
template <bool kLow>
HWY_INLINE V weight_of(D d, V x, V high, V low) {
  if constexpr (kLow) {
    const Power s = shifted_exp<true, false>(d, x, high, low);
    return hn::IfThenElseZero(hn::Ge(s.k, hn::Set(d, -1022.0)), hn::Mul(s.m, power_of_two(d, s.k)));
  } else {
    const V y = hn::Sub(x, high), back = hn::Sub(x, y);
    const V lost = hn::Add(hn::Sub(back, high), hn::Sub(x, hn::Add(y, back)));
    const V weight = exp_below(d, y);
    return hn::IfThenElseZero(hn::Gt(weight, hn::Zero(d)), hn::MulAdd(weight, lost, weight));  // -inf has no difference
  }
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
  auto lost = hn::Lt(hn::Zero(d), hn::Zero(d));
  for (std::size_t r = 0; r < rows; ++r, x += cols, w += cols, copy += cols) {
    for (std::size_t c = 0; c < cols; c += hn::Lanes(d)) {
      const V xv = hn::Load(d, x + c), weight = weight_of<kLow>(d, xv, hn::Load(d, hi + c), hn::Load(d, lo + c));
      hn::Store(weight, d, w + c);
      hn::Store(weight, d, copy + c);
      lost = hn::Or(lost, hn::And(hn::Eq(weight, hn::Zero(d)), hn::Gt(xv, hn::Set(d, kNoArc))));
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

CopiedScores CopyScores(const numeric::ConstMatrixSpan& scores, const numeric::MatrixSpan& rows,
                        double* HWY_RESTRICT best) {
  const D d;
  const std::size_t n = scores.rows - 1, cols = rows.stride;
  double* HWY_RESTRICT out = rows.data;
  const V largest = hn::Set(d, base::kLargestScore), no_arc = hn::Set(d, kNoArc), none = hn::Set(d, -HUGE_VAL);
  auto unusual = hn::Lt(hn::Zero(d), hn::Zero(d)), wrong = unusual;
  for (std::size_t r = 0; r <= n; ++r, out += cols) {
    double* top = best + (r > 0 ? 0 : cols);
    const auto take = [&](std::size_t c, V checked, V x) HWY_ATTR {
      const auto other = hn::Not(hn::Le(hn::Abs(checked), largest));
      unusual = hn::Or(unusual, other);
      wrong = hn::Or(wrong, hn::AndNot(hn::Eq(checked, none), other));
      hn::Store(x, d, out + c);
      hn::Store(hn::Max(hn::Load(d, top + c), x), d, top + c);
    };
    for_each_vector(
        scores, cols, r, out, [&](std::size_t c, V x) HWY_ATTR { take(c, x, x); },
        [&](std::size_t c, V x, auto inside)
            HWY_ATTR { take(c, hn::IfThenElseZero(inside, x), hn::IfThenElse(inside, x, no_arc)); });
  }
  if (hn::AllFalse(d, unusual)) return CopiedScores::finite;
  return hn::AllFalse(d, wrong) ? CopiedScores::some_impossible : CopiedScores::not_scores;
}

// Takes R rows of words, from row r on, into the column maxima. Returns false when one has a larger score.
template <std::size_t R>
HWY_INLINE bool take_moderate(const numeric::ConstMatrixSpan& scores, std::size_t r, double* HWY_RESTRICT best) {
  const D d;
  const std::size_t n = scores.rows - 1, lanes = hn::Lanes(d);
  const V largest = hn::Set(d, kModerateScore), no_arc = hn::Set(d, kNoArc), lane = hn::Iota(d, 0);
  const double* const x = scores.row(r) + 1;
  auto unusual = hn::Lt(hn::Zero(d), hn::Zero(d));
  const auto see = [&](V score) HWY_ATTR { unusual = hn::Or(unusual, hn::Not(hn::Le(hn::Abs(score), largest))); };
  const auto whole = [&](std::size_t c) HWY_ATTR {
    V most = hn::Load(d, best + c);
    for (std::size_t i = 0; i < R; ++i) {
      const V score = hn::LoadU(d, x + i * scores.stride + c);
      __builtin_prefetch(x + (R + i) * scores.stride + c);
      see(score);
      most = hn::Max(most, score);
    }
    hn::Store(most, d, best + c);
  };
  const auto part = [&](std::size_t c) HWY_ATTR {  // at the end of a row, or with a diagonal
    V most = hn::Load(d, best + c);
    const auto in_row = hn::FirstN(d, std::min(lanes, n - c));
    for (std::size_t i = 0; i < R; ++i) {
      const double own = static_cast<double>(r - 1 + i) - static_cast<double>(c);
      const auto inside = hn::And(in_row, hn::Ne(lane, hn::Set(d, own)));
      const V score = load_part(d, inside, x + i * scores.stride + c);
      see(score);
      most = hn::Max(most, hn::IfThenElse(inside, score, no_arc));
    }
    hn::Store(most, d, best + c);
  };
  const std::size_t filled = n / lanes * lanes, begin = (r - 1) / lanes * lanes;
  const std::size_t end = std::min((r - 1 + R + lanes - 1) / lanes * lanes, filled);
  for (std::size_t c = 0; c < std::min(begin, filled); c += lanes) whole(c);
  for (std::size_t c = begin; c < end; c += lanes) part(c);
  for (std::size_t c = end; c < filled; c += lanes) whole(c);
  if (filled < n) part(filled);
  return hn::AllFalse(d, unusual);
}

bool ModerateMaxima(const numeric::ConstMatrixSpan& scores, double* HWY_RESTRICT root, double* HWY_RESTRICT best) {
  const D d;
  constexpr std::size_t kTogether = 4;
  const std::size_t n = scores.rows - 1, cols = base::padded(n);
  const V largest = hn::Set(d, kModerateScore), no_arc = hn::Set(d, kNoArc);
  auto unusual = hn::Lt(hn::Zero(d), hn::Zero(d));
  const auto take = [&](std::size_t c, V checked, V x) HWY_ATTR {
    unusual = hn::Or(unusual, hn::Not(hn::Le(hn::Abs(checked), largest)));
    hn::Store(x, d, root + c);
    hn::Store(no_arc, d, best + c);
  };
  for_each_vector(
      scores, cols, 0, best + cols, [&](std::size_t c, V x) HWY_ATTR { take(c, x, x); },
      [&](std::size_t c, V x, auto inside)
          HWY_ATTR { take(c, hn::IfThenElseZero(inside, x), hn::IfThenElse(inside, x, no_arc)); });
  if (!hn::AllFalse(d, unusual)) return false;
  std::size_t r = 1;
  for (; r + kTogether <= n + 1; r += kTogether) {
    if (!take_moderate<kTogether>(scores, r, best)) return false;
  }
  for (; r <= n; ++r) {
    if (!take_moderate<1>(scores, r, best)) return false;
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
    if constexpr (kLow) return weight_of<true>(d, x, hn::Load(d, hi + c), hn::Load(d, lo + c));
    return exp_below(d, hn::Sub(x, hn::Load(d, hi + c)));
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

CopiedScores copy_scores(const numeric::ConstMatrixSpan& scores, const numeric::MatrixSpan& out, double* best) {
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
