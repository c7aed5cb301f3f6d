#include "tree/weights.hpp"

#include "core/check.hpp"
#include "core/kernels.hpp"
#include "core/sum.hpp"
#include "tree/feasible.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace kirchhoff::tree {
namespace {

[[noreturn]] void refuse(const MatrixRef& scores) {
  for (Eigen::Index i = 0; i < scores.rows(); ++i) {
    for (Eigen::Index j = 1; j < scores.cols(); ++j) {
      const double x = scores(i, j);
      if (i == j || x == -HUGE_VAL || std::abs(x) < -core::kNoArc) continue;
      const std::string what = std::isnan(x) ? "is NaN" : (x == HUGE_VAL ? "is +inf" : "is beyond 1e100 in size");
      core::input_error("TreeDistribution", "scores(" + std::to_string(i) + ", " + std::to_string(j) + ") " + what +
                                                "; scores are finite log-weights, -inf for an impossible arc");
    }
  }
  core::input_error("TreeDistribution", "scores are not valid");
}

// Exchanges the words `last` and n, rows and columns.
void put_last(Weights& weights, int last) {
  const int n = weights.n;
  weights.last = last;
  double* scores = weights.scores.data();
  std::swap_ranges(scores + last * weights.ld, scores + last * weights.ld + n, scores + n * weights.ld);
  for (int row = 0; row <= n; ++row) std::swap(scores[row * weights.ld + last - 1], scores[row * weights.ld + n - 1]);
  std::swap(weights.shifts.data()[last - 1], weights.shifts.data()[n - 1]);
}

// Column shifts = column maxima; single-root: the root row is shifted on top by its own maximum.
void choose_shifts(Weights& weights) {
  const std::size_t ld = weights.ld;
  double* column = weights.shifts.data();
  double* column_low = column + ld;
  double* root = column + 2 * ld;
  double* root_low = column + 3 * ld;
  for (std::size_t c = 0; c < ld; ++c) {
    if (weights.root == Root::multi) column[c] = std::max(column[c], weights.scores.data()[c]);
    if (column[c] <= core::kNoArc) column[c] = 0.0;
    column_low[c] = 0.0;
  }
  double root_shift = 0.0;
  if (weights.root == Root::single) {
    double best = core::kNoArc;
    const double* scores = weights.scores.data();
    for (int c = 0; c < weights.n; ++c) best = std::max(best, scores[c] - column[c]);
    root_shift = best;
  }
  core::Sum total;
  total.add(root_shift);
  for (int c = 0; c < weights.n; ++c) total.add(column[c]);
  for (std::size_t c = 0; c < ld; ++c) {
    const core::TwoSum shift(column[c], root_shift);
    root[c] = shift.high;
    root_low[c] = shift.low;
  }
  weights.log_scale = total.high;
  weights.log_scale_low = total.low;
}

}  // namespace

void load(const MatrixRef& scores, Root root, Weights& weights, core::Buffer& copy) {
  const int n = static_cast<int>(scores.rows()) - 1;
  weights.n = n;
  weights.ld = core::padded(n);
  weights.root = root;
  weights.last = n;
  double* x = weights.scores.take((n + 1) * weights.ld);
  double* best = weights.shifts.take(4 * weights.ld);
  std::fill(best, best + 2 * weights.ld, core::kNoArc);
  const core::RowScan scan = core::load_rows(n, weights.ld, scores.data(), scores.outerStride(), x, best);
  if (!scan.valid) refuse(scores);
  if (scan.impossible) put_last(weights, require_feasible(scores, root));
  choose_shifts(weights);
  const std::size_t ld = weights.ld;
  double* w = weights.w.take((n + 1) * ld);
  double* second = copy.take((core::padded(n + 1) + core::kPad) * ld);
  weights.underflowed = core::exp_shifted(1, ld, x, weights.shift_high(0), weights.shift_low(0), w, second + n * ld);
  weights.underflowed |=
      core::exp_shifted(n, ld, x + ld, weights.shift_high(1), weights.shift_low(1), w + ld, second);
}

}  // namespace kirchhoff::tree
