// Kernels of Colbourn's sampler (sample/conditional_walk.cpp): rows of an inverse from which columns are merged away.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace kirchhoff::sample {

/// Up to kSteps merges that rows of a matrix have not seen yet. Step k subtracts from a row x the multiple of rows[k]
/// that makes x[fixed[k]] equal to x[merged[k]]; rows[k] has seen the steps before k. Steps not in use are all 0.
struct MergePanel {
  static constexpr std::size_t kSteps = 8;
  std::size_t steps = 0;
  std::size_t ld = 0;
  std::size_t first = 0;                      // columns [first, ld) are still in use; a multiple of kPad
  double* rows = nullptr;                     // a kSteps x ld matrix
  std::array<std::int64_t, kSteps> fixed{};   // its column
  std::array<std::int64_t, kSteps> merged{};  // its column
  std::array<double, kSteps> inverse{};       // 1 / (rows[k][fixed[k]] - rows[k][merged[k]])
  void clear() {
    steps = 0;
    fixed = merged = {};
    inverse = {};
    inner = {};
  }
  // [k * kSteps + i], k < i: (rows[k][fixed[i]] - rows[k][merged[i]]) * inverse[i]
  std::array<double, kSteps * kSteps> inner{};
};

/// The sums of p[l], p[l + 8], p[l + 16] ... for l = 0 .. 7. They are short chains of additions instead of one long
/// one, and the same on every machine.
using LaneSums = std::array<double, 8>;

struct RowSum {
  double sum;  // the sum of p before clamping, where `smallest` is from too
  double smallest;
  LaneSums lanes;  // the sums after clamping
};
/// What one row gives: p_v = weights[v] (row[own] - row[column[v]]), clamped at 0, for `heads` (a multiple of kPad) v.
struct HeadWeights {
  std::size_t own;
  std::size_t heads;
  const double* weights;
  const std::int64_t* column;
};
/// Writes the columns in use of source after the panel's steps to row, then p from it.
RowSum conditional_row(const MergePanel& panel, const double* source, const HeadWeights& heads, double* row, double* p);

/// Sets column[v] to `to` wherever it is `from`. The count is a multiple of kPad.
void replace_all(std::size_t count, std::int64_t from, std::int64_t to, std::int64_t* column);

/// Applies the panel's steps to the columns in use of `rows` rows of stride panel.ld, from x to out (which may be x).
void merge_columns_of(const MergePanel& panel, std::size_t rows, const double* x, double* out);

LaneSums lane_sums(const double* p, std::size_t count);

}  // namespace kirchhoff::sample
