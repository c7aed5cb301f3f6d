// Leave-one-out elimination (tree/robust/robust.cpp has the mathematics) of one graph by a team of threads.
//
// The words are halved again and again. Each half is kept in one copy of the graph and eliminated in another, for the
// sake of the half that is kept there. All copies of a level are eliminated together: a word's row is kept in exactly
// one of them and eliminated in one other, so a level takes room for two matrices, whatever its number of copies. Where
// that is too much, the first two halves are kept one after the other. In all there are about 1.5 n^3 multiplications,
// where a Gauss-Jordan inverse has n^3, and no subtraction.
#pragma once

#include "cuda/kernels/block.hpp"
#include "cuda/kernels/kept_rows.hpp"
#include "cuda/kernels/shared_rows.hpp"
#include "cuda/kernels/watch.hpp"

#include <cstdint>

namespace kirchhoff::cuda {

/// Keeps the first `kept` words of a graph, whose rows it has been given by load(). The rows of all other words are
/// those of the desk, and the root's is the root row of part 0. run() leaves parts of one or two words: their rows,
/// their roots, and which parts there are.
template <class Team, class N, class S>
class Elimination {
 public:
  KIRCHHOFF_BOTH Elimination(const Team& team, const Desk<N, S>& desk) : team_(team), desk_(desk) {
    team_.each([&](int thread) { watch_[thread] = {}; });
  }

  KIRCHHOFF_BOTH void load() {
    team_.each([&](int thread) { kept_[thread].load(thread, desk_); });
  }

  KIRCHHOFF_BOTH void run(int kept, bool single_root) {
    part_count_ = 1;
    offset_ = kept;
    team_.each([&](int thread) {
      for (int r = thread; r < desk_.room(); r += Team::kThreads) {
        desk_.part_of()[r] = 0;
        desk_.going_of()[r] = kept < desk_.n ? kept : 0;
      }
      if (thread != 0) return;
      desk_.parts()[0] = {0, kept, kept, desk_.n};
      desk_.root_counts()[0] = static_cast<char>(!single_root);
    });
    eliminate_halves<kBlock>(desk_.n - kept);
    store();
    offset_ = 0;
    const int most = most_parts(kept);
    for (int capacity = most; part_count_ < most; capacity /= 2) {
      split(capacity);
      const int largest = desk_.parts()[0].end;  // a left half is never smaller than the right one
      if (capacity > 2) {
        eliminate_halves<kBlock>(largest);
      } else {
        eliminate_halves<2>(largest);
      }
      store();
    }
  }

  KIRCHHOFF_BOTH int part_count() const { return part_count_; }
  KIRCHHOFF_BOTH Watch& watch(int thread) { return watch_[thread]; }

 private:
  template <class T>
  using Local = typename Team::template Local<T>;

  KIRCHHOFF_BOTH void store() {
    team_.each([&](int thread) { kept_[thread].store(thread, desk_, watch_[thread]); });
  }

  /// Halves every part; none has more than `capacity` words then. A half begins where a thread's rows do, if it can.
  /// Part p becomes parts p and p + part_count_.
  KIRCHHOFF_BOTH void split(int capacity) {
    const auto parts = desk_.parts();
    team_.each([&](int thread) {
      for (int p = thread; p < part_count_; p += Team::kThreads) {
        const int begin = parts[p].begin, end = parts[p].end, half = (end - begin + 1) / 2;
        int mid = begin + half;
        if constexpr (S::kInRegisters) {
          const int whole = (half + S::kRows - 1) / S::kRows * S::kRows;
          if (whole <= capacity && whole < end - begin) mid = begin + whole;
        }
        const bool small = end - begin <= 2;
        if (small) mid = end;
        parts[p] = {begin, mid, mid, end};
        parts[p + part_count_] = {mid, end, small ? end : begin, small ? end : mid};
        desk_.root_counts()[p + part_count_] = desk_.root_counts()[p];
      }
    });
    team_.each([&](int thread) {
      for (int r = thread; r < desk_.room(); r += Team::kThreads) {
        const int p = desk_.part_of()[r], q = r < parts[p].end ? p : p + part_count_;
        desk_.part_of()[r] = q;
        desk_.going_of()[r] = parts[q].going < parts[q].gone ? parts[q].going : 0;
      }
      copy_roots(thread, desk_, part_count_);
    });
    part_count_ *= 2;
  }

  template <int W>
  KIRCHHOFF_BOTH void eliminate_halves(int largest) {
    for (int step = 0; step * W < largest; ++step) {
      team_.each([&](int thread) { kept_[thread].template gather<W>(thread, desk_, step); });
      const int slices = Team::kThreads / (part_count_ * W) > 1 ? Team::kThreads / (part_count_ * W) : 1;
      add_columns<W>(step, slices);
      team_.each([&](int thread) {
        for (int q = thread; q < part_count_; q += Team::kThreads) {
          N sum[W];
          KIRCHHOFF_UNROLL
          for (int k = 0; k < W; ++k) {
            sum[k] = desk_.sums()[q * slices * W + k];
            for (int i = 1; i < slices; ++i) sum[k] = add(sum[k], desk_.sums()[(q * slices + i) * W + k]);
          }
          eliminate_block<W>(desk_, q, step, offset_, sum, watch_[thread]);
        }
      });
      find_all_factors<W>(step);
      team_.each([&](int thread) {
        kept_[thread].template take_up<W>(thread, desk_, step, offset_);
        going_take_up<W>(thread, desk_, part_count_, step, offset_, watch_[thread]);
        roots_take_up<W>(thread, desk_, part_count_, step, offset_, watch_[thread]);
      });
    }
  }

  /// Sums the block's columns over all rows that remain but the root's, in slices, one for each thread. The numbers of
  /// parts and slices are powers of two.
  template <int W>
  KIRCHHOFF_BOTH void add_columns(int step, int slices) {
    team_.each([&](int thread) {
      for (int task = thread; task < part_count_ * W * slices; task += Team::kThreads) {
        const int k = task % W, slice = task / W & (slices - 1), q = task / W / slices;
        const Part part = desk_.parts()[q];
        N sum = constant<N>(0.0);
        if (k < block_words<W>(part, step)) {
          for (int r = part.begin + slice; r < part.end; r += slices) sum = add(sum, desk_.kept_factors(r)[k]);
          const int begin = block_begin<W>(part, step);
          for (int r = begin + W + slice; r < part.gone; r += slices)
            sum = add(sum, desk_.row_entry(r - offset_, begin + k));
        }
        desk_.sums()[task] = sum;
      }
    });
  }

  template <int W>
  KIRCHHOFF_BOTH void find_all_factors(int step) {
    team_.each([&](int thread) {
      for (int r = thread; r < desk_.room(); r += Team::kThreads) {
        N c[W];
        KIRCHHOFF_UNROLL
        for (int k = 0; k < W; ++k) {
          const bool there = S::kInRegisters || desk_.going_of()[r] + step * W + k < desk_.n;
          c[k] = there ? desk_.kept_factors(r)[k] : constant<N>(0.0);
        }
        find_factors<W>(desk_, desk_.part_of()[r], c, watch_[thread]);
        KIRCHHOFF_UNROLL
        for (int k = 0; k < W; ++k) desk_.kept_factors(r)[k] = c[k];
      }
      for (int r = thread; r < desk_.room(); r += Team::kThreads) {  // rows that are to be eliminated later
        // The other half, for whose sake the word is eliminated; there is one part only while others' rows are here.
        const int q = part_count_ == 1 ? 0 : desk_.part_of()[r] ^ part_count_ / 2, word = r + offset_;
        const int begin = block_begin<W>(desk_.parts()[q], step);
        if (word < begin + W || word >= desk_.parts()[q].gone) continue;
        N c[W];
        KIRCHHOFF_UNROLL
        for (int k = 0; k < W; ++k) c[k] = desk_.row_entry(r, begin + k);
        find_factors<W>(desk_, q, c, watch_[thread]);
        KIRCHHOFF_UNROLL
        for (int k = 0; k < W; ++k) desk_.going_factors(r)[k] = c[k];
      }
    });
  }

  const Team& team_;
  const Desk<N, S>& desk_;
  int part_count_ = 1;
  int offset_ = 0;  // word r's row is row r - offset_ of the desk
  Local<KeptRows<N, S>> kept_;
  Local<Watch> watch_;
};

}  // namespace kirchhoff::cuda
