// The block of weights among the words of a panel, which every thread eliminates for itself (inversion.hpp).
#pragma once

#include "cuda/kernels/executor.hpp"
#include "cuda/kernels/tile.hpp"

#include <cmath>

namespace kirchhoff::cuda {

/// 1 / x to an ulp, for normal numbers of which the reciprocal is normal: a third of the instructions of a division.
KIRCHHOFF_BOTH double quick_reciprocal(double x) {
#ifdef __CUDA_ARCH__
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));  // to 2^-23, so that the third power of the error is nothing
  const double error = fma(-x, y, 1.0);
  return fma(y, fma(error, error, error), y);
#else
  return 1.0 / x;
#endif
}

/// The rows of a panel in its own columns, and the sums of the rows after them.
struct PanelBlock {
  double x[kPanel][kPanel], sums[kPanel];

  /// Eliminates the first `count` words, here and in the rows' numbers in one column, y. Those of the panel's rows that
  /// are before `rows` are part of sums. Returns the pivots.
  KIRCHHOFF_BOTH void eliminate(int count, int rows, double (&y)[kPanel], double (&pivots)[kPanel]) {
    KIRCHHOFF_UNROLL
    for (int q = 0; q < kPanel; ++q) {
      if (q >= count) break;
      double s = sums[q];
      KIRCHHOFF_UNROLL
      for (int i = q + 1; i < kPanel; ++i) s += i < rows ? x[i][q] : 0.0;
      pivots[q] = s;
      const double inverse = quick_reciprocal(s);
      y[q] *= inverse;
      KIRCHHOFF_UNROLL
      for (int j = q + 1; j < kPanel; ++j) x[q][j] *= inverse;
      KIRCHHOFF_UNROLL
      for (int j = q + 1; j < kPanel; ++j) sums[j] = fma(sums[q], x[q][j], sums[j]);
      KIRCHHOFF_UNROLL
      for (int i = 0; i < kPanel; ++i) {
        if (i == q) continue;
        KIRCHHOFF_UNROLL
        for (int j = q + 1; j < kPanel; ++j) x[i][j] = fma(x[i][q], x[q][j], x[i][j]);
        y[i] = fma(x[i][q], y[q], y[i]);
      }
    }
  }
};

/// Takes the factor out of a panel's own column at a place, so that its own number is 1, and returns it.
KIRCHHOFF_BOTH double take_out(int place, double (&y)[kPanel]) {
  double own = y[0];
  KIRCHHOFF_UNROLL
  for (int i = 1; i < kPanel; ++i) own = i == place ? y[i] : own;
  const double inverse = quick_reciprocal(own);
  KIRCHHOFF_UNROLL
  for (int i = 0; i < kPanel; ++i) y[i] = i == place ? 1.0 : y[i] * inverse;
  return own;
}

}  // namespace kirchhoff::cuda
