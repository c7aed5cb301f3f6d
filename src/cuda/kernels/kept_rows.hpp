// The rows that an elimination keeps, shared out among the threads of a team: in registers, or in memory when graphs
// are too large for that.
#pragma once

#include "cuda/kernels/desk.hpp"
#include "cuda/kernels/numbers.hpp"

namespace kirchhoff::cuda {

/// The first word of the block that a part eliminates in its step `step`; there may be none left.
KIRCHHOFF_BOTH int block_begin(const Part& part, int step) { return part.going + step * kBlock; }
KIRCHHOFF_BOTH int block_words(const Part& part, int step) {
  const int left = part.gone - block_begin(part, step);
  return left < 0 ? 0 : left < kBlock ? left : kBlock;
}

template <class N, class S, bool kInRegisters = S::kInRegisters>
class KeptRows;

/// In registers. Rows and columns beyond the matrix are there, too, and hold copies of its last: nobody asks for them.
template <class N, class S>
class KeptRows<N, S, true> {
 public:
  KIRCHHOFF_BOTH void place(const Desk<N, S>&) {}
  /// f(row, column, number) for all that this thread has.
  template <class F>
  KIRCHHOFF_BOTH void visit(int thread, int n, F f) {
    const int first = thread / S::kColumnGroups * S::kRows, column = thread % S::kColumnGroups;
    KIRCHHOFF_UNROLL
    for (int i = 0; i < S::kRows; ++i) {
      KIRCHHOFF_UNROLL
      for (int j = 0; j < S::kColumns; ++j) {
        const int c = column + j * S::kColumnGroups;
        if (first + i < n && c < n) f(first + i, c, values_[i][j]);
      }
    }
  }
  /// Adds the rows of the block that each row's part eliminates, times the row's factors.
  KIRCHHOFF_BOTH void take_up(int thread, const Desk<N, S>& desk, const Part* parts, int step) {
    const int n = desk.n, first = thread / S::kColumnGroups * S::kRows, column = thread % S::kColumnGroups;
    N block[kBlock][S::kColumns];
    int loaded = -1;
    KIRCHHOFF_UNROLL
    for (int i = 0; i < S::kRows; ++i) {
      const int row = first + i < n ? first + i : n - 1;
      const int begin = block_begin(parts[desk.part_of()[row]], step);
      if (begin != loaded) {
        loaded = begin;
        KIRCHHOFF_UNROLL
        for (int k = 0; k < kBlock; ++k) {
          const N* const from = &desk.row_entry(begin + k < n ? begin + k : n - 1, 0);
          KIRCHHOFF_UNROLL
          for (int j = 0; j < S::kColumns; ++j) {
            const int c = column + j * S::kColumnGroups;
            block[k][j] = from[c < n ? c : n - 1];
          }
        }
      }
      const N* const factors = desk.kept_factors(row);
      KIRCHHOFF_UNROLL
      for (int k = 0; k < kBlock; ++k) {
        const N factor = factors[k];
        KIRCHHOFF_UNROLL
        for (int j = 0; j < S::kColumns; ++j) values_[i][j] = multiply_add(factor, block[k][j], values_[i][j]);
      }
    }
  }

 private:
  N values_[S::kRows][S::kColumns];
};

/// In memory.
template <class N, class S>
class KeptRows<N, S, false> {
 public:
  KIRCHHOFF_BOTH void place(const Desk<N, S>& desk) {
    values_ = desk.kept_rows();
    row_ = desk.row();
    rows_ = (desk.n + S::kRowGroups - 1) / S::kRowGroups;
  }
  template <class F>
  KIRCHHOFF_BOTH void visit(int thread, int n, F f) {
    const int first = thread / S::kColumnGroups * rows_;
    for (int r = first; r < first + rows_ && r < n; ++r) {
      for (int c = thread % S::kColumnGroups; c < n; c += S::kColumnGroups)
        f(r, c, values_[std::int64_t{r} * row_ + c]);
    }
  }
  KIRCHHOFF_BOTH void take_up(int thread, const Desk<N, S>& desk, const Part* parts, int step) {
    visit(thread, desk.n, [&](int r, int c, N& x) {
      const Part& part = parts[desk.part_of()[r]];
      const int begin = block_begin(part, step), words = block_words(part, step);
      for (int k = 0; k < words; ++k) {
        x = multiply_add(desk.kept_factors(r)[k], desk.row_entry(begin + k, c), x);
      }
    });
  }

 private:
  N* values_ = nullptr;
  int row_ = 0, rows_ = 0;
};

}  // namespace kirchhoff::cuda
