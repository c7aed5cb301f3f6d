// The memory in which a team prepares a graph, and in which it finds the children of one prefix.
#pragma once

#include "cuda/kernels/beam_question.hpp"

namespace kirchhoff::cuda {

/// Where meetings are found (beam_prepare.hpp).
template <class N>
struct PrepareDesk {
  static constexpr int kParts = 8, kSums = 16;
  int ld;         // of the meetings at hand
  N* meetings;    // column after column, a row for each free word
  N* from;        // where the walk of the next word meets, column by column
  N* parts;       // kParts summands of that, part by part
  N *odd, *even;  // weights of the arcs into the next word, and into the one after it
  N* sums;        // partial sums of `from`
  double* best;   // kParts + 1 numbers for each word, in the end what is subtracted from scores; the root's is at 0
  int* flags;     // see Flag
  std::size_t bytes;

  KIRCHHOFF_BOTH PrepareDesk(char* memory, int n) : ld(n | 1) {
    const std::size_t nodes = static_cast<std::size_t>(n) + 1;
    Arrays arrays(memory);
    meetings = arrays.take<N>((nodes + 1) * ld);
    from = arrays.take<N>(nodes + 1);
    parts = arrays.take<N>(kParts * nodes);
    odd = arrays.take<N>(nodes);
    even = arrays.take<N>(nodes);
    sums = arrays.take<N>(kSums);
    best = arrays.take<double>((kParts + 1) * nodes);
    flags = arrays.take<int>(4);
    bytes = arrays.bytes();
  }
  KIRCHHOFF_BOTH N* into(int word) const { return (word & 1) != 0 ? odd : even; }
};

/// What options add up to, and the one that arrives first. Options of first order count only where there are none of
/// order 0 (beam_prepare.hpp says why there are orders).
template <class N>
struct Choice {
  N total, first_order_total;
  double arrival;  // a weight over an exponential time, or with extended range its logarithm
  int order, option;
};

/// The chain of a prefix's free tops (beam_chain.hpp): rows of some length.
template <class N>
struct ChainRows {
  N* entries;
  int ld;
  KIRCHHOFF_BOTH N& operator()(int row, int column) const { return entries[row * ld + column]; }
};
/// The most rows that the chain of a graph with n words can have.
KIRCHHOFF_BOTH int most_chain_rows(int n) { return (n + 1) / 2; }
/// At least rows + 3, and twice an odd number: so that the columns k and k + 1 of eight rows, k even, are in different
/// banks of shared memory.
KIRCHHOFF_BOTH int chain_ld(int rows) { return (rows + 4) / 4 * 4 + 2; }

/// Where the children of a prefix are found (beam_chain.hpp, beam_expand.hpp).
template <class N>
struct PrefixDesk {
  static constexpr int kSlots = 128, kLastSlots = 2;
  int* tops;             // what each word up to this level hangs below: a free word, this one, or the root
  std::uint32_t* below;  // a bit for each word that hangs below a node, in `words` words for each node
  int words;
  int* rows;              // the free words below which words hang
  int* row_of;            // and the row of each
  std::uint32_t* is_row;  // a bit for each node
  int small_rows;         // rows that the small chain has room for
  ChainRows<N> small_chain,
      large_chain;                     // their meetings with each other, the root, this word, the root in first order
  N* inverses;                         // of the pivots; 0 where the root gets all or nothing
  char* commits;                       // whether the root gets all
  N *reached_, *reached_first_order_;  // see below
  N* parts;                            // summands of the same for free words
  N* option_p;                         // the weight of each option
  double* second;                      // the second random number of each option
  char* orders;                        // of each option
  Choice<N>* choices;                  // of every kSlots-th option, so that sums do not depend on the number of threads
  int* counts;                         // 256, to rank candidates
  std::size_t bytes;

  /// With room for so many rows of the chain. A chain that has more is in the memory `large`.
  KIRCHHOFF_BOTH PrefixDesk(char* memory, int n, int rows_here, N* large) {
    const std::size_t nodes = static_cast<std::size_t>(n) + 1, most = most_chain_rows(n);
    const std::size_t wide = kSlots > n ? kSlots : n;
    Arrays arrays(memory);
    tops = arrays.take<int>(nodes);
    words = (n + 32) / 32;
    below = arrays.take<std::uint32_t>(nodes * words);
    rows = arrays.take<int>(nodes);
    row_of = arrays.take<int>(nodes);
    is_row = arrays.take<std::uint32_t>(words);
    inverses = arrays.take<N>(most);
    commits = arrays.take<char>(most);
    reached_ = arrays.take<N>(nodes);
    reached_first_order_ = arrays.take<N>(nodes);
    // The chain is done with when the words are that it does not have, and all of these when candidates are ranked.
    Arrays first = arrays, second_use = arrays, third = arrays;
    small_rows = rows_here;
    small_chain = {first.take<N>(static_cast<std::size_t>(rows_here) * chain_ld(rows_here)), chain_ld(rows_here)};
    large_chain = {large, chain_ld(static_cast<int>(most))};
    parts = second_use.take<N>(2 * wide);
    option_p = second_use.take<N>(nodes);
    second = second_use.take<double>(nodes);
    orders = second_use.take<char>(nodes);
    choices = second_use.take<Choice<N>>(kSlots);
    counts = third.take<int>(256);
    bytes = first.bytes() > second_use.bytes() ? first.bytes() : second_use.bytes();
    bytes = bytes > third.bytes() ? bytes : third.bytes();
  }
  /// The probability of the root before this word, from each word before it.
  KIRCHHOFF_BOTH N* reached(int order) const { return order == 0 ? reached_ : reached_first_order_; }
};
/// Numbers in a large chain.
KIRCHHOFF_BOTH std::size_t large_chain_size(int n) {
  return static_cast<std::size_t>(most_chain_rows(n)) * chain_ld(most_chain_rows(n));
}

}  // namespace kirchhoff::cuda
