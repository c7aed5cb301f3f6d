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

  KIRCHHOFF_BOTH void fill_chain(const ChainRows<N> entry) {
    const int columns = rows_ + 2 + (has_first_order() ? 1 : 0);
    team_.each([&](int thread) {
      for (int task = thread; task < rows_ * columns; task += Team::kThreads) {
        const int row = task % rows_, column = task / rows_, from = desk_.rows[row];
        const int top = column < rows_ ? desk_.rows[column] : column == root() ? 0 : level_;
        N sum = constant<N>(0.0);
        if (column == first_order()) {
          sum = meeting(level_ + 1, from);
        } else {
          if (column == word() || (column == root() && takes_more())) sum = meeting(top, from);
          sum = sum_below(desk_, top, sum, [&](int d) { return meeting(d, from); });
        }
        entry(row, column) = sum;
      }
    });
  }

  /// Substitutes row p into all others. Its numbers, and those of rows eliminated before, stay unnormalised: nobody
  /// writes what others read, so that one phase is enough.
  KIRCHHOFF_BOTH void eliminate(const ChainRows<N> entry, int p) {
    const int last = rows_ + 1 + (has_first_order() ? 1 : 0), wide = rows_ < Team::kThreads ? rows_ : Team::kThreads;
    const int groups = Team::kThreads / wide;
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
      for (int row = thread % wide; row < rows_ && thread < wide * groups; row += wide) {
        if (row == p || (row < p && is_zero(desk_.inverses[row]))) continue;
        if (commits) {
          if (thread < wide) entry(row, root()) = add(entry(row, root()), entry(row, p));
          continue;
        }
        const N factor = multiply(entry(row, p), inverse);
        see(watch_[thread].factors, factor);
        for (int column = p + 1 + thread / wide; column <= last; column += groups) {
          N& x = entry(row, column);
          x = multiply_add(factor, entry(p, column), x);
          see(watch_[thread].entries, x);
        }
      }
    });
  }
  /// The sum of what is left of a row, but for the root in first order.
  KIRCHHOFF_BOTH N sum_of(const ChainRows<N> entry, int p) const {
    N even = entry(p, p + 1), odd = entry(p, word());
    int column = p + 2;
    KIRCHHOFF_EIGHT_AT_A_TIME
    for (; column + 1 < word(); column += 2) {  // two sums, so that none waits for the other
      even = add(even, entry(p, column));
      odd = add(odd, entry(p, column + 1));
    }
    if (column < word()) even = add(even, entry(p, column));
    return add(even, odd);
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
