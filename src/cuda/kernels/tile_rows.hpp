// The rows of a matrix that a thread has in registers.
#pragma once

#include "cuda/kernels/panel_block.hpp"
#include "cuda/kernels/tile.hpp"

#include <cmath>

namespace kirchhoff::cuda {

template <class T>
struct TileRows {
  double x[T::kWide][T::kRows];

  /// The rows that a part has of a panel.
  static KIRCHHOFF_BOTH NewRows of_part(const NewRows& all, int part) {
    NewRows own;
    KIRCHHOFF_UNROLL
    for (int r = 0; r < T::kPanelRows; ++r) {
      own.y[r] = all.y[r * T::kParts];
      KIRCHHOFF_UNROLL
      for (int p = 1; p < T::kParts; ++p) own.y[r] = p == part ? all.y[r * T::kParts + p] : own.y[r];
    }
    return own;
  }

  /// Adds multiples of a panel's new rows to those that are not the panel's, which move up.
  KIRCHHOFF_BOTH void follow(const Two (*columns)[kPanel], const NewRows (&factors)[T::kWide]) {
    KIRCHHOFF_UNROLL
    for (int r = T::kPanelRows / 2 * 2; r < T::kRows; r += 2) {
      Two f[kPanel];
      KIRCHHOFF_UNROLL
      for (int q = 0; q < kPanel; ++q) f[q] = columns[r / 2][q];
      KIRCHHOFF_UNROLL
      for (int i = 0; i < 2; ++i) {
        if (r + i < T::kPanelRows || r + i >= T::kRows) continue;
        KIRCHHOFF_UNROLL
        for (int k = 0; k < T::kWide; ++k) {
          double sum = x[k][r + i];
          KIRCHHOFF_UNROLL
          for (int q = 0; q < kPanel; ++q) sum = fma(i == 0 ? f[q].first : f[q].second, factors[k].y[q], sum);
          x[k][r + i - T::kPanelRows] = sum;
        }
      }
    }
  }
};

}  // namespace kirchhoff::cuda
