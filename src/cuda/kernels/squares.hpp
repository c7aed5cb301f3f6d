// The numbers of a matrix that a thread has in registers: two of each square of its warp (tile.hpp).
#pragma once

#include "cuda/kernels/tile.hpp"

#include <cmath>
#include <type_traits>
#include <utility>

namespace kirchhoff::cuda {

/// f(0), f(1), .. as constants: what registers are used is known before any branch is looked at.
template <class F, int... kIndex>
KIRCHHOFF_BOTH void for_indices(std::integer_sequence<int, kIndex...>, F f) {
  (f(std::integral_constant<int, kIndex>()), ...);
}

template <class T>
struct Squares {
  double x[T::kWide][T::kHigh][2];

  /// f(t) for the thread's row of squares that has a row of the matrix.
  template <class F>
  static KIRCHHOFF_BOTH void at_row(int row, F f) {
    for_indices(std::make_integer_sequence<int, T::kHigh>(), [&](auto t) {
      if (t.value == row / kSquare) f(t);
    });
  }

  /// f(number) of every column in the thread's row that is row `row` of the matrix, if it is one of the thread's.
  template <class F>
  KIRCHHOFF_BOTH void in_row(int thread, int row, F f) {
    at_row(row, [&](auto t) {
      if (row % kSquare != T::row_of(thread)) return;
      KIRCHHOFF_UNROLL
      for (int k = 0; k < T::kWide; ++k) {
        KIRCHHOFF_UNROLL
        for (int e = 0; e < 2; ++e) f(x[k][t.value][e], T::square_column(thread, k) + T::column_of(thread) + e);
      }
    });
  }
  /// f(number, row) of every row in a column of the matrix, if it is one of the thread's.
  template <class F>
  KIRCHHOFF_BOTH void in_column(int thread, int column, F f) {
    KIRCHHOFF_UNROLL
    for (int k = 0; k < T::kWide; ++k) {
      const int e = column - T::square_column(thread, k) - T::column_of(thread);
      if (column / kSquare * kSquare != T::square_column(thread, k) || e < 0 || e > 1) continue;
      KIRCHHOFF_UNROLL
      for (int t = 0; t < T::kHigh; ++t) f(e == 0 ? x[k][t][0] : x[k][t][1], t * kSquare + T::row_of(thread));
    }
  }

  /// f(x, row, column) for all of them.
  template <class F>
  KIRCHHOFF_BOTH void each(int thread, F f) {
    KIRCHHOFF_UNROLL
    for (int k = 0; k < T::kWide; ++k) {
      KIRCHHOFF_UNROLL
      for (int t = 0; t < T::kHigh; ++t) {
        KIRCHHOFF_UNROLL
        for (int e = 0; e < 2; ++e) {
          f(x[k][t][e], t * kSquare + T::row_of(thread), T::square_column(thread, k) + T::column_of(thread) + e);
        }
      }
    }
  }
};

/// Adds a product of matrices to the squares of a column: x(r, c) += sum_q a[r][q] b[c][q], of which each thread of a
/// warp has its two numbers. Two squares together take as long as one.
template <int kHigh>
KIRCHHOFF_BOTH void add_product(int thread, const Two (*a)[kPanel / 2], const Two (*b)[kPanel / 2],
                                double (&x)[kHigh][2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const auto own = [&](const Two(*m)[kPanel / 2]) { return reinterpret_cast<const double*>(m)[thread % 32]; };
  const double right = own(b);
  int t = 0;
#if __CUDA_ARCH__ >= 900
  KIRCHHOFF_UNROLL
  for (; t + 1 < kHigh; t += 2) {
    asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                 : "+d"(x[t][0]), "+d"(x[t][1]), "+d"(x[t + 1][0]), "+d"(x[t + 1][1])
                 : "d"(own(a + t * kSquare)), "d"(own(a + (t + 1) * kSquare)), "d"(right));
  }
#endif
  KIRCHHOFF_UNROLL
  for (; t < kHigh; ++t) {
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(x[t][0]), "+d"(x[t][1])
                 : "d"(own(a + t * kSquare)), "d"(right));
  }
#else
  KIRCHHOFF_UNROLL
  for (int t = 0; t < kHigh; ++t) {
    const Two* const row = a[t * kSquare + thread % 32 / 4];
    KIRCHHOFF_UNROLL
    for (int e = 0; e < 2; ++e) {
      const Two* const column = b[thread % 4 * 2 + e];
      KIRCHHOFF_UNROLL
      for (int q = 0; q < kPanel / 2; ++q) {
        x[t][e] = fma(row[q].second, column[q].second, fma(row[q].first, column[q].first, x[t][e]));
      }
    }
  }
#endif
}

}  // namespace kirchhoff::cuda
