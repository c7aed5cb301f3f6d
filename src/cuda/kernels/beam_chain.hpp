// The conditional distribution of a word's head, given the heads of all words before it.
//
// Word j's head is a with a probability that is proportional to the weight of a -> j times the probability that a walk
// from a gets to the root before j [Colbourn96]. Walks know no choice at words that have heads: such a word hangs, over
// one or more arcs, below a free word, below j, or below the root, its top. From a free word a walk next meets a word
// up to j (beam_prepare.hpp), and so a top. So it is a Markov chain on the free tops, of which there are at most n/2,
// that ends at the root or at j, and elimination without subtraction solves it, whatever the weights and however
// improbable the prefix. Nothing is carried along from level to level, so no error can grow.
#pragma once

#include "cuda/kernels/beam_tops.hpp"
#include "cuda/kernels/numbers.hpp"
#include "cuda/kernels/watch.hpp"

namespace kirchhoff::cuda {

template <class Team, class N>
class PrefixChain {
 public:
  KIRCHHOFF_BOTH PrefixChain(const Team& team, const PrefixDesk<N>& desk, const N* meetings, int words, int level,
                             bool single)
      : team_(team),
        desk_(desk),
        meetings_(meetings),
        n_(words),
        level_(level),
        free_(words - level),
        single_(single) {}

  /// Finds `reached` of the words before this level, and `parts` for free words. The desk has all tops; bits are 0.
  KIRCHHOFF_BOTH void run() {
    group_words(team_, desk_, level_);
    rows_ = number_rows(team_, desk_, n_, level_);
    root_is_used_ = any_below(desk_, 0);
    if (rows_ <= desk_.small_rows) {  // so that compilers know which memory it is in
      solve_chain(desk_.small_chain);
    } else {
      solve_chain(desk_.large_chain);
    }
    if (free_ > 0) reach_free_words();
  }

  /// Whether the root is a single one that no word has for its head yet.
  KIRCHHOFF_BOTH bool has_first_order() const { return single_ && !root_is_used_; }
  /// The probability of the root before this word from a free word.
  KIRCHHOFF_BOTH N reached(int order, int word) const {
    const N* const parts = desk_.parts + order * part_count_ * free_ + word - level_ - 1;
    N sum = parts[0];
    for (int part = 1; part < part_count_; ++part) sum = add(sum, parts[part * free_]);
    return sum;
  }
  KIRCHHOFF_BOTH Watch& watch(int thread) { return watch_[thread]; }

 private:
  KIRCHHOFF_BOTH const N& meeting(int column, int word) const {
    return meetings_[std::int64_t{column} * free_ + word - level_ - 1];
  }
  /// A single root that is used takes up nobody else.
  KIRCHHOFF_BOTH bool takes_more() const { return !(single_ && root_is_used_); }
  // Columns of the chain after those of its rows.
  KIRCHHOFF_BOTH int root() const { return rows_; }
  KIRCHHOFF_BOTH int word() const { return rows_ + 1; }
  KIRCHHOFF_BOTH int first_order() const { return rows_ + 2; }

  KIRCHHOFF_BOTH void solve_chain(const ChainRows<N> entry) {
    fill_chain(entry);
    for (int p = 0; p < rows_; ++p) eliminate(entry, p);
    reach_tops(entry);
  }

  // Threads form a grid over the chain, of as many rows as a cycle of banks of shared memory has room for (chain_ld).
  static constexpr int kRowLanes = Team::kThreads < 8 ? Team::kThreads : 8, kColumnLanes = Team::kThreads / kRowLanes;
  static constexpr int kRowsAtOnce = 4, kWordsAtOnce = 4;  // what a thread asks for before it waits
  KIRCHHOFF_BOTH static int row_lane(int thread) { return thread % kRowLanes; }
  KIRCHHOFF_BOTH static int column_lane(int thread) { return thread / kRowLanes; }

  KIRCHHOFF_BOTH void fill_chain(const ChainRows<N> entry) {
    const int columns = rows_ + 2 + (has_first_order() ? 1 : 0);
    team_.each([&](int thread) {
      for (int column = column_lane(thread); column < columns; column += kColumnLanes) {
        for (int row = row_lane(thread); row < rows_; row += kRowsAtOnce * kRowLanes) fill_some(entry, row, column);
      }
    });
  }
  /// Sums up meetings of some rows with what is below a column's top.
  KIRCHHOFF_BOTH void fill_some(const ChainRows<N> entry, int first, int column) {
    const int top = column < rows_ ? desk_.rows[column] : column == root() ? 0 : column == word() ? level_ : level_ + 1;
    const bool itself = column > root() || (column == root() && takes_more());
    int from[kRowsAtOnce];
    N sum[kRowsAtOnce];
    KIRCHHOFF_UNROLL
    for (int i = 0; i < kRowsAtOnce; ++i) {
      const int row = first + i * kRowLanes;
      from[i] = row < rows_ ? desk_.rows[row] : 0;
      sum[i] = itself && from[i] > 0 ? meeting(top, from[i]) : constant<N>(0.0);
    }
    if (column != first_order()) add_below(top, from, sum);
    KIRCHHOFF_UNROLL
    for (int i = 0; i < kRowsAtOnce; ++i) {
      if (from[i] > 0) entry(first + i * kRowLanes, column) = sum[i];
    }
  }
  KIRCHHOFF_BOTH void add_below(int top, const int (&from)[kRowsAtOnce], N (&sum)[kRowsAtOnce]) {
    WordsBelow<N> below(desk_, top);
    for (int word = below.next(); word > 0; word = below.next()) {
      const int words[kWordsAtOnce] = {word, below.next(), below.next(), below.next()};
      N some[kWordsAtOnce][kRowsAtOnce];
      KIRCHHOFF_UNROLL
      for (int k = 0; k < kWordsAtOnce; ++k) {
        KIRCHHOFF_UNROLL
        for (int i = 0; i < kRowsAtOnce; ++i) {
          some[k][i] = words[k] > 0 && from[i] > 0 ? meeting(words[k], from[i]) : constant<N>(0.0);
        }
      }
      KIRCHHOFF_UNROLL
      for (int i = 0; i < kRowsAtOnce; ++i) {
        sum[i] = add(sum[i], add(add(some[0][i], some[1][i]), add(some[2][i], some[3][i])));
      }
    }
  }

  /// Substitutes row p into all others. Its numbers, and those of rows eliminated before, stay unnormalised: nobody
  /// writes what others read, so that one phase is enough.
  KIRCHHOFF_BOTH void eliminate(const ChainRows<N> entry, int p) {
    team_.each([&](int thread) {
      const N pivot = sum_of(entry, p);
      const bool none = is_zero(pivot), commits = none && has_first_order() && !is_zero(entry(p, first_order()));
      const N inverse = none ? constant<N>(0.0) : reciprocal(pivot);
      if (thread == 0) {
        desk_.inverses[p] = inverse;
        desk_.commits[p] = static_cast<char>(commits);
        see(watch_[thread].factors, inverse);
      }
      if (none && !commits) return;  // nothing leads from there to the root
      for (int row = row_lane(thread); row < rows_; row += kRowsAtOnce * kRowLanes) {
        if (commits) {
          if (column_lane(thread) == 0) commit_some(entry, p, row);
        } else {
          eliminate_some(entry, p, row, inverse, thread);
        }
      }
    });
  }
  KIRCHHOFF_BOTH bool changes(int row, int p) const {
    return row < rows_ && row != p && !(row < p && is_zero(desk_.inverses[row]));
  }
  KIRCHHOFF_BOTH void commit_some(const ChainRows<N> entry, int p, int first) {
    for (int i = 0; i < kRowsAtOnce; ++i) {
      const int row = first + i * kRowLanes;
      if (changes(row, p)) entry(row, root()) = add(entry(row, root()), entry(row, p));
    }
  }
  /// Substitutes row p into some others, in a thread's columns.
  KIRCHHOFF_BOTH void eliminate_some(const ChainRows<N> entry, int p, int first, const N& inverse, int thread) {
    const int last = rows_ + 1 + (has_first_order() ? 1 : 0);
    bool live[kRowsAtOnce];
    N factor[kRowsAtOnce];
    KIRCHHOFF_UNROLL
    for (int i = 0; i < kRowsAtOnce; ++i) {
      const int row = first + i * kRowLanes;
      live[i] = changes(row, p);
      factor[i] = live[i] ? multiply(entry(row, p), inverse) : constant<N>(0.0);
      see(watch_[thread].factors, factor[i]);
    }
    for (int column = p + 1 + column_lane(thread); column <= last; column += kColumnLanes) {
      const N top = entry(p, column);
      N x[kRowsAtOnce];
      KIRCHHOFF_UNROLL
      for (int i = 0; i < kRowsAtOnce; ++i) {
        x[i] = live[i] ? entry(first + i * kRowLanes, column) : constant<N>(0.0);
      }
      KIRCHHOFF_UNROLL
      for (int i = 0; i < kRowsAtOnce; ++i) {
        x[i] = multiply_add(factor[i], top, x[i]);
        see(watch_[thread].entries, x[i]);
        if (live[i]) entry(first + i * kRowLanes, column) = x[i];
      }
    }
  }
  /// The sum of what is left of a row, but for the root in first order: four sums, so that none waits for the others.
  KIRCHHOFF_BOTH N sum_of(const ChainRows<N> entry, int p) const {
    N sums[4] = {entry(p, word()), constant<N>(0.0), constant<N>(0.0), constant<N>(0.0)};
    int column = p + 1;
    KIRCHHOFF_TWICE_AT_A_TIME
    for (; column + 3 < word(); column += 4) {
      KIRCHHOFF_UNROLL
      for (int i = 0; i < 4; ++i) sums[i] = add(sums[i], entry(p, column + i));
    }
    KIRCHHOFF_UNROLL
    for (int i = 0; i < 3; ++i) {
      if (column + i < word()) sums[i + 1] = add(sums[i + 1], entry(p, column + i));
    }
    return add(add(sums[0], sums[1]), add(sums[2], sums[3]));
  }

  /// The probability of the root before this word, for all words before it: that of their tops.
  KIRCHHOFF_BOTH void reach_tops(const ChainRows<N> entry) {
    const N zero = constant<N>(0.0), one = constant<N>(1.0);
    team_.each([&](int thread) {
      for (int d = 1 + thread; d < level_; d += Team::kThreads) {
        const int top = desk_.tops[d], row = top > level_ ? desk_.row_of[top] : 0;
        for (int order = 0; order < 2; ++order) {
          N x = top == 0 && order == 0 ? one : zero;
          if (top > level_) {
            const bool commits = desk_.commits[row] != 0, none = order == 1 && !has_first_order();
            x = commits ? (order == 0 ? one : zero)
                : none  ? zero
                        : multiply(desk_.inverses[row], entry(row, order == 0 ? root() : first_order()));
          }
          see(watch_[thread].entries, x);
          desk_.reached(order)[d] = x;
        }
      }
    });
  }

  /// The same for free words, in parts of the sum over the words that they meet. How many parts does not depend on the
  /// number of threads.
  KIRCHHOFF_BOTH void reach_free_words() {
    const int most = PrefixDesk<N>::kSlots / free_, tasks = free_ * (most < 1 ? 1 : most > 16 ? 16 : most);
    part_count_ = tasks / free_;
    team_.each([&](int thread) {
      for (int task = thread; task < tasks; task += Team::kThreads) {
        const int v = level_ + 1 + task % free_, part = task / free_;
        N sum = part == 0 && takes_more() ? meeting(0, v) : constant<N>(0.0);
        if (!has_first_order()) {
          KIRCHHOFF_EIGHT_AT_A_TIME
          for (int d = 1 + part; d < level_; d += part_count_) {
            sum = multiply_add(meeting(d, v), desk_.reached(0)[d], sum);
          }
        } else {
          N first = part == 0 ? meeting(level_ + 1, v) : constant<N>(0.0);
          KIRCHHOFF_EIGHT_AT_A_TIME
          for (int d = 1 + part; d < level_; d += part_count_) {
            const N met = meeting(d, v);
            sum = multiply_add(met, desk_.reached(0)[d], sum);
            first = multiply_add(met, desk_.reached(1)[d], first);
          }
          desk_.parts[tasks + task] = first;
        }
        desk_.parts[task] = sum;
      }
    });
  }

  const Team& team_;
  const PrefixDesk<N>& desk_;
  const N* const meetings_;
  const int n_, level_, free_;
  const bool single_;
  int rows_ = 0, part_count_ = 1;
  bool root_is_used_ = false;
  typename Team::template Local<Watch> watch_;
};

}  // namespace kirchhoff::cuda
