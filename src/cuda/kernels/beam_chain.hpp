// The conditional distribution of a word's head, given the heads of all words before it.
//
// Word j's head is a with a probability that is proportional to the weight of a -> j times the probability that a walk
// from a gets to the root before j [Colbourn96]. Walks know no choice at words that have heads: such a word hangs, over
// one or more arcs, below a free word, below j, or below the root, its top. From a free word a walk next meets a word
// up to j (beam_prepare.hpp), and so a top. So it is a Markov chain on the free tops, of which there are at most n/2,
// that ends at the root or at j, and elimination without subtraction solves it, whatever the weights and however
// improbable the prefix. Nothing is carried along from level to level, so no error can grow.
#pragma once

#include "cuda/kernels/beam_eliminate.hpp"

namespace kirchhoff::cuda {

template <class Team, class N>
class PrefixChain {
 public:
  KIRCHHOFF_BOTH PrefixChain(const Team& team, const PrefixDesk<N>& desk, const N* meetings, int words, int level,
                             bool single)
      : team_(team), desk_(desk), shape_{meetings, words, level, words - level, single} {}

  /// Finds `reached` of the words before this level, and `parts` for free words. The desk has all tops; bits are 0.
  KIRCHHOFF_BOTH void run() {
    group_words(team_, desk_, shape_.level);
    shape_.rows = number_rows(team_, desk_, shape_.n, shape_.level);
    shape_.root_is_used = any_below(desk_, 0);
    if (shape_.rows <= desk_.small_rows) {  // so that compilers know which memory it is in
      solve_chain(desk_.small_chain);
    } else {
      solve_chain(desk_.large_chain);
    }
    if (shape_.free > 0) reach_free_words();
  }

  KIRCHHOFF_BOTH bool has_first_order() const { return shape_.has_first_order(); }
  /// The probability of the root before this word from a free word.
  KIRCHHOFF_BOTH N reached(int order, int word) const {
    const N* const parts = desk_.parts + order * part_count_ * shape_.free + word - shape_.level - 1;
    N sum = parts[0];
    for (int part = 1; part < part_count_; ++part) sum = add(sum, parts[part * shape_.free]);
    return sum;
  }
  KIRCHHOFF_BOTH Watch& watch(int thread) { return watch_[thread]; }

 private:
  KIRCHHOFF_BOTH void solve_chain(const ChainRows<N> entry) {
    ChainElimination<Team, N>(team_, desk_, shape_, watch_).run(entry);
    reach_tops(entry);
  }

  /// The probability of the root before this word, for all words before it: that of their tops.
  KIRCHHOFF_BOTH void reach_tops(const ChainRows<N> entry) {
    const N zero = constant<N>(0.0), one = constant<N>(1.0);
    team_.each([&](int thread) {
      for (int d = 1 + thread; d < shape_.level; d += Team::kThreads) {
        const int top = desk_.tops[d], row = top > shape_.level ? desk_.row_of[top] : 0;
        for (int order = 0; order < 2; ++order) {
          N x = top == 0 && order == 0 ? one : zero;
          if (top > shape_.level) {
            const bool commits = desk_.commits[row] != 0, none = order == 1 && !shape_.has_first_order();
            x = commits ? (order == 0 ? one : zero)
                : none  ? zero
                        : multiply(desk_.inverses[row], entry(row, order == 0 ? shape_.root() : shape_.first_order()));
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
    const int most = PrefixDesk<N>::kSlots / shape_.free, tasks = shape_.free * (most < 1 ? 1 : most > 16 ? 16 : most);
    part_count_ = tasks / shape_.free;
    team_.each([&](int thread) {
      for (int task = thread; task < tasks; task += Team::kThreads) {
        const int v = shape_.level + 1 + task % shape_.free, part = task / shape_.free;
        N sum = part == 0 && shape_.takes_more() ? shape_.meeting(0, v) : constant<N>(0.0);
        if (!shape_.has_first_order()) {
          KIRCHHOFF_EIGHT_AT_A_TIME
          for (int d = 1 + part; d < shape_.level; d += part_count_) {
            sum = multiply_add(shape_.meeting(d, v), desk_.reached(0)[d], sum);
          }
        } else {
          N first = part == 0 ? shape_.meeting(shape_.level + 1, v) : constant<N>(0.0);
          KIRCHHOFF_EIGHT_AT_A_TIME
          for (int d = 1 + part; d < shape_.level; d += part_count_) {
            const N met = shape_.meeting(d, v);
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
  ChainShape<N> shape_;
  int part_count_ = 1;
  typename Team::template Local<Watch> watch_;
};

}  // namespace kirchhoff::cuda
