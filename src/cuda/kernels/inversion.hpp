// Gauss-Jordan elimination without subtraction, in place, every thread with some numbers of the matrix in registers.
//
// With x = -(off-diagonal of L) >= 0, a row for each head, the root's last, the step for pivot v is
//     s = sum of column v over the rows not yet eliminated            (GTH: never by subtraction)
//     row v:  x_v* <- x_v* / s, x_vv <- 1 / s;     row r:  x_r* <- x_r* + x_rv x_v*, x_rv <- x_rv / s.
// Four pivots go together. Their 4 x 4 block is eliminated with the other rows represented by their sum, which
// elimination maps like any row. A thread does that for each column of the matrix, for itself: the panel's rows in that
// column, y, go through the same steps. All other rows follow by x_r <- x_r + sum_q x_rq y_q, a product of matrices.
//
// A panel's column q is kept without its factor C_qq, which commutes with all that follows: then x_rq has the
// coefficient 1, as in all other columns, and every thread does the same thing.
#pragma once

#include "cuda/kernels/executor.hpp"
#include "cuda/kernels/panel_block.hpp"
#include "cuda/kernels/squares.hpp"
#include "cuda/kernels/tile.hpp"

#include <cmath>

namespace kirchhoff::cuda {

/// Below this a pivot is left to the elimination, which watches its range.
inline constexpr double kSmallestPivot = 1e-90;

template <class Team, class T>
class Inversion {
 public:
  KIRCHHOFF_BOTH Inversion(const Team& team, FastDesk<T>& desk, int n, bool single_root)
      : team_(team), desk_(desk), n_(n), rows_(single_root ? n : n + 1), count_(single_root ? n - 1 : n) {}

  KIRCHHOFF_BOTH Squares<T>& squares(int thread) { return squares_[thread]; }

  /// Eliminates all words, or with a single root all but the last. A number in column c has then to be multiplied by
  /// desk.scales[c].
  KIRCHHOFF_BOTH void run() {
    if (count_ == 0) return;
    team_.each([&](int thread) { publish(thread, 0); });
    for (int v = 0; v < count_; v += kPanel) {
      team_.each([&](int thread) {
        if (thread < T::kColumns) eliminate(thread, v);
      });
      team_.each([&](int thread) {
        follow(thread, v);
        if (v + kPanel < count_) publish(thread, v + kPanel);
      });
    }
  }

 private:
  static KIRCHHOFF_BOTH int buffer_of(int v) { return v / kPanel % 2; }
  /// Whether a thread's numbers in a square are in the rows or columns of the panel at v, if the square is.
  static KIRCHHOFF_BOTH bool is_half(int place, int v) { return place / kPanel == v % kSquare / kPanel; }

  /// Shows the other threads what they need of the panel at v.
  KIRCHHOFF_BOTH void publish(int thread, int v) {
    auto& panels = desk_.panels;
    const auto& x = squares_[thread].x;
    const int row = T::row_of(thread), column = T::column_of(thread);
    Squares<T>::at_row(v, [&](auto t) {
      KIRCHHOFF_UNROLL
      for (int k = 0; k < T::kWide; ++k) {
        double* const to = panels.rows[row % kPanel] + T::square_column(thread, k) + column;
        if (is_half(row, v)) *reinterpret_cast<Two*>(to) = {x[k][t.value][0], x[k][t.value][1]};
      }
    });
    KIRCHHOFF_UNROLL
    for (int k = 0; k < T::kWide; ++k) {
      if (T::square_column(thread, k) != v / kSquare * kSquare || !is_half(column, v)) continue;
      const int q = column % kPanel;
      const unsigned after = rows_ > v + kPanel ? rows_ - v - kPanel : 0;
      Two sum[2] = {{0.0, 0.0}, {0.0, 0.0}};
      KIRCHHOFF_UNROLL
      for (int t = 0; t < T::kHigh; ++t) {
        const int r = t * kSquare + row;
        const Two pair{x[k][t][0], x[k][t][1]};
        panels.columns[buffer_of(v)][r][q / 2] = pair;
        if (static_cast<unsigned>(r - v - kPanel) >= after) continue;  // before v + kPanel or not before rows_
        sum[t % 2].first += pair.first;
        sum[t % 2].second += pair.second;
      }
      panels.sums[row][q / 2] = {sum[0].first + sum[1].first, sum[0].second + sum[1].second};
    }
  }

  KIRCHHOFF_BOTH PanelBlock block(int v) const {
    const auto& panels = desk_.panels;
    PanelBlock block;
    KIRCHHOFF_UNROLL
    for (int q = 0; q < kPanel; q += 2) {
      KIRCHHOFF_UNROLL
      for (int i = 0; i < kPanel; ++i) {
        const Two pair = panels.columns[buffer_of(v)][v + i][q / 2];
        block.x[i][q] = pair.first;
        block.x[i][q + 1] = pair.second;
      }
      Two sums[kSquare];
      KIRCHHOFF_UNROLL
      for (int r = 0; r < kSquare; ++r) sums[r] = panels.sums[r][q / 2];
      KIRCHHOFF_UNROLL
      for (int half = kSquare / 2; half > 0; half /= 2) {
        KIRCHHOFF_UNROLL
        for (int r = 0; r < half; ++r) {
          sums[r].first += sums[r + half].first;
          sums[r].second += sums[r + half].second;
        }
      }
      block.sums[q] = sums[0].first;
      block.sums[q + 1] = sums[0].second;
    }
    return block;
  }

  /// Finds the panel's new rows in column c.
  KIRCHHOFF_BOTH void eliminate(int c, int v) {
    PanelBlock block = this->block(v);
    const int count = count_ - v, place = c - v;
    const bool in_panel = place >= 0 && place < kPanel && place < count;
    double y[kPanel], pivots[kPanel] = {1.0, 1.0, 1.0, 1.0};
    KIRCHHOFF_UNROLL
    for (int i = 0; i < kPanel; ++i) {
      y[i] = desk_.panels.rows[i][c];
      if (in_panel) y[i] = i == place ? 1.0 : 0.0;
    }
    block.eliminate(count, rows_ - v, y, pivots);
    if (in_panel) desk_.scales[c] = take_out(place, y);
    // What other rows take up: neither the column itself, which they have, nor rows that are no pivots.
    KIRCHHOFF_UNROLL
    for (int i = 0; i < kPanel; ++i) y[i] = i == place || i >= count ? 0.0 : y[i];
    desk_.panels.factors[c][0] = {y[0], y[1]};
    desk_.panels.factors[c][1] = {y[2], y[3]};
    if (c != 0) return;
    KIRCHHOFF_UNROLL
    for (int q = 0; q < kPanel; ++q) {
      if (q >= count) break;
      desk_.pivots[v + q] = pivots[q];
      if (!(pivots[q] >= kSmallestPivot)) desk_.unusual = 1;
    }
  }

  /// Takes up the panel's new rows.
  KIRCHHOFF_BOTH void follow(int thread, int v) {
    const auto& panels = desk_.panels;
    auto& x = squares_[thread].x;
    const int row = T::row_of(thread), q = row % kPanel;
    double y[T::kWide][2];  // the panel's own row
    KIRCHHOFF_UNROLL
    for (int k = 0; k < T::kWide; ++k) {
      KIRCHHOFF_UNROLL
      for (int e = 0; e < 2; ++e) {
        const int c = T::square_column(thread, k) + T::column_of(thread) + e;
        const double number = reinterpret_cast<const double*>(panels.factors[c])[q];
        y[k][e] = c == v + q ? 1.0 : number;
      }
    }
    KIRCHHOFF_UNROLL
    for (int k = 0; k < T::kWide; ++k) {
      const int first = T::square_column(thread, k);
      if (first < n_) add_product(thread, panels.columns[buffer_of(v)], panels.factors + first, x[k]);
    }
    const bool is_pivot = is_half(row, v) && v + q < count_;
    Squares<T>::at_row(v, [&](auto t) {
      KIRCHHOFF_UNROLL
      for (int k = 0; k < T::kWide; ++k) {
        KIRCHHOFF_UNROLL
        for (int e = 0; e < 2; ++e) x[k][t.value][e] = is_pivot ? y[k][e] : x[k][t.value][e];
      }
    });
  }

  const Team& team_;
  FastDesk<T>& desk_;
  int n_, rows_, count_;
  typename Team::template Local<Squares<T>> squares_;
};

}  // namespace kirchhoff::cuda
