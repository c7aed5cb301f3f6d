// Every word's best head, four heads at a time: the maximum of each column with the row it is in. O(n^2).
//
// A row goes through whole, with the diagonal; the few columns whose diagonal lies in the rows at hand are then done
// again without it.
#include "core/best_heads.hpp"

#include "core/check.hpp"
#include "core/kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/best_heads.cpp"
#include "core/highway.hpp"

HWY_BEFORE_NAMESPACE();
namespace kirchhoff::core::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;

/// Merges row `head` into the running maxima at column j; true where the score is not a finite one of good size.
template <class D, class V>
HWY_INLINE auto take(D d, V score, V head, V& best, V& arg) {
  const auto higher = hn::Gt(score, best);
  best = hn::IfThenElse(higher, score, best);
  arg = hn::IfThenElse(higher, head, arg);
  return hn::Not(hn::Le(hn::Abs(score), hn::Set(d, kLargestScore)));
}

template <int kRows, class D>
HWY_INLINE bool merge_rows(D d, const double* rows, std::ptrdiff_t stride, int head, int size, double* best,
                           double* arg) {
  const int lanes = static_cast<int>(hn::Lanes(d));
  auto bad = hn::Gt(hn::Zero(d), hn::Zero(d));
  for (int j = 0; j < size; j += lanes) {
    const int at = std::min(j, size - lanes);  // the last vector may overlap: taking a row twice changes nothing
    auto top = hn::LoadU(d, best + at);
    auto where = hn::LoadU(d, arg + at);
    for (int r = 0; r < kRows; ++r) {
      bad = hn::Or(bad, take(d, hn::LoadU(d, rows + r * stride + at), hn::Set(d, head + r), top, where));
    }
    hn::StoreU(top, d, best + at);
    hn::StoreU(where, d, arg + at);
  }
  return !hn::AllFalse(d, bad);
}

template <int kRows, class D>
HWY_INLINE bool merge(D d, const double* data, std::ptrdiff_t stride, int head, int size, double* best, double* arg) {
  std::array<double, kRows> old_best, old_arg;
  std::copy_n(best + head, kRows, old_best.begin());
  std::copy_n(arg + head, kRows, old_arg.begin());
  const bool bad = merge_rows<kRows>(d, data + head * stride, stride, head, size, best, arg);
  for (int c = 0; c < kRows; ++c) {
    double top = old_best[c], where = old_arg[c];
    for (int r = 0; r < kRows; ++r) {
      const double score = data[(head + r) * stride + head + c];
      if (r == c || !(score > top)) continue;
      top = score;
      where = head + r;
    }
    best[head + c] = top;
    arg[head + c] = where;
  }
  return bad;
}

/// Rows first..size-1 of a size x size matrix.
template <class D>
HWY_INLINE bool merge_all(D d, const double* data, std::ptrdiff_t stride, int first, int size, double* best,
                          double* arg) {
  bool bad = false;
  int head = first;
  for (; head + 4 <= size; head += 4) bad |= merge<4>(d, data, stride, head, size, best, arg);
  for (; head < size; ++head) bad |= merge<1>(d, data, stride, head, size, best, arg);
  return bad;
}

bool MergeAll(const double* data, std::ptrdiff_t stride, int first, int size, double* best, double* arg) {
  const Doubles d;
  if (size >= static_cast<int>(hn::Lanes(d))) return merge_all(d, data, stride, first, size, best, arg);
  return merge_all(hn::CappedTag<double, 1>(), data, stride, first, size, best, arg);
}

}  // namespace kirchhoff::core::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kirchhoff::core {
HWY_EXPORT(MergeAll);

bool best_heads(const MatrixRef& scores, Root root, std::vector<int>& heads) {
  static const auto merge_all = KIRCHHOFF_KERNEL(MergeAll);
  const int size = static_cast<int>(scores.rows());
  thread_local std::vector<double> best, arg;
  best.assign(size, -HUGE_VAL);
  arg.assign(size, -1.0);
  const bool single = root == Root::single;
  bool bad = merge_all(scores.data(), scores.outerStride(), single ? 1 : 0, size, best.data(), arg.data());
  for (int d = 1; d < size; ++d) {
    heads[d] = static_cast<int>(arg[d]);
    if (!single) continue;
    const double score = scores(0, d);
    if (heads[d] < 0 && score != -HUGE_VAL) heads[d] = 0;
    bad |= !(std::abs(score) <= kLargestScore);
  }
  return !bad;
}

void check_scores(const char* function, const MatrixRef& scores) {
  for (Eigen::Index i = 0; i < scores.rows(); ++i) {
    for (Eigen::Index j = 1; j < scores.cols(); ++j) {
      const double x = scores(i, j);
      if (i == j || x == -HUGE_VAL || std::abs(x) <= kLargestScore) continue;
      input_error(function, "scores(" + std::to_string(i) + ", " + std::to_string(j) +
                                ") is NaN, +inf or beyond 1e100 in size; scores are finite log-weights, -inf "
                                "for an impossible arc");
    }
  }
}
}  // namespace kirchhoff::core
#endif
