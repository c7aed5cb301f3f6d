// What hangs below which free word, when the words before a level have heads.
#pragma once

#include "cuda/kernels/beam_desk.hpp"
#include "cuda/kernels/numbers.hpp"

namespace kirchhoff::cuda {

/// Notes which words before a level hang below which top, and which tops are free. All bits are 0 before.
template <class Team, class N>
KIRCHHOFF_BOTH void group_words(const Team& team, const PrefixDesk<N>& desk, int level) {
  team.each([&](int thread) {
    for (int d = 1 + thread; d < level; d += Team::kThreads) {
      const int top = desk.tops[d];
      set_bit(desk.below + top * desk.words, d);
      if (top > level) set_bit(desk.is_row, top);
    }
  });
}

/// Whether a word hangs below a node.
template <class N>
KIRCHHOFF_BOTH bool any_below(const PrefixDesk<N>& desk, int top) {
  std::uint32_t any = 0;
  for (int w = 0; w < desk.words; ++w) any |= desk.below[top * desk.words + w];
  return any != 0;
}

/// Numbers the free words that are tops, and returns how many there are.
template <class Team, class N>
KIRCHHOFF_BOTH int number_rows(const Team& team, const PrefixDesk<N>& desk, int n, int level) {
  int rows = 0;
  team.each([&](int thread) {
    for (int v = level + 1 + thread; v <= n; v += Team::kThreads) {
      const std::uint32_t word = desk.is_row[v >> 5], bit = std::uint32_t{1} << (v & 31);
      if ((word & bit) == 0) continue;
      int row = bits_in(word & (bit - 1));
      for (int w = 0; w < v >> 5; ++w) row += bits_in(desk.is_row[w]);
      desk.rows[row] = v;
      desk.row_of[v] = row;
    }
  });
  for (int w = 0; w < desk.words; ++w) rows += bits_in(desk.is_row[w]);
  return rows;
}

/// The words below a top, from the first on.
template <class N>
class WordsBelow {
 public:
  KIRCHHOFF_BOTH WordsBelow(const PrefixDesk<N>& desk, int top)
      : bits_(desk.below + top * desk.words), words_(desk.words), left_(bits_[0]) {}
  /// The next one, or 0 if there is none left.
  KIRCHHOFF_BOTH int next() {
    while (left_ == 0) {
      if (at_ + 1 >= words_) return 0;
      left_ = bits_[++at_];
    }
    const int word = 32 * at_ + lowest_bit(left_);
    left_ &= left_ - 1;
    return word;
  }

 private:
  const std::uint32_t* bits_;
  int words_, at_ = 0;
  std::uint32_t left_;
};

}  // namespace kirchhoff::cuda
