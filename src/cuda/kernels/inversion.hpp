// Gauss-Jordan elimination without subtraction, in place, every thread with some columns of some rows in registers.
//
// With x = -(off-diagonal of L) >= 0, a row for each head, the root's last, the step for pivot v is
//     s = sum of column v over the rows not yet eliminated            (GTH: never by subtraction)
//     row v:  x_v* <- x_v* / s, x_vv <- 1 / s;     row r:  x_r* <- x_r* + x_rv x_v*, x_rv <- x_rv / s.
// Four pivots go together. Every thread eliminates their 4 x 4 block for itself, with the other rows represented by
// their sum, which elimination maps like any row. What becomes of the block are the coefficients C of the panel's rows
// in its new rows, y = C x; other rows follow by x_r <- x_r + sum_q x_rq y_q.
//
// A panel's column q is kept without its factor C_qq, which commutes with all that follows: then x_rq has the
// coefficient 1, as in all other columns, and every thread does the same thing. Registers cannot be indexed: so a
// panel's rows are always the first ones of their parts, and rows move up as they are computed.
#pragma once

#include "cuda/kernels/executor.hpp"
#include "cuda/kernels/panel_block.hpp"
#include "cuda/kernels/tile.hpp"
#include "cuda/kernels/tile_rows.hpp"

#include <cmath>

namespace kirchhoff::cuda {

/// Below this a pivot is left to the elimination, which watches its range.
inline constexpr double kSmallestPivot = 1e-90;

template <class Team, class T>
class Inversion {
 public:
  /// `rows` is how many of them count in the sums: n, or n + 1 with the root's.
  KIRCHHOFF_BOTH Inversion(const Team& team, FastDesk<T>& desk, int rows) : team_(team), desk_(desk), rows_(rows) {}

  KIRCHHOFF_BOTH TileRows<T>& rows(int thread) { return tiles_[thread]; }

  /// Eliminates the first `count` words. Returns by how many registers rows have moved up. An entry of column c has
  /// then to be multiplied by desk.scales[c].
  KIRCHHOFF_BOTH int run(int count) {
    count_ = count;
    team_.each([&](int thread) {
      if (count > 0) publish<0>(thread, 0);
    });
    run_slot<0>();
    return (count + kPanel - 1) / kPanel * T::kPanelRows % T::kRows;
  }

 private:
  /// Eliminates the words whose columns are the kSlot-th of their threads.
  template <int kSlot>
  KIRCHHOFF_BOTH void run_slot() {
    constexpr int kEnd = (kSlot + 1) * T::kLanes;
    const int end = count_ < kEnd ? count_ : kEnd;
    for (int v = kSlot * T::kLanes; v < end; v += kPanel) step<kSlot>(v);
    if constexpr (kSlot + 1 < T::kWide) run_slot<kSlot + 1>();
  }

  /// Shows the other threads what they need of the panel at v.
  template <int kSlot>
  KIRCHHOFF_BOTH void publish(int thread, int v) {
    const int part = T::part_of(thread), lane = T::lane_of(thread), buffer = v / kPanel & 1;
    const TileRows<T>& own = tiles_[thread];
    if constexpr (T::kParts > 1) {
      KIRCHHOFF_UNROLL
      for (int k = 0; k < T::kWide; ++k) {
        KIRCHHOFF_UNROLL
        for (int r = 0; r < T::kPanelRows; ++r) {
          desk_.rows[buffer][r * T::kParts + part][k * T::kLanes + lane] = own.x[k][r];
        }
      }
    }
    const int q = kSlot * T::kLanes + lane - v;
    if (q < 0 || q >= kPanel) return;
    const double(&x)[T::kRows] = own.x[kSlot];
    KIRCHHOFF_UNROLL
    for (int r = 0; r < T::kRows; r += 2) {
      desk_.columns[buffer][part][r / 2][q] = {x[r], r + 1 < T::kRows ? x[r + 1] : 0.0};
    }
    // Rows of this part that count and have not been eliminated come first.
    const int live = (rows_ - part + T::kParts - 1) / T::kParts - v / T::kParts;
    double sums[2] = {0.0, 0.0};
    KIRCHHOFF_UNROLL
    for (int r = T::kPanelRows; r < T::kRows; ++r) {
      if (r >= live) break;
      sums[r % 2] += x[r];
    }
    Two& pair = desk_.sums[buffer][part][q / 2];
    (q % 2 == 0 ? pair.first : pair.second) = sums[0] + sums[1];
  }

  KIRCHHOFF_BOTH PanelBlock block(int buffer) const {
    PanelBlock block;
    KIRCHHOFF_UNROLL
    for (int q = 0; q < kPanel; ++q) {
      KIRCHHOFF_UNROLL
      for (int i = 0; i < kPanel; ++i) {
        const Two& pair = desk_.columns[buffer][i % T::kParts][i / T::kParts / 2][q];
        block.x[i][q] = i / T::kParts % 2 == 0 ? pair.first : pair.second;
      }
      block.sums[q] = 0.0;
    }
    KIRCHHOFF_UNROLL
    for (int p = 0; p < T::kParts; ++p) {
      KIRCHHOFF_UNROLL
      for (int q = 0; q < kPanel; q += 2) {
        const Two pair = desk_.sums[buffer][p][q / 2];
        block.sums[q] += pair.first;
        block.sums[q + 1] += pair.second;
      }
    }
    return block;
  }

  template <int kSlot>
  KIRCHHOFF_BOTH void step(int v) {
    team_.each([&](int thread) {
      const int part = T::part_of(thread), lane = T::lane_of(thread), buffer = v / kPanel & 1;
      const int count = count_ - v;
      TileRows<T>& own = tiles_[thread];
      NewRows factors[T::kWide];
      int place = kSlot * T::kLanes + lane - v;  // of the column kSlot in the panel
      if (place >= count) place = -1;
      {
        PanelBlock block = this->block(buffer);
        double pivots[kPanel] = {1.0, 1.0, 1.0, 1.0};
        block.eliminate(count, rows_ - v, pivots);
        if (thread == 0) note(pivots, v, count);
        KIRCHHOFF_UNROLL
        for (int k = 0; k < T::kWide; ++k) {
          const bool in_panel = k == kSlot && place >= 0 && place < kPanel;
          NewRows x;
          KIRCHHOFF_UNROLL
          for (int i = 0; i < kPanel; ++i) {
            x.y[i] = T::kParts > 1 ? desk_.rows[buffer][i][k * T::kLanes + lane] : own.x[k][i];
            if (in_panel) x.y[i] = i == place ? 1.0 : 0.0;
          }
          factors[k] = block.times(x);
          if (in_panel) {
            const double scale = factors[k].take_out(place);
            if (part == 0) desk_.scales[v + place] = scale;
          }
        }
      }
      NewRows entries[T::kWide];
      KIRCHHOFF_UNROLL
      for (int k = 0; k < T::kWide; ++k) {
        entries[k] = TileRows<T>::of_part(factors[k], part);
        KIRCHHOFF_UNROLL
        for (int q = 0; q < kPanel; ++q) {
          if (q >= count || (k == kSlot && q == place)) factors[k].y[q] = 0.0;
        }
      }
      own.follow(desk_.columns[buffer][part], factors);
      KIRCHHOFF_UNROLL
      for (int k = 0; k < T::kWide; ++k) {
        KIRCHHOFF_UNROLL
        for (int r = 0; r < T::kPanelRows; ++r) own.x[k][T::kRows - T::kPanelRows + r] = entries[k].y[r];
      }
      if (v + kPanel >= count_) return;
      if constexpr (kSlot + 1 < T::kWide) {
        if ((v + kPanel) % T::kLanes == 0) {
          publish<kSlot + 1>(thread, v + kPanel);
          return;
        }
      }
      publish<kSlot>(thread, v + kPanel);
    });
  }

  KIRCHHOFF_BOTH void note(const double (&pivots)[kPanel], int v, int count) const {
    KIRCHHOFF_UNROLL
    for (int q = 0; q < kPanel; ++q) {
      if (q >= count) break;
      desk_.pivots[v + q] = pivots[q];
      if (!(pivots[q] >= kSmallestPivot)) desk_.unusual = 1;
    }
  }

  const Team& team_;
  FastDesk<T>& desk_;
  int rows_, count_ = 0;
  typename Team::template Local<TileRows<T>> tiles_;
};

}  // namespace kirchhoff::cuda
