// The rows that an elimination keeps, shared out among the threads of a team: in registers, or in memory when graphs
// are too large for that.
#pragma once

#include "cuda/kernels/desk.hpp"
#include "cuda/kernels/numbers.hpp"
#include "cuda/kernels/watch.hpp"

namespace kirchhoff::cuda {

template <class N, class S, bool kInRegisters = S::kInRegisters>
class KeptRows;

/// In registers. Rows and columns beyond the graph are there, too, and are zeros.
template <class N, class S>
class KeptRows<N, S, true> {
 public:
  KIRCHHOFF_BOTH void load(int thread, const Desk<N, S>& desk) {
    visit(thread, [&](int r, int c, N& x) { x = desk.row_entry(r, c); });
  }
  KIRCHHOFF_BOTH void store(int thread, const Desk<N, S>& desk, Watch& watch) {
    visit(thread, [&](int r, int c, N& x) {
      desk.row_entry(r, c) = x;
      see_small(watch.entries, x);
    });
  }
  /// Brings the rows' weights to the words of the block together, where their factors will be.
  template <int W>
  KIRCHHOFF_BOTH void gather(int thread, const Desk<N, S>& desk, int step) {
    static_assert(W <= S::kColumnGroups && (S::kColumnGroups & (S::kColumnGroups - 1)) == 0);
    const int first = first_row(thread), column = thread % S::kColumnGroups;
    KIRCHHOFF_UNROLL
    for (int i = 0; i < S::kRows; ++i) {
      const int begin = desk.going_of()[first + i] + step * W;
      const int k = (column - begin) & (S::kColumnGroups - 1);  // this thread has at most one of the block's columns
      if (k >= W) continue;
      const int wanted = (begin + k) / S::kColumnGroups;
      N x = values_[i][0];
      KIRCHHOFF_UNROLL
      for (int j = 1; j < S::kColumns; ++j) {
        if (j == wanted) x = values_[i][j];
      }
      desk.kept_factors(first + i)[k] = x;
    }
  }
  /// Adds the rows of the block that each row's part eliminates, times the row's factors. Word r's row is row
  /// r - offset of the desk.
  template <int W>
  KIRCHHOFF_BOTH void take_up(int thread, const Desk<N, S>& desk, int step, int offset) {
    const int first = first_row(thread), column = thread % S::kColumnGroups;
    N block[W][S::kColumns];
    int loaded = -1;
    KIRCHHOFF_UNROLL
    for (int i = 0; i < S::kRows; ++i) {
      const int begin = desk.going_of()[first + i] + step * W;
      if (i == 0 || begin != loaded) {
        loaded = begin;
        KIRCHHOFF_UNROLL
        for (int k = 0; k < W; ++k) {
          const int r =
              begin + k - offset < desk.room() ? begin + k - offset : desk.room() - 1;  // its factor is 0 then
          KIRCHHOFF_UNROLL
          for (int j = 0; j < S::kColumns; ++j) block[k][j] = desk.row_entry(r, column + j * S::kColumnGroups);
        }
      }
      const auto factors = desk.kept_factors(first + i);
      KIRCHHOFF_UNROLL
      for (int k = 0; k < W; ++k) {
        const N factor = factors[k];
        KIRCHHOFF_UNROLL
        for (int j = 0; j < S::kColumns; ++j) values_[i][j] = multiply_add(factor, block[k][j], values_[i][j]);
      }
    }
  }

 private:
  static KIRCHHOFF_BOTH int first_row(int thread) { return thread / S::kColumnGroups * S::kRows; }
  template <class F>
  KIRCHHOFF_BOTH void visit(int thread, F f) {
    const int first = first_row(thread), column = thread % S::kColumnGroups;
    KIRCHHOFF_UNROLL
    for (int i = 0; i < S::kRows; ++i) {
      KIRCHHOFF_UNROLL
      for (int j = 0; j < S::kColumns; ++j) f(first + i, column + j * S::kColumnGroups, values_[i][j]);
    }
  }
  N values_[S::kRows][S::kColumns];
};

/// In memory.
template <class N, class S>
class KeptRows<N, S, false> {
 public:
  KIRCHHOFF_BOTH void load(int thread, const Desk<N, S>& desk) {
    visit(thread, desk, [&](int r, int c, N& x) { x = desk.row_entry(r, c); });
  }
  KIRCHHOFF_BOTH void store(int thread, const Desk<N, S>& desk, Watch& watch) {
    visit(thread, desk, [&](int r, int c, N& x) {
      desk.row_entry(r, c) = x;
      see_small(watch.entries, x);
    });
  }
  template <int W>
  KIRCHHOFF_BOTH void gather(int thread, const Desk<N, S>& desk, int step) {
    visit(thread, desk, [&](int r, int c, N& x) {
      const int k = c - desk.going_of()[r] - step * W;
      if (k >= 0 && k < W) desk.kept_factors(r)[k] = x;
    });
  }
  template <int W>
  KIRCHHOFF_BOTH void take_up(int thread, const Desk<N, S>& desk, int step, int offset) {
    visit(thread, desk, [&](int r, int c, N& x) {
      const int begin = desk.going_of()[r] + step * W;
      for (int k = 0; k < W && begin + k < desk.n; ++k) {
        x = multiply_add(desk.kept_factors(r)[k], desk.row_entry(begin + k - offset, c), x);
      }
    });
  }

 private:
  template <class F>
  KIRCHHOFF_BOTH void visit(int thread, const Desk<N, S>& desk, F f) {
    for (int r = thread / S::kColumnGroups; r < desk.room(); r += S::kRowGroups) {
      for (int c = thread % S::kColumnGroups; c < desk.n; c += S::kColumnGroups) f(r, c, desk.kept_entry(r, c));
    }
  }
};

}  // namespace kirchhoff::cuda
