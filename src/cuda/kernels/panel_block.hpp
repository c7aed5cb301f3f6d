// The block of weights among the words of a panel, which every thread eliminates for itself (inversion.hpp).
#pragma once

#include "cuda/kernels/executor.hpp"
#include "cuda/kernels/tile.hpp"

#include <cmath>

namespace kirchhoff::cuda {

/// The rows of a panel in one column.
struct NewRows {
  double y[kPanel];

  /// Takes the factor out of the panel's own column at a place, so that its own entry is 1, and returns it.
  KIRCHHOFF_BOTH double take_out(int place) {
    double own = y[0];
    KIRCHHOFF_UNROLL
    for (int i = 1; i < kPanel; ++i) own = i == place ? y[i] : own;
    const double inverse = 1.0 / own;
    KIRCHHOFF_UNROLL
    for (int i = 0; i < kPanel; ++i) y[i] = i == place ? 1.0 : y[i] * inverse;
    return own;
  }
};

/// The rows of the pivots of a panel in its own columns, and the sums of the rows after them.
struct PanelBlock {
  double x[kPanel][kPanel], sums[kPanel];

  /// Eliminates the first `count` pivots; of the panel's rows those before `rows` are part of sums. Returns the pivots.
  KIRCHHOFF_BOTH void eliminate(int count, int rows, double (&pivots)[kPanel]) {
    KIRCHHOFF_UNROLL
    for (int q = 0; q < kPanel; ++q) {
      if (q >= count) break;
      double s = sums[q];
      KIRCHHOFF_UNROLL
      for (int i = q + 1; i < kPanel; ++i) s += i < rows ? x[i][q] : 0.0;
      pivots[q] = s;
      const double inverse = 1.0 / s;
      KIRCHHOFF_UNROLL
      for (int j = 0; j < kPanel; ++j) x[q][j] = j == q ? inverse : x[q][j] * inverse;
      KIRCHHOFF_UNROLL
      for (int i = 0; i < kPanel; ++i) {
        KIRCHHOFF_UNROLL
        for (int j = 0; j < kPanel; ++j) {
          if (i != q && j != q) x[i][j] = fma(x[i][q], x[q][j], x[i][j]);
        }
        if (i > q) sums[i] = fma(sums[q], x[q][i], sums[i]);
        if (i != q) x[i][q] *= inverse;
      }
    }
    // Rows that are no pivots keep themselves, and are nobody's.
    KIRCHHOFF_UNROLL
    for (int j = 1; j < kPanel; ++j) {
      if (j < count) continue;
      KIRCHHOFF_UNROLL
      for (int i = 0; i < kPanel; ++i) x[i][j] = i == j ? 1.0 : 0.0;
    }
  }

  /// The panel's new rows in a column, of what they were.
  KIRCHHOFF_BOTH NewRows times(const NewRows& old) const {
    NewRows rows;
    KIRCHHOFF_UNROLL
    for (int i = 0; i < kPanel; ++i) {
      rows.y[i] = x[i][0] * old.y[0];
      KIRCHHOFF_UNROLL
      for (int j = 1; j < kPanel; ++j) rows.y[i] = fma(x[i][j], old.y[j], rows.y[i]);
    }
    return rows;
  }
};

}  // namespace kirchhoff::cuda
