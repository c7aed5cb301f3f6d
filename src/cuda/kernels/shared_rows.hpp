// The rows of an elimination that lie on the desk: those of words that are still to be eliminated, and the roots'.
//
// Threads run along columns, S::kColumnGroups at a time, and groups of them take rows in turn. Word r's row is row
// r - offset of the desk.
#pragma once

#include "cuda/kernels/block.hpp"
#include "cuda/kernels/desk.hpp"
#include "cuda/kernels/watch.hpp"

namespace kirchhoff::cuda {

/// Parts p and p + parts begin with the same root.
template <class N, class S>
KIRCHHOFF_BOTH void copy_roots(int thread, const Desk<N, S>& desk, int parts) {
  for (int p = thread / S::kColumnGroups; p < parts; p += S::kRowGroups) {
    for (int c = thread % S::kColumnGroups; c < desk.columns(); c += S::kColumnGroups) {
      desk.root(p + parts, c) = desk.root(p, c);
    }
  }
}

/// Rows of words that are to be eliminated after this block take it up.
template <int W, class N, class S>
KIRCHHOFF_BOTH void going_take_up(int thread, const Desk<N, S>& desk, int parts, int step, int offset, Watch& watch) {
  for (int q = 0; q < parts; ++q) {
    const Part part = desk.parts()[q];
    const int begin = block_begin<W>(part, step) - offset, end = part.gone - offset;
    if (begin + W >= end) continue;
    for (int c = thread % S::kColumnGroups; c < desk.columns(); c += S::kColumnGroups) {
      N block[W];
      KIRCHHOFF_UNROLL
      for (int k = 0; k < W; ++k) block[k] = desk.row_entry(begin + k, c);
      for (int r = begin + W + thread / S::kColumnGroups; r < end; r += S::kRowGroups) {
        const N* const factors = desk.going_factors(r);
        N x = desk.row_entry(r, c);
        KIRCHHOFF_UNROLL
        for (int k = 0; k < W; ++k) x = multiply_add(factors[k], block[k], x);
        see_small(watch.entries, x);
        desk.row_entry(r, c) = x;
      }
    }
  }
}

/// Roots take up their parts' blocks.
template <int W, class N, class S>
KIRCHHOFF_BOTH void roots_take_up(int thread, const Desk<N, S>& desk, int parts, int step, int offset, Watch& watch) {
  for (int q = thread / S::kColumnGroups; q < parts; q += S::kRowGroups) {
    const Part part = desk.parts()[q];
    const int words = block_words<W>(part, step), begin = block_begin<W>(part, step);
    if (words == 0) continue;
    const bool kept = desk.root_kept()[q] != 0;
    const N* const factors = desk.root_factors(q);
    for (int c = thread % S::kColumnGroups; c < desk.columns(); c += S::kColumnGroups) {
      N x = kept ? desk.root(q, c) : constant<N>(0.0);
      KIRCHHOFF_UNROLL
      for (int k = 0; k < W; ++k) {
        if (k < words) x = multiply_add(factors[k], desk.row_entry(begin + k - offset, c), x);
      }
      // The walk of a word that took the root's place ends in the root for sure.
      const int k = c - begin;
      if (!kept && k >= 0 && k < words && desk.committed(q)[k] != 0) x = constant<N>(1.0);
      see(watch.entries, x);
      desk.root(q, c) = x;
    }
  }
}

}  // namespace kirchhoff::cuda
