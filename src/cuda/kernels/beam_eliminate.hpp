// A prefix's Markov chain on free tops (beam_chain.hpp): its rows, and their elimination without subtraction.
#pragma once

#include "cuda/kernels/beam_tops.hpp"
#include "cuda/kernels/numbers.hpp"
#include "cuda/kernels/watch.hpp"

namespace kirchhoff::cuda {

/// What the chain of a prefix at a level looks like.
template <class N>
struct ChainShape {
  const N* meetings;  // of the level
  int n, level, free;
  bool single;
  int rows = 0;
  bool root_is_used = false;

  KIRCHHOFF_BOTH const N& meeting(int column, int word) const {
    return meetings[std::int64_t{column} * free + word - level - 1];
  }
  /// A single root that is used takes up nobody else.
  KIRCHHOFF_BOTH bool takes_more() const { return !(single && root_is_used); }
  /// Whether the root is a single one that no word has for its head yet.
  KIRCHHOFF_BOTH bool has_first_order() const { return single && !root_is_used; }
  // Columns after those of the rows.
  KIRCHHOFF_BOTH int root() const { return rows; }
  KIRCHHOFF_BOTH int word() const { return rows + 1; }
  KIRCHHOFF_BOTH int first_order() const { return rows + 2; }
  KIRCHHOFF_BOTH int columns() const { return rows + 2 + (has_first_order() ? 1 : 0); }
};

template <class Team, class N>
class ChainElimination {
 public:
  using Watches = typename Team::template Local<Watch>;
  KIRCHHOFF_BOTH ChainElimination(const Team& team, const PrefixDesk<N>& desk, const ChainShape<N>& shape,
                                  Watches& watch)
      : team_(team), desk_(desk), shape_(shape), watch_(watch) {}

  /// Fills the rows, and eliminates one after the other.
  KIRCHHOFF_BOTH void run(const ChainRows<N> entry) {
    fill_chain(entry);
    for (int p = 0; p < shape_.rows; ++p) eliminate(entry, p);
  }

 private:
  // Threads form a grid over the chain, of as many rows as a cycle of banks of shared memory has room for (chain_ld).
  static constexpr int kRowLanes = Team::kThreads < 8 ? Team::kThreads : 8, kColumnLanes = Team::kThreads / kRowLanes;
  static constexpr int kRowsAtOnce = 4, kWordsAtOnce = 4;  // what a thread asks for before it waits
  KIRCHHOFF_BOTH static int row_lane(int thread) { return thread % kRowLanes; }
  KIRCHHOFF_BOTH static int column_lane(int thread) { return thread / kRowLanes; }

  KIRCHHOFF_BOTH void fill_chain(const ChainRows<N> entry) {
    team_.each([&](int thread) {
      for (int column = column_lane(thread); column < shape_.columns(); column += kColumnLanes) {
        for (int row = row_lane(thread); row < shape_.rows; row += kRowsAtOnce * kRowLanes)
          fill_some(entry, row, column);
      }
    });
  }
  /// A row that there is, for threads that have none: so nobody branches before they ask for numbers.
  KIRCHHOFF_BOTH int row_or_last(int row) const { return row < shape_.rows ? row : shape_.rows - 1; }

  /// Sums up meetings of some rows with what is below a column's top.
  KIRCHHOFF_BOTH void fill_some(const ChainRows<N> entry, int first, int column) {
    const int top = column < shape_.rows      ? desk_.rows[column]
                    : column == shape_.root() ? 0
                    : column == shape_.word() ? shape_.level
                                              : shape_.level + 1;
    const bool itself = column > shape_.root() || (column == shape_.root() && shape_.takes_more());
    const N* from[kRowsAtOnce];
    N sum[kRowsAtOnce];
    KIRCHHOFF_UNROLL
    for (int i = 0; i < kRowsAtOnce; ++i) {
      from[i] = &shape_.meeting(0, desk_.rows[row_or_last(first + i * kRowLanes)]);
    }
    KIRCHHOFF_UNROLL
    for (int i = 0; i < kRowsAtOnce; ++i) {
      const N x = from[i][(itself ? top : 0) * shape_.free];
      sum[i] = itself ? x : constant<N>(0.0);
    }
    if (column != shape_.first_order()) add_below(top, from, sum);
    KIRCHHOFF_UNROLL
    for (int i = 0; i < kRowsAtOnce; ++i) {
      if (first + i * kRowLanes < shape_.rows) entry(first + i * kRowLanes, column) = sum[i];
    }
  }
  KIRCHHOFF_BOTH void add_below(int top, const N* const (&from)[kRowsAtOnce], N (&sum)[kRowsAtOnce]) {
    WordsBelow<N> below(desk_, top);
    for (int word = below.next(); word > 0; word = below.next()) {
      const int words[kWordsAtOnce] = {word, below.next(), below.next(), below.next()};
      N some[kWordsAtOnce][kRowsAtOnce];
      KIRCHHOFF_UNROLL
      for (int k = 0; k < kWordsAtOnce; ++k) {
        KIRCHHOFF_UNROLL
        for (int i = 0; i < kRowsAtOnce; ++i) some[k][i] = from[i][words[k] * shape_.free];
      }
      KIRCHHOFF_UNROLL
      for (int i = 0; i < kRowsAtOnce; ++i) {
        KIRCHHOFF_UNROLL
        for (int k = 1; k < kWordsAtOnce; ++k) some[k][i] = words[k] > 0 ? some[k][i] : constant<N>(0.0);
        sum[i] = add(sum[i], add(add(some[0][i], some[1][i]), add(some[2][i], some[3][i])));
      }
    }
  }

  /// Substitutes row p into all others; if nothing leads on from there, there is nothing to do. Its numbers, and those
  /// of rows eliminated before, stay unnormalised: nobody writes what others read, so that one phase is enough.
  KIRCHHOFF_BOTH void eliminate(const ChainRows<N> entry, int p) {
    team_.each([&](int thread) {
      const N pivot = sum_of(entry, p);
      const bool none = is_zero(pivot),
                 commits = none && shape_.has_first_order() && !is_zero(entry(p, shape_.first_order()));
      const N inverse = none ? constant<N>(0.0) : reciprocal(pivot);
      for (int row = row_lane(thread); row < shape_.rows && !none; row += kRowsAtOnce * kRowLanes) {
        eliminate_some(entry, p, row, inverse, thread);
      }
      for (int row = thread; row < shape_.rows && commits; row += Team::kThreads) {
        if (row != p) entry(row, shape_.root()) = add(entry(row, shape_.root()), entry(row, p));
      }
      if (thread != 0) return;
      desk_.inverses[p] = inverse;
      desk_.commits[p] = static_cast<char>(commits);
      see(watch_[thread].factors, inverse);
    });
  }
  /// Substitutes row p into some others, in a thread's columns. Rows from which nothing leads on have zeros, and keep
  /// them.
  KIRCHHOFF_BOTH void eliminate_some(const ChainRows<N> entry, int p, int first, const N& inverse, int thread) {
    N* row[kRowsAtOnce];
    N factor[kRowsAtOnce];
    bool live[kRowsAtOnce];
    KIRCHHOFF_UNROLL
    for (int i = 0; i < kRowsAtOnce; ++i) {
      const int number = first + i * kRowLanes;
      row[i] = &entry(row_or_last(number), 0);
      live[i] = (number < shape_.rows) & (number != p);
      const N x = multiply(row[i][p], inverse);
      factor[i] = live[i] ? x : constant<N>(0.0);
      see(watch_[thread].factors, factor[i]);
    }
    for (int column = p + 1 + column_lane(thread); column < shape_.columns(); column += kColumnLanes) {
      const N top = entry(p, column);
      N x[kRowsAtOnce];
      KIRCHHOFF_UNROLL
      for (int i = 0; i < kRowsAtOnce; ++i) x[i] = row[i][column];
      KIRCHHOFF_UNROLL
      for (int i = 0; i < kRowsAtOnce; ++i) {
        x[i] = multiply_add(factor[i], top, x[i]);
        see(watch_[thread].entries, x[i]);
      }
      KIRCHHOFF_UNROLL
      for (int i = 0; i < kRowsAtOnce; ++i) {
        if (live[i]) row[i][column] = x[i];
      }
    }
  }
  /// The sum of what is left of a row, but for the root in first order. Eight numbers are asked for at a time, and
  /// there are four sums, so that none waits for the others.
  KIRCHHOFF_BOTH N sum_of(const ChainRows<N> entry, int p) const {
    const N* const row = &entry(p, 0);
    const N zero = constant<N>(0.0);
    N sums[4] = {zero, zero, zero, zero};
    for (int column = p + 1; column <= shape_.word(); column += 8) {
      N some[8];
      KIRCHHOFF_UNROLL
      for (int i = 0; i < 8; ++i) some[i] = row[column + i <= shape_.word() ? column + i : shape_.word()];
      KIRCHHOFF_UNROLL
      for (int i = 1; i < 8; ++i) some[i] = column + i <= shape_.word() ? some[i] : zero;
      KIRCHHOFF_UNROLL
      for (int i = 0; i < 4; ++i) sums[i] = add(sums[i], add(some[i], some[i + 4]));
    }
    return add(add(sums[0], sums[1]), add(sums[2], sums[3]));
  }

  const Team& team_;
  const PrefixDesk<N>& desk_;
  const ChainShape<N>& shape_;
  Watches& watch_;
};

}  // namespace kirchhoff::cuda
