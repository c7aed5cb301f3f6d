// Leave-one-out elimination (tree/robust/robust.cpp has the mathematics) of one graph by a team of threads.
//
// The words are halved again and again. Each half is kept in one copy of the graph and eliminated in another, for the
// sake of the half that is kept there. All copies of a level are eliminated together: a word's row is kept in exactly
// one of them and eliminated in one other, so a level takes room for two matrices, whatever its number of copies. There
// are n + n/2 + n/4 + ... steps, each of which updates n^2 numbers or somewhat more: about 1.5 n^3 multiplications in
// all, where a Gauss-Jordan inverse has n^3, and no subtraction.
#pragma once

#include "cuda/kernels/block.hpp"
#include "cuda/kernels/kept_rows.hpp"
#include "cuda/kernels/watch.hpp"

#include <cstdint>

namespace kirchhoff::cuda {

/// A graph whose weights lie in the desk's rows, and its root's in the root row of part 0. run() leaves parts of one or
/// two words: their rows, their roots, and which parts there are.
template <class Team, class N, class S>
class Elimination {
 public:
  using Kept = KeptRows<N, S>;

  KIRCHHOFF_BOTH Elimination(const Team& team, const Desk<N, S>& desk, bool single_root)
      : team_(team), desk_(desk), n_(desk.n), parts_(desk.parts(0)), root_counts_(desk.root_counts(0)) {
    team_.each([&](int thread) {
      watch_[thread] = {};
      product_[thread] = {1.0, 0};
      kept_[thread].place(desk_);
      for (int r = thread; r < n_; r += Team::kThreads) desk_.part_of()[r] = 0;
      if (thread != 0) return;
      parts_[0] = {0, n_, 0, 0};
      root_counts_[0] = !single_root;
    });
  }

  KIRCHHOFF_BOTH void run() {
    const int most = most_parts(n_);
    load();
    for (int capacity = 2 * most; part_count_ < most; capacity /= 2) {
      split(capacity / 2);
      const int largest = capacity / 2;
      for (int step = 0; step * kBlock < largest; ++step) eliminate(step);
      store();
    }
  }

  KIRCHHOFF_BOTH const Part* parts() const { return parts_; }
  KIRCHHOFF_BOTH char* root_counts() const { return root_counts_; }
  KIRCHHOFF_BOTH int part_count() const { return part_count_; }
  KIRCHHOFF_BOTH Watch& watch(int thread) { return watch_[thread]; }
  /// The product of the pivots so far that belong to Z, which thread 0 has.
  KIRCHHOFF_BOTH Extended product(int thread) { return product_[thread]; }
  KIRCHHOFF_BOTH void multiply_product(int thread, const Extended& x) {
    product_[thread] = multiply(product_[thread], x);
  }

 private:
  template <class T>
  using Local = typename Team::template Local<T>;

  KIRCHHOFF_BOTH void load() {
    team_.each([&](int thread) {
      kept_[thread].visit(thread, n_, [&](int r, int c, N& x) {
        x = desk_.row_entry(r, c);
        see(watch_[thread].entries, x);
      });
    });
  }
  /// What was kept can be eliminated now.
  KIRCHHOFF_BOTH void store() {
    team_.each([&](int thread) {
      kept_[thread].visit(thread, n_, [&](int r, int c, N& x) {
        desk_.row_entry(r, c) = x;
        see(watch_[thread].entries, x);
      });
    });
  }

  /// Halves every part; none has more than `capacity` words then. A half begins where a thread's rows do, if it can.
  KIRCHHOFF_BOTH void split(int capacity) {
    const Part* const old = parts_;
    const int which = old == desk_.parts(0) ? 1 : 0;
    Part* const next = desk_.parts(which);
    const char* const counts = root_counts_;
    char* const next_counts = desk_.root_counts(which);
    const int before = part_count_;
    team_.each([&](int thread) {
      for (int p = thread; p < before; p += Team::kThreads) {
        const int begin = old[p].begin, end = old[p].end, half = (end - begin + 1) / 2;
        int mid = begin + half;
        if constexpr (S::kInRegisters) {
          const int whole = (half + S::kRows - 1) / S::kRows * S::kRows;
          if (whole <= capacity && whole < end - begin) mid = begin + whole;
        }
        const bool small = end - begin <= 2;
        if (small) mid = end;
        next[2 * p] = {begin, mid, mid, end};
        next[2 * p + 1] = {mid, end, small ? end : begin, small ? end : mid};
        next_counts[2 * p] = next_counts[2 * p + 1] = counts[p];
      }
      for (int c = thread; c < n_; c += Team::kThreads) {
        for (int p = before - 1; p >= 0; --p) {
          const N x = desk_.root(p, c);
          desk_.root(2 * p, c) = x;
          desk_.root(2 * p + 1, c) = x;
        }
      }
    });
    part_count_ *= 2;
    parts_ = next;
    root_counts_ = next_counts;
    team_.each([&](int thread) {
      for (int r = thread; r < n_; r += Team::kThreads) {
        const int left = 2 * desk_.part_of()[r];
        desk_.part_of()[r] = r < parts_[left].end ? left : left + 1;
      }
    });
  }

  KIRCHHOFF_BOTH void eliminate(int step) {
    gather(step);
    const int slices = Team::kThreads / (part_count_ * kBlock) > 1 ? Team::kThreads / (part_count_ * kBlock) : 1;
    add_columns(step, slices);
    team_.each([&](int thread) {
      for (int q = thread; q < part_count_; q += Team::kThreads) {
        N sum[kBlock];
        KIRCHHOFF_UNROLL
        for (int k = 0; k < kBlock; ++k) {
          sum[k] = constant<N>(0.0);
          for (int i = 0; i < slices; ++i) sum[k] = add(sum[k], desk_.sums()[(q * kBlock + k) * slices + i]);
        }
        const Extended pivots = eliminate_block(desk_, parts_[q], q, step, sum, root_counts_[q], watch_[thread]);
        if (q == 0) product_[thread] = multiply(product_[thread], pivots);
      }
    });
    find_all_factors(step);
    take_up(step);
  }

  /// Brings the kept rows' weights to the block's words together.
  KIRCHHOFF_BOTH void gather(int step) {
    team_.each([&](int thread) {
      kept_[thread].visit(thread, n_, [&](int r, int c, N& x) {
        const Part& part = parts_[desk_.part_of()[r]];
        const int k = c - block_begin(part, step);
        if (k >= 0 && k < kBlock && c < part.gone) desk_.kept_factors(r)[k] = x;
      });
    });
  }

  /// Sums the block's columns over all rows that remain but the root's, in slices, one for each thread.
  KIRCHHOFF_BOTH void add_columns(int step, int slices) {
    team_.each([&](int thread) {
      for (int task = thread; task < part_count_ * kBlock * slices; task += Team::kThreads) {
        const int slice = task % slices, k = task / slices % kBlock, q = task / slices / kBlock;
        const Part& part = parts_[q];
        N sum = constant<N>(0.0);
        if (k < block_words(part, step)) {
          for (int r = part.begin + slice; r < part.end; r += slices) sum = add(sum, desk_.kept_factors(r)[k]);
          const int begin = block_begin(part, step);
          for (int r = begin + kBlock + slice; r < part.gone; r += slices)
            sum = add(sum, desk_.row_entry(r, begin + k));
        }
        desk_.sums()[task] = sum;
      }
    });
  }

  /// The part for whose sake a word is eliminated: the other half.
  KIRCHHOFF_BOTH int going_part(int r) const { return desk_.part_of()[r] ^ 1; }

  KIRCHHOFF_BOTH void find_all_factors(int step) {
    team_.each([&](int thread) {
      for (int r = thread; r < n_; r += Team::kThreads) {
        const int q = desk_.part_of()[r], words = block_words(parts_[q], step);
        N c[kBlock];
        KIRCHHOFF_UNROLL
        for (int k = 0; k < kBlock; ++k) c[k] = k < words ? desk_.kept_factors(r)[k] : constant<N>(0.0);
        find_factors(desk_, q, c, watch_[thread]);
        KIRCHHOFF_UNROLL
        for (int k = 0; k < kBlock; ++k) desk_.kept_factors(r)[k] = c[k];
      }
      for (int r = thread; r < n_; r += Team::kThreads) {
        const int q = going_part(r), begin = block_begin(parts_[q], step);
        if (r < begin + kBlock || r >= parts_[q].gone) continue;
        N c[kBlock];
        KIRCHHOFF_UNROLL
        for (int k = 0; k < kBlock; ++k) c[k] = desk_.row_entry(r, begin + k);
        find_factors(desk_, q, c, watch_[thread]);
        KIRCHHOFF_UNROLL
        for (int k = 0; k < kBlock; ++k) desk_.going_factors(r)[k] = c[k];
      }
    });
  }

  /// All rows that remain take up the block's.
  KIRCHHOFF_BOTH void take_up(int step) {
    team_.each([&](int thread) {
      kept_[thread].take_up(thread, desk_, parts_, step);
      constexpr int kColumns = 32, kGroups = Team::kThreads / kColumns;
      for (int r = thread / kColumns; r < n_; r += kGroups) {
        const int q = going_part(r), begin = block_begin(parts_[q], step);
        if (r < begin + kBlock || r >= parts_[q].gone) continue;
        for (int c = thread % kColumns; c < n_; c += kColumns) {
          N x = desk_.row_entry(r, c);
          KIRCHHOFF_UNROLL
          for (int k = 0; k < kBlock; ++k) {
            x = multiply_add(desk_.going_factors(r)[k], desk_.row_entry(begin + k, c), x);
          }
          see(watch_[thread].entries, x);
          desk_.row_entry(r, c) = x;
        }
      }
      for (int q = thread / kColumns; q < part_count_; q += kGroups) {
        const int words = block_words(parts_[q], step), begin = block_begin(parts_[q], step);
        for (int c = thread % kColumns; words > 0 && c < n_; c += kColumns) {
          N x = desk_.root_kept()[q] != 0 ? desk_.root(q, c) : constant<N>(0.0);
          for (int k = 0; k < words; ++k) {
            x = multiply_add(desk_.root_factors(q)[k], desk_.row_entry(begin + k, c), x);
          }
          // A committed word's own walk ends in the root for sure.
          const int k = c - begin;
          if (k >= 0 && k < words && desk_.committed(q)[k] != 0) x = constant<N>(1.0);
          see(watch_[thread].entries, x);
          desk_.root(q, c) = x;
        }
      }
    });
  }

  const Team& team_;
  const Desk<N, S>& desk_;
  const int n_;
  int part_count_ = 1;
  Part* parts_;
  char* root_counts_;
  Local<Kept> kept_;
  Local<Watch> watch_;
  Local<Extended> product_;
};

}  // namespace kirchhoff::cuda
